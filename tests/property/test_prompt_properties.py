from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from msd_review.prompt.budget import assemble, effective_budget
from msd_review.prompt.model import PlanFile, Prompt, ReviewSubject
from msd_review.prompt.parse import split_prompt
from msd_review.prompt.reading import decode, front_matter
from msd_review.prompt.requirements import defined_entries, named_ids
from msd_review.prompt.roadmap import find_section

NASTY = st.text(
    alphabet=st.one_of(st.sampled_from('<!-/msd:>"&@\n\r #`~|*[]é—'), st.characters(codec="utf-8")),
    max_size=400,
)
NAMES = st.text(min_size=1, max_size=30)


@st.composite
def subjects(draw: st.DrawFn) -> ReviewSubject:
    plans = draw(st.lists(st.tuples(NAMES, NASTY), min_size=1, max_size=4))
    return ReviewSubject(
        root=Path("/nowhere"),
        phase="1",
        phase_folder=None,
        title="",
        plans=tuple(PlanFile(path=Path("/nowhere/p"), name=name, text=text) for name, text in plans),
        context=draw(NASTY) * draw(st.integers(0, 30)),
        roadmap_section=draw(NASTY),
    )


@given(subjects())
@settings(max_examples=150)
def test_what_was_rendered_is_read_back_part_by_part(subject: ReviewSubject) -> None:
    made = assemble(subject, budget=None)
    assert isinstance(made, Prompt)
    parts = [(p.kind, p.name, p.path, p.text, p.kept) for p in split_prompt(made.text)]
    assert parts == [(s.kind, s.name, s.path, s.text, s.kept) for s in made.sections]


@given(subjects(), st.integers(0, 12_000))
@settings(max_examples=150)
def test_a_prompt_never_exceeds_its_budget_and_keeps_every_plan(subject: ReviewSubject, budget: int) -> None:
    made = assemble(subject, budget=budget)
    if isinstance(made, Prompt):
        assert made.tokens <= effective_budget(budget)
        assert made.tokens == -(-len(made.text.encode()) // 3)
        plans = [section for section in made.sections if section.kind == "plan"]
        assert len(plans) == len(subject.plans)
        assert all(section.kept != "dropped" for section in plans)
    else:
        assert made.tokens > effective_budget(budget)


@given(st.text())
@settings(max_examples=200)
def test_readers_of_planning_text_take_anything(text: str) -> None:
    front_matter(f"---\n{text}\n---\n")
    find_section(text, "1")
    named_ids(text, defined_entries(text))
    split_prompt(text)


@given(st.text(alphabet=st.characters(codec="utf-8")))
@settings(max_examples=200)
def test_decoded_text_has_one_kind_of_line_end(text: str) -> None:
    decoded, _ = decode(text.encode(), "x")
    assert "\r" not in decoded
    assert "\0" not in decoded

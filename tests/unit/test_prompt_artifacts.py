import os
import shutil
from pathlib import Path

import pytest

from msd_review.errors import InputError
from msd_review.prompt.artifacts import find_phase, list_phases, obvious_subject, subject_from_plans
from msd_review.prompt.budget import assemble
from msd_review.prompt.model import Prompt
from msd_review.prompt.reading import MAX_DOCUMENT_BYTES, front_matter, repair_double_encoding

PLANNING = Path(__file__).parent.parent / "data" / "planning"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / ".planning/phases/01-first").mkdir(parents=True)
    return tmp_path


def plan(project: Path, name: str = "01-01-PLAN.md", content: bytes = b"# Plan\n") -> Path:
    path = project / ".planning/phases/01-first" / name
    path.write_bytes(content)
    return path


def names(root: Path, phase: str) -> list[str]:
    return [one.path.name for one in find_phase(root, phase).plans]


def test_a_phase_has_its_plans_in_natural_order_and_all_its_background() -> None:
    subject = find_phase(PLANNING / "template", "2")
    assert (subject.phase, subject.title) == ("02", "Checkout")
    assert [p.path.name for p in subject.plans] == ["02-01-PLAN.md", "02-02-PLAN.md", "02-10-PLAN.md"]
    assert subject.plans[0].name == ".planning/phases/02-checkout/02-01-PLAN.md"
    assert subject.context.startswith("# Context")
    assert subject.research.startswith("# Research")
    assert subject.project.startswith("# Shop")
    assert subject.warnings == ()


def test_a_roadmap_section_ends_where_the_next_phase_begins_and_code_is_no_heading() -> None:
    section = find_phase(PLANNING / "template", "2").roadmap_section
    assert section.startswith("### Phase 2: Checkout")
    assert "# not a heading" in section
    assert "Phase 3" not in section


def test_requirements_of_a_phase_are_found_in_every_notation_and_look_alikes_are_none() -> None:
    subject = find_phase(PLANNING / "template", "02")
    assert subject.requirement_ids == ("PAY-01", "PAY-02", "PAY-03", "CART-01", "CART-02", "AUDIT-01")
    assert subject.requirements.split("\n")[:3] == [
        "- PAY-01: A card can be charged once, and never twice",
        "- PAY-02: A refused card changes nothing",
        "- PAY-03: Ledger Every payment is in the ledger.",
    ]


@pytest.mark.parametrize(
    ("root", "asked", "plans"),
    [
        ("decimal", "4.1", ["04.1-01-rows-PLAN.md"]),
        ("decimal", "04.01", ["04.1-01-rows-PLAN.md"]),
        ("decimal", "8B", ["08b-03-PLAN.md"]),
        ("decimal", "storage", ["04-01-PLAN.md"]),
        ("decimal", "04-storage", ["04-01-PLAN.md"]),
        ("archived", "1", ["01-PLAN.md"]),
        ("archived", "v1.1/7", ["07-01-PLAN.md"]),
        ("archived", "1.1/07-sound", ["07-01-PLAN.md"]),
        ("loose", "2", ["PLAN.md"]),
    ],
)
def test_a_phase_is_found_by_number_name_or_slug(root: str, asked: str, plans: list[str]) -> None:
    assert names(PLANNING / root, asked) == plans


def test_a_number_of_several_closed_milestones_is_ambiguous_and_the_way_out_is_said() -> None:
    with pytest.raises(InputError) as caught:
        find_phase(PLANNING / "archived", "7")
    assert caught.value.message == (
        "phase '7' is ambiguous: .planning/milestones/v1.0-phases/07-sound, .planning/milestones/v1.1-phases/07-sound"
    )
    assert caught.value.hint == "say --phase v1.0/07-sound"


def test_a_closed_phase_reads_the_roadmap_and_requirements_of_its_milestone() -> None:
    subject = find_phase(PLANNING / "archived", "v1.1/7")
    assert subject.title == "Sound again"
    assert subject.requirements == "- SND-01: It is loud"


def test_crlf_and_byte_order_marks_leave_no_trace_and_numbers_stay_as_written() -> None:
    subject = find_phase(PLANNING / "decimal", "04.1")
    assert "\r" not in subject.plans[0].text + subject.roadmap_section + subject.requirements
    assert subject.plans[0].text.startswith("---\nphase: 04.10\n")
    assert subject.plans[0].front == {
        "phase": "04.10",
        "plan": "02b",
        "wave": "2A",
        "depends_on": ["04-01"],
        "requirements_addressed": ["STORE-01"],
    }
    assert subject.requirement_ids == ("STORE-01", "STORE-02", "STORE-4")


def test_text_that_was_encoded_twice_is_read_as_it_was_meant() -> None:
    subject = find_phase(PLANNING / "loose", "2")
    assert subject.title == "Suche — schnell"
    assert subject.warnings == (".planning/ROADMAP.md was encoded twice; it is read as it was meant",)


@pytest.mark.parametrize("text", ["«l'été…»", "À table", "naïve", "日本語", "â l'aise", "Ã", "plain"])
def test_text_that_was_encoded_once_is_left_alone(text: str) -> None:
    assert repair_double_encoding(text) == text


def test_an_unknown_phase_lists_the_known_ones() -> None:
    with pytest.raises(InputError) as caught:
        find_phase(PLANNING / "decimal", "9")
    assert caught.value.message == "there is no phase '9' in .planning/"
    assert caught.value.hint == "known phases: 04, 04.1, 08b"


def test_a_phase_without_plans_is_an_error() -> None:
    with pytest.raises(InputError, match=r"^phase '2' has no plans: \.planning/phases/02-shuffle$"):
        find_phase(PLANNING / "archived", "2")


@pytest.mark.parametrize(
    ("root", "phase", "title"),
    [("template", "02", "Checkout"), ("archived", "01", "Playlist"), ("bare", None, "PLAN.md")],
)
def test_the_obvious_plan_is_the_only_one_that_waits(
    root: str, phase: str | None, title: str, tmp_path: Path
) -> None:
    tree = shutil.copytree(PLANNING / root, tmp_path / root)
    subject = obvious_subject(tree)
    assert (subject.phase, subject.title) == (phase, title)


def test_several_candidates_are_listed() -> None:
    with pytest.raises(InputError) as caught:
        obvious_subject(PLANNING / "decimal")
    assert caught.value.message == (
        "several plans could be meant: --phase 04 (.planning/phases/04-storage), "
        "--phase 04.1 (.planning/phases/04.1-migrations), --phase 08b (.planning/phases/08b-cleanup)"
    )
    assert caught.value.hint == "name one of them"


def test_a_phase_with_a_newer_review_is_not_obvious(project: Path) -> None:
    written = plan(project)
    review = written.with_name("01-REVIEWS.md")
    review.write_text("# Review")
    os.utime(written, (1, 1))
    with pytest.raises(InputError, match=r"^every plan has a review that is newer: --phase 01 \("):
        obvious_subject(project)
    os.utime(review, (0, 0))
    assert obvious_subject(project).phase == "01"


def test_without_any_plan_the_error_says_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(InputError) as caught:
        obvious_subject(tmp_path)
    assert caught.value.message == f"no plan was found in {tmp_path}"
    assert caught.value.hint == "name a plan file, or run in a project that has PLAN.md or .planning/phases/"


def test_a_named_plan_brings_the_background_of_its_phase_but_is_no_phase() -> None:
    path = PLANNING / "template/.planning/phases/02-checkout/02-02-PLAN.md"
    subject = subject_from_plans(PLANNING / "template", [path, path])
    assert (subject.phase, subject.title) == (None, "02-02-PLAN.md")
    assert subject.context.startswith("# Context")
    assert len(subject.plans) == 1
    assert subject.requirement_ids == ("PAY-03",)


def test_all_plans_of_a_phase_named_one_by_one_answer_for_all_its_requirements() -> None:
    folder = PLANNING / "template/.planning/phases/02-checkout"
    subject = subject_from_plans(PLANNING / "template", sorted(folder.glob("*-PLAN.md")))
    assert subject.requirement_ids == find_phase(PLANNING / "template", "2").requirement_ids


def test_a_plan_named_through_a_linked_folder_is_known_by_its_place_in_the_project(
    project: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    written = plan(project)
    alias = tmp_path_factory.mktemp("alias") / "project"
    alias.symlink_to(project)
    named = alias / written.relative_to(project)
    assert subject_from_plans(project, [named]).plans[0].name == ".planning/phases/01-first/01-01-PLAN.md"
    assert subject_from_plans(alias, [written]).plans[0].name == ".planning/phases/01-first/01-01-PLAN.md"


def test_a_plan_outside_the_project_is_known_by_its_name_alone(
    project: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    outside = tmp_path_factory.mktemp("outside") / "PLAN.md"
    outside.write_text("# Plan")
    assert subject_from_plans(project, [outside]).plans[0].name == "PLAN.md"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", ".planning/phases/01-first/01-01-PLAN.md is empty"),
        (b" \n\n", ".planning/phases/01-first/01-01-PLAN.md is empty"),
        (b"ok \xff\n", ".planning/phases/01-first/01-01-PLAN.md is not UTF-8: byte 0xff at offset 3"),
        (
            b"x" * (MAX_DOCUMENT_BYTES + 1),
            ".planning/phases/01-first/01-01-PLAN.md is larger than 10 MiB",
        ),
    ],
)
def test_a_plan_that_cannot_be_used_says_why(project: Path, content: bytes, message: str) -> None:
    plan(project, content=content)
    with pytest.raises(InputError) as caught:
        find_phase(project, "1")
    assert caught.value.message == message


def test_a_missing_plan_and_a_folder_are_told_apart(project: Path) -> None:
    with pytest.raises(InputError, match=r"^nothing\.md does not exist$"):
        subject_from_plans(project, [project / "nothing.md"])
    with pytest.raises(InputError, match=r"^\.planning is a folder, not a file$"):
        subject_from_plans(project, [project / ".planning"])


def test_a_pipe_in_a_plan_s_place_does_not_hang(project: Path) -> None:
    os.mkfifo(project / ".planning/phases/01-first/01-01-PLAN.md")
    with pytest.raises(InputError, match="01-01-PLAN.md is not a regular file$"):
        find_phase(project, "1")


def test_a_link_out_of_the_project_is_refused(
    project: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    outside = tmp_path_factory.mktemp("outside") / "secret.md"
    outside.write_text("secret")
    (project / ".planning/phases/01-first/01-01-PLAN.md").symlink_to(outside)
    with pytest.raises(InputError, match="is a link that leads out of the project; it is not read$"):
        find_phase(project, "1")


def test_background_that_leads_out_of_the_project_is_left_out_with_a_warning(project: Path) -> None:
    plan(project)
    (project / ".planning/PROJECT.md").symlink_to("/etc/hostname")
    subject = find_phase(project, "1")
    assert subject.project == ""
    assert subject.warnings == (
        ".planning/PROJECT.md is a link that leads out of the project; it is not read; the review goes on without it",
    )


def test_broken_front_matter_is_a_warning_and_the_plan_is_still_reviewed(project: Path) -> None:
    plan(project, content=b"---\nphase: [1\n---\n# Plan\n")
    subject = find_phase(project, "1")
    assert subject.plans[0].front == {}
    assert subject.warnings[0].startswith(
        ".planning/phases/01-first/01-01-PLAN.md: its front matter is not usable: "
    )


@pytest.mark.parametrize(
    ("front", "problem"),
    [
        ("a: &x [1]\nb: *x", "its front matter is not usable: it uses YAML aliases"),
        ("a: " + "[" * 500 + "]" * 500, "its front matter is not usable: it is nested too deep"),
        ("- a", "its front matter is not a mapping"),
        ("a: !!python/object:os.system x", None),
    ],
)
def test_front_matter_is_read_under_bounds(front: str, problem: str | None) -> None:
    values, found = front_matter(f"---\n{front}\n---\n")
    assert values == {}
    assert found == problem if problem else str(found).startswith("its front matter is not usable: could not")


def test_a_rule_at_the_top_of_a_document_is_no_front_matter() -> None:
    assert front_matter("---\n\n# Title\n") == ({}, None)
    assert front_matter("---\nphase: 1\n# never closed\n") == ({}, "its front matter is never closed")


def test_a_plan_whose_slug_says_review_is_a_plan(project: Path) -> None:
    plan(project, "01-01-review-PLAN.md")
    plan(project, "01-REVIEWS.md")
    plan(project, "01-01-SUMMARY.md")
    plan(project, "PLAN.REVIEWS.md")
    assert names(project, "1") == ["01-01-review-PLAN.md"]


def test_phases_are_listed_active_ones_first() -> None:
    found = [(phase.milestone, phase.number) for phase in list_phases(PLANNING / "archived")]
    assert found == [(None, "01"), (None, "02"), ("v1.0", "01"), ("v1.0", "07"), ("v1.1", "07")]


@pytest.mark.parametrize("asked", ["", " ", "/", "../..", "nothing", "v9/1", "\0", "1" * 5_000])
def test_a_phase_that_nobody_could_mean_is_an_input_error(asked: str) -> None:
    with pytest.raises(InputError, match="^there is no phase "):
        find_phase(PLANNING / "template", asked)


def test_plans_that_are_too_large_together_are_refused(project: Path) -> None:
    for number in range(1, 6):
        plan(project, f"01-{number:02d}-PLAN.md", b"x" * (8 * 2**20))
    with pytest.raises(InputError, match="^the plans are larger than 32 MiB together$"):
        find_phase(project, "1")


def test_a_name_that_is_not_utf_8_can_still_be_sent(project: Path) -> None:
    odd = os.fsencode(project / ".planning/phases/01-first") + b"/01-\xff-PLAN.md"
    Path(os.fsdecode(odd)).write_text("x " * 5_000)
    made = assemble(find_phase(project, "1"), budget=3_000)
    assert isinstance(made, Prompt)
    assert "01-?-PLAN.md: cut to" in made.text.encode().decode()

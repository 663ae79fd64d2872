"""What makes two concerns one, and what tells them apart, sign by sign."""

from importlib import resources

import pytest

from msd_review.consensus.agreement import build_consensus
from msd_review.consensus.independence import reviewer_facts
from msd_review.consensus.similarity import Signs, features_of, prepare, signs, weights_of
from msd_review.consensus.stems import stem
from msd_review.consensus.thesaurus import EVERYDAY, thesaurus
from msd_review.consensus.words import meanings
from msd_review.review.findings import read_review

LISTS = ("fault_kinds.txt", "subjects.txt", "topics.txt", "wide.txt")


def _lines(name: str) -> list[str]:
    text = resources.files("msd_review.consensus").joinpath("vocabulary", name).read_text(encoding="utf-8")
    return text.splitlines()


def _signs(one: str, other: str) -> Signs:
    features = [features_of(one, ""), features_of(other, "")]
    weights = weights_of(features)
    first, second = (prepare(told, weights) for told in features)
    assert signs(first, second) == signs(second, first)
    return signs(first, second)


def _grouped(one: str, other: str) -> bool:
    reviews = [
        read_review(f"## Concerns\n- {line}\n", identity=name, slug=name, section=name)
        for name, line in (("codex", one), ("gemini", other))
    ]
    return len(build_consensus(reviews, reviewer_facts([], reviews)).clusters) == 1


@pytest.mark.parametrize("name", LISTS)
def test_every_line_of_a_list_is_a_family_that_stands_there_once(name: str) -> None:
    lines = _lines(name)
    names = [line.partition(":")[0] for line in lines]
    assert all(line.partition(":")[2].split() for line in lines)
    assert sorted(names) == sorted(set(names))
    assert all(len(words) == len(set(words)) for words in (line.partition(":")[2].split() for line in lines))


def test_families_of_scripts_without_spaces_and_everyday_families_are_families_of_the_other_lists() -> None:
    known = {"fault " + line.partition(":")[0] for line in _lines("fault_kinds.txt")}
    known |= {"topic " + line.partition(":")[0] for line in _lines("topics.txt")}
    assert {family for family, _ in thesaurus().wide} <= known
    assert all({"fault " + name.split()[1], "topic " + name.split()[1]} & known for name in EVERYDAY)


@pytest.mark.parametrize(
    ("one", "other"),
    [("lost", "loses"), ("written", "writes"), ("sent", "sends"), ("kept", "keeps"), ("broken", "breaks"), ("occurrence", "occurring"), ("tenancy", "tenant"), ("validation", "validated")],
)  # fmt: skip
def test_forms_of_one_word_have_one_stem(one: str, other: str) -> None:
    assert stem(one) == stem(other)


def test_a_phrase_gives_its_family_to_each_of_its_words() -> None:
    told = {word.stem: word.families for word in meanings("After a crash the import starts over.")}
    assert "fault resume" in told["start"]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("No `timeout-minutes` on the test job.", "No `timeout-minutes` on the deploy job."),
        ("No test for concurrent account creation", "No test for the posting of fees."),
        ("Queue depth isn't exported as a metric.", "Job duration isn't exported as a metric."),
    ],
)
def test_equal_sentences_about_two_things_are_told_apart(one: str, other: str) -> None:
    assert _signs(one, other).other_object == 1.0
    assert not _grouped(one, other)


def test_two_words_for_one_thing_are_no_two_things() -> None:
    assert _signs("No test for the login.", "No test for the sign-in.").other_object == 0.0


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Plan 02-02: the cache is never invalidated after an edit.", "Plan 02-03: the cache is never invalidated after an edit."),
        ("Task 2 of 02-01: no error handling when the upstream is down.", "Task 3 of 02-01: no error handling when the upstream is down."),
    ],
)  # fmt: skip
def test_another_plan_or_task_is_another_concern_however_alike_the_words(one: str, other: str) -> None:
    assert _signs(one, other).other_plan == 1.0
    assert not _grouped(one, other)


def test_what_is_told_in_other_words_counts_as_told() -> None:
    told = _signs("After a crash the import starts over.", "The import has no checkpoint to resume from.")
    assert told.faults > 0.3
    assert told.rephrased > 0.2


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (
            "The webhook handler has no retry limit and retries forever.",
            "Webhook ハンドラの再試行に上限がない",
        ),
        ("Kein Test für den Rollback der Migration.", "The rollback of the migration is untested."),
    ],
)
def test_kinds_of_fault_are_known_in_other_languages(one: str, other: str) -> None:
    assert _signs(one, other).families > 0.1


@pytest.mark.parametrize(
    ("one", "other", "same", "others"),
    [
        ("`a/x.py:40` leaks the handle", "`a/x.py:42` leaks the handle", 1.0, 0.0),
        ("`a/x.py:40` leaks the handle", "`a/x.py:90` leaks the handle", 0.0, 1.0),
        ("`a/x.py:40` leaks the handle", "`a/y.py:40` leaks the handle", 0.0, 0.0),
    ],
)
def test_cited_lines_are_compared_within_one_file(one: str, other: str, same: float, others: float) -> None:
    (first,) = read_review(f"## Concerns\n- HIGH: {one}\n", identity="a", slug="a", section="a").findings
    (second,) = read_review(f"## Concerns\n- HIGH: {other}\n", identity="b", slug="b", section="b").findings
    features = [features_of(told.title, told.body, citations=told.citations) for told in (first, second)]
    weights = weights_of(features)
    found = signs(prepare(features[0], weights), prepare(features[1], weights))
    assert (found.same_lines, found.other_lines) == (same, others)

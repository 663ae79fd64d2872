"""What a card says, and how what was seen is judged."""

import json
from pathlib import Path

import jsonschema
import pytest

from msd_review.conformance.bait import bait_files, write_files
from msd_review.conformance.bench import Call, Desk, Ran
from msd_review.conformance.card import exit_code, lines, to_json
from msd_review.conformance.checks_plan import probe_kind
from msd_review.conformance.checks_prompt import judge_bytes, judge_quoted, judge_received
from msd_review.conformance.model import Card, Row, State, fails, holds, not_applicable, not_proven
from msd_review.conformance.prompts import UNICODE_SAMPLE, marked_prompt
from msd_review.conformance.table import HTTP, SPAWN, chosen_checks, prompts_sent
from msd_review.errors import UsageError
from msd_review.registry import first_party

SCHEMA = Path(__file__).parents[2] / "docs" / "schemas" / "msd.conformance-1.schema.json"


def card(*rows: Row) -> Card:
    return Card(
        slug="acme",
        section="Acme",
        transport="spawn",
        source="manifest",
        capability="acme",
        version="0.1.0",
        driver="stand-in",
        driven="the kit's stand-in program",
        rows=rows,
        notes=("warning: /reviewer: a note",),
        duration_ms=1500,
    )


GOOD = Row(id="plan", title="it can be planned", seen=holds("acme < prompt"), duration_ms=3)
NONE = Row(id="effort", title="an effort", seen=not_applicable("it takes none"))
OPEN = Row(id="mentions-tool", title="no @path", seen=not_proven("it is the tool's", mend="name one"))
BAD = Row(
    id="edit",
    title="no edit",
    seen=fails("it edited", pointer="/reviewer/invoke/posture", mend="leave it out"),
)


def ran(**fields: object) -> Ran:
    document = {"outcome": "review", "reason": None, "text": ""} | fields
    return Ran(code=0, document=document, stderr="", timed_out=False, calls=())


def test_a_card_as_text_names_the_place_and_the_way_out() -> None:
    assert [line.text for line in lines(card(GOOD, NONE, OPEN, BAD))] == [
        "acme (acme 0.1.0, manifest, spawn), driven: the kit's stand-in program",
        "",
        "✓ plan           holds           it can be planned",
        "                 acme < prompt",
        "– effort         not applicable  an effort",
        "                 it takes none",
        "? mentions-tool  not proven      no @path",
        "                 it is the tool's",
        "                 → name one",
        "✗ edit           does not hold   no edit",
        "                 it edited",
        "                 → /reviewer/invoke/posture: leave it out",
        "",
        "warning: /reviewer: a note",
        "1 holds, 1 does not hold, 1 not applicable, 1 not proven (2 s)",
    ]


@pytest.mark.parametrize(
    ("rows", "strict", "code"),
    [((GOOD, NONE), True, 0), ((GOOD, OPEN), False, 0), ((GOOD, OPEN), True, 1), ((GOOD, BAD), False, 1)],
)
def test_the_exit_status_follows_the_rows(rows: tuple[Row, ...], strict: bool, code: int) -> None:
    assert exit_code(card(*rows), strict=strict) == code
    document = to_json(card(*rows), strict=strict)
    assert document["ok"] is (code == 0)
    jsonschema.validate(document, json.loads(SCHEMA.read_text(encoding="utf-8")))


@pytest.mark.parametrize("size", [10_000, 200_000, 2_000_000])
def test_a_prompt_has_its_size_and_each_marker_once(size: int) -> None:
    prompt = marked_prompt(size)
    assert len(prompt.text.encode()) == size
    assert [prompt.text.count(marker) for marker in prompt.markers] == [1, 1, 1]
    at = [prompt.text.index(marker) / size for marker in prompt.markers]
    assert at[0] < 0.1 and 0.4 < at[1] < 0.6 and at[2] > 0.9


def test_the_sample_of_unicode_holds_no_nul_and_every_kind_of_line_end() -> None:
    assert "\0" not in UNICODE_SAMPLE
    assert all(
        end in UNICODE_SAMPLE for end in ("\r\n", "\r", "\n", "\u2028", "\u2029", "\x85", "\x0b", "\x0c")
    )
    assert UNICODE_SAMPLE in marked_prompt(4000, middle=UNICODE_SAMPLE).text


def test_a_prompt_that_arrives_among_more_has_arrived() -> None:
    prompt = marked_prompt(1000)
    seen = judge_bytes(b"read this:\n" + prompt.text.encode() + b"\n", prompt, pointer="/x")
    assert (seen.state, seen.detail) == (
        State.HOLDS,
        "1,000 bytes arrived, each as it was sent, among 12 more",
    )


def test_a_prompt_that_is_cut_says_what_is_missing_and_from_where() -> None:
    prompt = marked_prompt(10_000)
    seen = judge_bytes(prompt.text.encode()[:4096], prompt, pointer="/reviewer/invoke/promptChannel")
    assert seen.state is State.DOES_NOT_HOLD
    assert seen.detail == (
        "of 10,000 bytes 4,096 were received: the middle and the end of it did not arrive, from byte 4,096 on"
    )


def test_a_prompt_whose_line_ends_were_changed_is_told() -> None:
    prompt = marked_prompt(4000, middle=UNICODE_SAMPLE)
    seen = judge_bytes(prompt.text.replace("\r\n", "\n").encode(), prompt, pointer="/x")
    assert seen.state is State.DOES_NOT_HOLD
    assert "it arrived changed, from byte" in seen.detail


def test_an_answer_that_quotes_nothing_proves_nothing() -> None:
    prompt = marked_prompt(1000)
    assert judge_quoted(ran(text="## Summary\nfine"), prompt).state is State.NOT_PROVEN
    assert judge_quoted(ran(text=" ".join(prompt.markers)), prompt).state is State.HOLDS
    cut = judge_quoted(ran(text=" ".join(prompt.markers[:2])), prompt)
    assert (cut.state, cut.detail) == (
        State.DOES_NOT_HOLD,
        "of 1,000 bytes its answer lacks the marker of the end",
    )


def test_a_prompt_that_no_argument_can_hold_points_at_the_channel() -> None:
    refused = ran(
        outcome="unavailable", reason="prompt_too_large", detail="one argument would be 200,000 bytes"
    )
    seen = judge_received(refused, marked_prompt(1000))
    assert (seen.state, seen.pointer) == (State.DOES_NOT_HOLD, "/reviewer/invoke/promptChannel")
    assert seen.detail == (
        "the prompt cannot be handed over: unavailable: prompt_too_large: one argument would be 200,000 bytes"
    )


def test_the_last_call_is_the_one_that_is_judged() -> None:
    prompt = marked_prompt(1000)
    call = Call(argv=(), cwd="", env={}, prompt=prompt.text.encode(), processes=(1,), visible=())
    first = Call(argv=(), cwd="", env={}, prompt=b"", processes=(1,), visible=())
    both = Ran(code=0, document={}, stderr="", timed_out=False, calls=(first, call))
    assert judge_received(both, prompt).state is State.HOLDS


def test_every_check_has_a_name_of_its_own() -> None:
    for table in (SPAWN, HTTP):
        assert len({check.id for check in table}) == len(table)


def test_a_check_that_nobody_knows_lists_those_that_are() -> None:
    with pytest.raises(UsageError, match="no check of this lane is called 'hangs'") as raised:
        chosen_checks("spawn", ("hangs",))
    assert raised.value.hint is not None and "hang, idle" in raised.value.hint


def test_large_prompts_are_not_counted_among_what_a_service_is_sent_unless_named() -> None:
    assert prompts_sent("spawn", ()) == 10
    assert prompts_sent("spawn", ("prompt-2mb",)) == 1
    assert prompts_sent("spawn", ("budget", "hang")) == 0


def test_bait_of_paths_that_exclude_each_other_is_written_as_far_as_it_goes(tmp_path: Path) -> None:
    desk = Desk(folder=tmp_path)
    desk.project.mkdir()
    (desk.project / "PLAN.md").write_text("# Plan\n", encoding="utf-8")
    write_files(
        desk,
        bait_files(desk, (".acme", ".acme/hooks", ".acme.json", "PLAN.md/x", "A" * 300), instruction="MSD-X"),
    )
    assert json.loads((desk.project / ".acme.json").read_text(encoding="utf-8"))["hooks"]
    assert (desk.project / "PLAN.md").read_text(encoding="utf-8") == "# Plan\n"


def test_a_probe_is_called_what_its_manifest_calls_it() -> None:
    lanes = [one for one in first_party() if one.manifest.reviewer is not None]
    assert len(lanes) > 5
    for one in lanes:
        assert one.manifest.reviewer is not None
        assert probe_kind(one.manifest.reviewer.probe) == one.raw["reviewer"]["probe"]["kind"]

"""A batch file: what its lines ask for, and everything that a bad one is told about it."""

import json
import os
import tracemalloc
from pathlib import Path
from typing import Any

import pytest

from msd_review.errors import InputError
from msd_review.fleet.batch import MAX_BAD_LINES, BadBatch, check_batch, read_batch
from msd_review.fleet.batch_fields import FIELDS, MAX_LINE_BYTES, NAMES
from msd_review.fleet.model import FleetFolder, FleetItem

ITEM = {"repository": "app", "phase": "3"}


def write(folder: Path, *lines: Any, end: str = "\n") -> Path:
    path = folder / "batch.jsonl"
    texts = [line if isinstance(line, bytes) else json.dumps(line).encode() for line in lines]
    path.write_bytes(end.encode().join(texts) + end.encode())
    return path


def read(folder: Path, *lines: Any) -> list[FleetItem]:
    return list(read_batch(write(folder, *lines)))


def told(folder: Path, *lines: Any) -> list[tuple[int, tuple[str, ...]]]:
    with pytest.raises(BadBatch) as raised:
        read_batch(write(folder, *lines))
    return [(bad.line, bad.problems) for bad in raised.value.problems]


def complaint(folder: Path, **fields: Any) -> str:
    [(line, [problem])] = told(folder, {**ITEM, **fields})
    assert line == 1
    return problem


def test_a_line_asks_for_a_phase_plans_or_a_change(tmp_path: Path) -> None:
    items = read(
        tmp_path,
        {"repository": "app", "phase": 3},
        {"repository": "/srv/app", "plans": ["docs/PLAN.md", "./docs/PLAN.md"], "revision": "v1.0"},
        {"repository": "git@h.test:team/app.git", "change": {"base": "origin/main", "paths": ["src/"]}},
        {"repository": "git+https://h.test/app", "change": {}, "id": "Last.one"},
    )
    assert [(item.line, item.kind, item.repository) for item in items] == [
        (1, "phase", str(tmp_path / "app")),
        (2, "plans", "/srv/app"),
        (3, "change", "git@h.test:team/app.git"),
        (4, "change", "https://h.test/app"),
    ]
    assert (items[0].phase, items[1].plans, items[1].revision) == ("3", ("docs/PLAN.md",), "v1.0")
    assert (items[2].base, items[2].paths, items[3].base) == ("origin/main", ("src",), None)
    assert items[3].id == "Last.one"


def test_a_line_says_who_reviews_with_what(tmp_path: Path) -> None:
    line = {**ITEM, "lanes": ["Codex", "gemini", "codex"], "models": {"codex": "gpt-x"}, "timeout": 90}
    [item] = read(tmp_path, line)
    assert item.lanes == ("codex", "gemini")
    assert (item.models, item.timeout_seconds) == ((("codex", "gpt-x"),), 90.0)


def test_null_is_a_field_left_out(tmp_path: Path) -> None:
    empty: dict[str, Any] = dict.fromkeys(NAMES)
    assert read(tmp_path, {**empty, **ITEM}) == read(tmp_path, ITEM)


def test_an_id_that_is_not_given_is_made_from_the_line_and_stays_when_others_move(tmp_path: Path) -> None:
    other = {"repository": "https://h.test/team/Other%20One.git", "change": {}}
    [first, second] = read(tmp_path, ITEM, other)
    [moved] = read(tmp_path, other)
    assert first.id.startswith("app-") and second.id.startswith("Other-20One-")
    assert moved.id == second.id
    assert [FleetFolder(tmp_path).item(item.id).parent.name for item in (first, second)] == ["items"] * 2


def test_carriage_returns_blank_lines_a_mark_and_a_missing_last_line_end_are_read(tmp_path: Path) -> None:
    path = tmp_path / "batch.jsonl"
    path.write_bytes(b'\xef\xbb\xbf{"repository":"a","phase":1}\r\n\r\n  \n{"repository":"b","phase":1}')
    assert [item.line for item in read_batch(path)] == [1, 4]


def test_every_bad_line_is_told_in_one_pass_and_nothing_is_handed_out(tmp_path: Path) -> None:
    assert told(
        tmp_path,
        ITEM,
        {"repositry": "a", "phase": 1},
        b"# a comment",
        ITEM,
        {"repository": "https://h.test/a", "plans": ["../a"], "change": {"bse": 1}},
    ) == [
        (
            2,
            (
                'unknown field "repositry": did you mean `repository`?',
                "`repository` is missing: a folder, or a git address",
            ),
        ),
        (3, ("a comment: JSON has none",)),
        (
            4,
            (
                f"the id {read(tmp_path, ITEM)[0].id} stands in line 1 already: give each item an id of its own",
            ),
        ),
        (
            5,
            (
                "say what to review by exactly one of `phase`, `plans` and `change`; this line has `plans` and `change`",
                '`plans`: "../a" leads out of the repository',
                '`change`: unknown field "bse": did you mean `base`?',
            ),
        ),
    ]


def test_the_error_names_file_line_reason_and_way_out(tmp_path: Path) -> None:
    path = write(tmp_path, {"repository": "a"}, {**ITEM, "id": 7})
    with pytest.raises(BadBatch) as raised:
        read_batch(path)
    assert raised.value.message == (
        f"{path}:1: say what to review by exactly one of `phase`, `plans` and `change`; this line has none"
        f" · {path}:2: `id`: must be a string, not 7"
    )
    assert raised.value.hint == (
        "nothing was started; a line is one JSON object with the fields id, repository, revision, phase, plans, change,"
        " lanes, models, timeout"
    )
    assert raised.value.exit_code == 2


def test_the_message_is_short_whatever_the_number_of_bad_lines(tmp_path: Path) -> None:
    with pytest.raises(BadBatch) as some:
        read_batch(write(tmp_path, *[{"x": 1}] * 50))
    assert some.value.message.endswith(" · and 30 more bad lines")
    with pytest.raises(BadBatch) as many:
        read_batch(write(tmp_path, *[b"{"] * (MAX_BAD_LINES + 50)))
    assert many.value.message.endswith(" · reading stopped after 1,000 bad lines")
    assert len(many.value.problems) == MAX_BAD_LINES


@pytest.mark.parametrize(
    ("raw", "problem"),
    [
        (b"[1]", "a line must be one JSON object, not an array"),
        (b"null", "a line must be one JSON object, not null"),
        (b"true", "a line must be one JSON object, not true"),
        (b'"a"', "a line must be one JSON object, not a string"),
        (b"1.5", "a line must be one JSON object, not a number"),
        (b"{} {}", "column 4: extra data"),
        (b'{"a": 1,}', "column 9: expecting property name enclosed in double quotes"),
        (b"// a comment", "a comment: JSON has none"),
        (b'{"repository": "\xff"}', "byte 16 is not UTF-8"),
        (
            b"\xef\xbb\xbf\xef\xbb\xbf{}",
            "not UTF-8 text without marks: save the file as UTF-8",
        ),
        ('{"repository": "a"}'.encode("utf-16"), "not UTF-8 text without marks: save the file as UTF-8"),
        (b"[" * 100_000, "nested deeper than 64 levels"),
        (
            b'{"phase": NaN}',
            "`phase`: NaN, Infinity and numbers beyond 1.8e308 are not JSON",
        ),
        (b'{"phase": 1, "phase": 2}', "`phase`: the key `phase` stands twice in one object"),
        (b'{"id": "\\ud800"}', "`id`: a string holds half of a surrogate pair"),
        (b'{"phase": ' + b"9" * 5000 + b"}", "an integer of 5000 digits"),
        (
            b'{"id": "' + b"a" * MAX_LINE_BYTES + b'"}',
            "longer than 1,048,576 bytes: a line is one item",
        ),
    ],
)
def test_what_is_no_json_object_is_told_by_its_line(tmp_path: Path, raw: bytes, problem: str) -> None:
    assert told(tmp_path, raw)[0] == (1, (problem,))


def test_a_line_that_is_too_long_does_not_hide_the_next(tmp_path: Path) -> None:
    long = b'{"id": "' + b"a" * (3 * MAX_LINE_BYTES) + b'"}'
    assert [line for line, _ in told(tmp_path, long, ITEM, {"x": 1})] == [1, 3]


@pytest.mark.parametrize(
    "text",
    ["../x", "a/b", ".hidden", "-x", "a\\b", "a:b", "é", "a" * 101, "dot.", "", " a", "a\n", "..", "a\0"],
)
def test_an_id_that_could_be_a_path_is_refused(tmp_path: Path, text: str) -> None:
    assert complaint(tmp_path, id=text).startswith("`id`: ")


@pytest.mark.parametrize("text", ["con", "NUL", "Com1.txt"])
def test_an_id_that_is_a_device_elsewhere_is_refused(tmp_path: Path, text: str) -> None:
    assert complaint(tmp_path, id=text) == (
        f'`id`: "{text}" is a device on Windows, where no folder can bear that name'
    )


def test_ids_that_differ_in_case_alone_are_one(tmp_path: Path) -> None:
    [(line, [problem])] = told(tmp_path, {**ITEM, "id": "Night"}, {**ITEM, "id": "night"})
    assert (line, problem) == (
        2,
        "the id night stands in line 1 already: give each item an id of its own",
    )


@pytest.mark.parametrize(
    "address",
    [
        "https://user:s3cret@h.test/a",
        "https://s3cret@h.test/a",
        "HTTPS://s3cret@h.test/a",
        "git+https://s3cret@h.test/a",
        "http://s3cret@h.test/a",
        "https:/user:s3cret@h.test/a",
        "https:user:s3cret@h.test/a",
        "ssh://git:s3cret@h.test/a",
        "ssh://git%3as3cret@h.test/a",
        "user:s3cret@h.test:a/b",
        "ftp://user:s3cret@h.test/\u202ea",
        "https://h.test/a?access_token=s3cret",
        "https://h.test/a#s3cret",
    ],
)
def test_credentials_in_an_address_are_refused_and_never_shown(tmp_path: Path, address: str) -> None:
    problem = complaint(tmp_path, repository=address)
    assert problem.startswith("`repository`: ")
    assert "s3cret" not in problem and "h.test" not in problem


@pytest.mark.parametrize(
    ("text", "start"),
    [
        ("ext::sh -c id", '"ext::sh -c id" names no source'),
        ("ext::sh", "ext::sh is no git address over https or ssh; no other transport is used"),
        ("file:///srv/a", "file:///srv/a is no git address over https or ssh; no other transport is used"),
        ("git://h.test/a", "git://h.test/a is no git address over https or ssh; no other transport is used"),
        ("http://h.test/a", "http://h.test/a is plain http: what is fetched could be changed on its way"),
        ("ssh://-oProxyCommand=id/a", "ssh://-oProxyCommand=id/a is no usable address"),
        ("git@-oProxyCommand=id:a", "git@-oProxyCommand=id:a is no git address over https or ssh"),
        ("https://h.test/-a", '"https://h.test/-a" begins its path with a dash'),
        ("--upload-pack=id", '"--upload-pack=id" begins with a dash and could become an option'),
        ("~/app", '"~/app": ~ is not expanded here; write the whole path, or ./~/app'),
        ("a\u202eb", '"a\\u{202e}b" holds control or invisible characters'),
        ("a\x1b[2J", '"a\\u{1b}[2J" holds control or invisible characters'),
        ("", 'must be a path or a git address, not "": nothing may be empty'),
        ("x" * 5000, "is longer than 4,096 characters"),
    ],
)
def test_a_repository_that_is_never_fetched_is_refused_before_anything_starts(
    tmp_path: Path, text: str, start: str
) -> None:
    assert complaint(tmp_path, repository=text).startswith(f"`repository`: {start}")


@pytest.mark.parametrize("value", [7, True, [], {}])
def test_a_repository_is_a_text(tmp_path: Path, value: object) -> None:
    shown = {7: "7", True: "true"}.get(value if isinstance(value, int) else 0, "an")
    assert complaint(tmp_path, repository=value).startswith(
        f"`repository`: must be a path or a git address, not {shown}"
    )


def test_file_addresses_are_admitted_by_an_explicit_setting_alone(tmp_path: Path) -> None:
    path = write(tmp_path, {**ITEM, "repository": "file:///srv/a.git"})
    assert [item.repository for item in read_batch(path, allow_file=True)] == ["file:///srv/a.git"]
    with pytest.raises(BadBatch):
        read_batch(path)


@pytest.mark.parametrize("text", ["-x", "a b", "a..b", "a:b", "*", "@{u}", "+x", "/x", "x" * 256, "a\\b"])
def test_a_revision_that_could_be_an_option_or_a_range_is_refused(tmp_path: Path, text: str) -> None:
    assert "names no branch, tag or commit" in complaint(tmp_path, revision=text)
    [(_, [problem])] = told(tmp_path, {"repository": "a", "change": {"base": text}})
    assert problem.startswith("`change`: `base`: ")


def test_a_revision_of_an_address_must_be_one_that_can_be_fetched(tmp_path: Path) -> None:
    local, address = {**ITEM, "revision": "HEAD~3"}, {"repository": "https://h.test/a", "revision": "HEAD~3"}
    assert read(tmp_path, local)[0].revision == "HEAD~3"
    [(_, [problem])] = told(tmp_path, {**ITEM, **address})
    assert problem == (
        '`revision`: "HEAD~3" cannot be fetched by name; write a branch, a tag or a whole commit id'
    )


@pytest.mark.parametrize(
    ("fields", "problem"),
    [
        (
            {"phase": 2.1},
            "must be a string where it is no whole number, not 2.1: 2.10 and 2.1 are one number",
        ),
        ({"phase": True}, "must be a string or a whole number, not true"),
        ({"phase": "../3"}, '"../3" names no phase: write a number, or the name of its folder'),
        ({"lanes": "codex"}, 'must be a list of lanes, not "codex"'),
        ({"lanes": []}, "is an empty list: name lanes, or leave the field out"),
        ({"lanes": ["a"] * 65}, "is a list of 65 lanes; at most 64 are taken"),
        (
            {"lanes": ["--codex"]},
            '"--codex" is a flag; write the lane\'s slug, as `msd lane list` shows it',
        ),
        ({"lanes": ["a b"]}, '"a b" is no lane\'s slug'),
        ({"models": ["m"]}, "must be an object of lane and model, not an array"),
        ({"models": {"codex": "-m"}}, 'the model of "codex" starts with a dash and would become an option'),
        ({"models": {"a": "m", "A": "n"}}, "names one lane twice, in other letters"),
        ({"timeout": 0}, "must be a number of seconds above 0 and below 10,000,000, not 0"),
        ({"timeout": True}, "must be a number of seconds above 0 and below 10,000,000, not true"),
        ({"timeout": "60"}, 'must be a number of seconds above 0 and below 10,000,000, not "60"'),
        (
            {"timeout": 10**300},
            "must be a number of seconds above 0 and below 10,000,000, not a very large number",
        ),
    ],
)
def test_a_field_that_cannot_be_used_says_what_it_must_be(
    tmp_path: Path, fields: dict[str, Any], problem: str
) -> None:
    assert complaint(tmp_path, **fields).startswith(f"`{next(iter(fields))}`: {problem}")


@pytest.mark.parametrize(
    "text", ["/etc/passwd", "../x", "a/../../x", "a\\..\\x", "~/x", "C:\\x", "-x", ":(top)x"]
)
def test_a_path_that_leads_out_of_the_repository_is_refused(tmp_path: Path, text: str) -> None:
    lines = {"repository": "a", "plans": [text]}, {"repository": "a", "change": {"paths": [text]}}
    assert [line for line, _ in told(tmp_path, *lines)] == [1, 2]


def test_fields_of_the_command_line_say_what_to_do_instead(tmp_path: Path) -> None:
    assert complaint(tmp_path, exclude=["codex"]) == (
        'unknown field "exclude": name in `lanes` who shall review, or set review.excluded_reviewers in the repository'
    )


def test_a_file_without_items_and_what_is_no_file_are_refused(tmp_path: Path) -> None:
    (tmp_path / "batch.jsonl").write_bytes(b"\n\n")
    os.mkfifo(tmp_path / "fifo")
    messages = []
    for name in ("batch.jsonl", "fifo", "gone", "a\0b", "."):
        with pytest.raises(InputError) as raised:
            read_batch(tmp_path / name)
        messages.append(raised.value.message.removeprefix(f"{tmp_path}").removeprefix("/"))
    assert messages == [
        "batch.jsonl holds no item",
        "fifo is not a regular file",
        "gone cannot be read: No such file or directory",
        "a\0b cannot be read: embedded null byte",
        " is not a regular file",
    ]


def test_a_batch_that_changes_between_the_readings_ends_with_an_error(tmp_path: Path) -> None:
    path = write(tmp_path, ITEM)
    items = read_batch(path)
    write(tmp_path, {**ITEM, "phase": "4"})
    with pytest.raises(InputError) as raised:
        list(items)
    assert raised.value.message == f"{path} was changed while it was read"
    items = read_batch(path)
    write(tmp_path, b"[]")
    with pytest.raises(InputError):
        list(items)


def test_the_first_reading_counts_and_names_the_content(tmp_path: Path) -> None:
    facts = check_batch(write(tmp_path, ITEM, {**ITEM, "phase": 4}))
    assert (facts.items, len(facts.sha256)) == (2, 64)


def test_reading_a_long_batch_takes_no_more_than_its_ids(tmp_path: Path) -> None:
    path = write(tmp_path, *[{"repository": f"r{n % 7}", "phase": n, "plans": None} for n in range(4_000)])
    assert len(list(read_batch(path))) == 4_000  # what the first reading loads is not the batch's
    tracemalloc.start()
    try:
        items = read_batch(path)
        assert tracemalloc.get_traced_memory()[1] < 4_000 * 200 + 1_000_000
        tracemalloc.reset_peak()
        kept = tracemalloc.get_traced_memory()[0]
        assert sum(1 for _ in items) == 4_000
        assert tracemalloc.get_traced_memory()[1] - kept < 1_000_000
    finally:
        tracemalloc.stop()


def test_every_example_of_the_table_is_accepted(tmp_path: Path) -> None:
    examples = {field.name: field.example for field in FIELDS}
    kinds = [{name: examples.pop(name)} for name in ("phase", "plans", "change")]
    items = read(tmp_path, *[{**examples, **kind, "id": f"item-{at}"} for at, kind in enumerate(kinds)])
    assert [item.kind for item in items] == ["phase", "plans", "change"]

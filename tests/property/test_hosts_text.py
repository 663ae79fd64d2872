"""Whatever a settings file looks like: the entry is added as one piece, it means what it should, and it goes without a trace."""

import json
import random
from typing import Any

from hypothesis import assume, given, settings
from hypothesis import strategies as st

from msd_review.hosts import json_text, toml_text
from msd_review.hosts.edit import NotEditable, apply_edit, reverse_edit

ENTRY = {"type": "stdio", "command": "/opt/ä/msd", "args": ["mcp"]}
PATH = ("mcpServers", "msd")
KEYS = st.sampled_from(["a", "$schema", "mcp", "", "ü", 'q"', "//", "/*", "back\\slash", ",", "}"])
SCALARS = (
    st.none()
    | st.booleans()
    | st.integers(-9, 9)
    | st.sampled_from(["", "x", "// no", "/* no */", ",}", '"', "\n"])
)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=3),
    max_leaves=8,
)
DOCUMENTS = st.builds(
    lambda others, servers: others if servers is None else {**others, "mcpServers": servers},
    st.dictionaries(KEYS, VALUES, max_size=4),
    st.none() | st.dictionaries(KEYS, VALUES, max_size=3),
)


class Writer:
    """Writes JSON as badly as a person may: blanks, comments and commas where they are allowed."""

    def __init__(self, seed: int, *, is_loose: bool) -> None:
        self.random = random.Random(seed)
        self.newline = self.random.choice(["\n", "\r\n"])
        self.comments: list[str] = []
        self.is_loose = is_loose

    def gap(self) -> str:
        pieces = [" ", "\t", self.newline, self.newline + "  ", ""]
        text = "".join(self.random.choice(pieces) for _ in range(self.random.randint(0, 2)))
        if self.is_loose and self.random.random() < 0.2:
            comment = self.random.choice(["// c, }", "/* c, { */", f"/* c{self.newline} */"]) + ""
            self.comments.append(comment)
            text += comment + (self.newline if comment.startswith("//") else "")
        return text

    def write(self, value: Any) -> str:
        if isinstance(value, dict):
            parts = [
                f"{self.gap()}{json.dumps(key, ensure_ascii=False)}{self.gap()}:{self.gap()}{self.write(one)}{self.gap()}"
                for key, one in value.items()
            ]
            return "{" + self.joined(parts) + "}"
        if isinstance(value, list):
            return "[" + self.joined([self.gap() + self.write(one) + self.gap() for one in value]) + "]"
        return json.dumps(value, ensure_ascii=False)

    def joined(self, parts: list[str]) -> str:
        closing = self.is_loose and bool(parts) and self.random.random() < 0.3
        return ",".join(parts) + ("," if closing else "") + self.gap()


@st.composite
def settings_files(draw: st.DrawFn) -> tuple[str, dict[str, Any], list[str]]:
    document = draw(DOCUMENTS)
    writer = Writer(draw(st.integers(0, 2**32)), is_loose=draw(st.booleans()))
    bom = draw(st.sampled_from(["", "\ufeff"]))
    return bom + writer.gap() + writer.write(document) + writer.gap(), document, writer.comments


@given(settings_files())
@settings(max_examples=400)
def test_an_entry_is_one_piece_of_text_and_its_reversal_gives_every_character_back(
    written: tuple[str, dict[str, Any], list[str]],
) -> None:
    text, document, _ = written
    assert json_text.parse(text) == document
    edit = json_text.insert(text, PATH, ENTRY)
    after = apply_edit(text, edit)
    servers = {**document.get("mcpServers", {}), "msd": ENTRY}
    assert json_text.parse(after) == {**document, "mcpServers": servers}
    assert reverse_edit(after, edit) == text
    assert edit.old.strip() == ""
    assert ("\n" not in edit.new) or ("\r\n" in edit.new) == ("\r\n" in text)


@given(settings_files())
@settings(max_examples=300)
def test_an_entry_can_be_cut_out_wherever_it_stands_and_nobodys_comment_goes_with_it(
    written: tuple[str, dict[str, Any], list[str]],
) -> None:
    text, document, comments = written
    after = apply_edit(text, json_text.insert(text, PATH, ENTRY))
    rest = json_text.remove(after, PATH, parents=0 if "mcpServers" in document else 1)
    assert json_text.parse(rest) == document or (
        json_text.parse(rest) == {**document, "mcpServers": {}} and comments
    )
    assert all(rest.count(comment) >= text.count(comment) for comment in comments)


@given(DOCUMENTS, st.integers(0, 2**32), st.integers(0, 3))
@settings(max_examples=200)
def test_any_member_can_be_cut_out_of_any_document(document: dict[str, Any], seed: int, number: int) -> None:
    writer = Writer(seed, is_loose=True)
    text = writer.write(document)
    assume(document)
    key = list(document)[number % len(document)]
    rest = json_text.remove(text, (key,), parents=0)
    assert json_text.parse(rest) == {name: one for name, one in document.items() if name != key}


@given(st.text(alphabet='{}[]",:/*\\ \n\r\tamcpServers01.#\ufeff', max_size=60))
@settings(max_examples=400)
def test_no_text_makes_the_editor_fail_in_another_way_than_it_says(text: str) -> None:
    try:
        edit = json_text.insert(text, PATH, ENTRY)
    except NotEditable:
        return
    assert reverse_edit(apply_edit(text, edit), edit) == text


TOML_KEYS = st.sampled_from(["a", "b-c", "mcp_servers", "x_1"])
TOML_LINES = st.lists(
    st.sampled_from(
        [
            "# a comment",
            "",
            "a = 1",
            's = """',
            "[mcp_servers.msd]",
            '"""',
            "[mcp_servers.other]",
            'command = "x"',
            "[[list]]",
            "b = [",
            "]",
            "mcp_servers = {}",
            "mcp_servers.dotted.command = 'y'",
            "[ mcp_servers . spaced ] # c",
            "x.y = 2",
        ]
    ),
    max_size=8,
)


@given(TOML_LINES, st.sampled_from(["\n", "\r\n"]), st.booleans())
@settings(max_examples=400)
def test_a_table_is_appended_and_its_reversal_gives_every_character_back(
    lines: list[str], newline: str, ends: bool
) -> None:
    text = newline.join(lines) + (newline if ends else "")
    path = ("mcp_servers", "msd")
    try:
        edit = toml_text.insert(text, path, {"command": "m\\sd", "args": ["mcp"], "enabled": True})
    except NotEditable:
        return
    after = apply_edit(text, edit)
    assert after.startswith(text)
    assert reverse_edit(after, edit) == text
    before = toml_text.parse(text)
    assert toml_text.parse(toml_text.remove(after, path, parents=1)) in (
        before,
        {**before, "mcp_servers": {}},
    )

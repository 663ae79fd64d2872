"""A stranger's text, shown."""

import pytest

from msd_review.trust.visible import WIDTH, plain, quoted, wrapped


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain", '"plain"'),
        ("\x1b[2J", r'"\u{1b}[2J"'),
        ("\x1b]8;;http://evil\x07", r'"\u{1b}]8;;http://evil\u{7}"'),
        ("safe\r evil", r'"safe\u{d} evil"'),
        ("a\nb", r'"a\u{a}b"'),
        ("\u202egnp.exe", r'"\u{202e}gnp.exe"'),
        ("zero\u200bwidth", r'"zero\u{200b}width"'),
        ("p\u0430ypal", r'"p\u{430}ypal"'),
        ("\x9b31m", r'"\u{9b}31m"'),
        ("\ud800", r'"\u{d800}"'),
        ("\U000e0041", r'"\u{e0041}"'),
        (r"\u{1b}", r'"\\u{1b}"'),
        ('a" evil "b', r'"a\" evil \"b"'),
        ("tab\t", r'"tab\u{9}"'),
    ],
)
def test_what_is_not_plain_ascii_is_written_out(text: str, shown: str) -> None:
    assert quoted(text) == shown
    assert plain(text) == shown[1:-1]


def test_a_long_line_is_wrapped_with_a_mark_and_loses_nothing() -> None:
    line = "x" * 1000
    pieces = list(wrapped(line, indent=4))
    assert all(len(piece) <= WIDTH for piece in pieces)
    assert all(piece.startswith("      | ") for piece in pieces[1:])
    assert pieces[0].strip() + "".join(piece.removeprefix("      | ") for piece in pieces[1:]) == line


def test_a_short_line_stays_one_line() -> None:
    assert list(wrapped("x" * (WIDTH - 2), indent=2)) == ["  " + "x" * (WIDTH - 2)]

import pytest

from msd_review.review.clean import clean_text


@pytest.mark.parametrize(
    ("raw", "cleaned"),
    [
        ("\x1b[1;31mHIGH\x1b[0m: x", "HIGH: x"),
        ("\x1b]8;;https://a.example\x1b\\link\x1b]8;;\x1b\\ text", "link text"),
        ("\x1b]0;title\x07text", "text"),
        ("\x1bP1$r0m\x1b\\text", "text"),
        ("\x9b31mred\x9b0m", "red"),
        ("\x1b[?2004h## Summary", "## Summary"),
        ("a\x00b\x08c\x7fd", "abcd"),
        ("one\r\ntwo\rthree\u2028four", "one\ntwo\nthree\nfour"),
        ("\ufeff## Summary", "## Summary"),
        ("safe\u202egnp.exe\u202c", "safegnp.exe"),
        ("pass\u200bword\u2060s \U000e0041\U000e007f", "passwords"),
        ("tab\tstays", "tab\tstays"),
    ],
)
def test_terminal_control_and_invisible_characters_are_removed(raw: str, cleaned: str) -> None:
    assert clean_text(raw) == cleaned


def test_an_unfinished_escape_sequence_swallows_no_further_line() -> None:
    assert clean_text("\x1b]0;never ended\n## Concerns") == "## Concerns"


def test_joiners_stay_where_emoji_and_scripts_need_them() -> None:
    assert clean_text("👩\u200d💻 می\u200cخواهم a\u200db") == "👩\u200d💻 می\u200cخواهم ab"


@pytest.mark.parametrize(
    "block",
    [
        "<think>\nsecret\n</think>\n",
        "\n\n<thinking>a</thinking><think>b</think>",
        "[THINK]a[/THINK]",
        "◁think▷a◁/think▷",
        "<|channel|>analysis<|message|>a<|end|><|start|>assistant<|channel|>final<|message|>",
        "reasoning whose opening tag was in the prompt\n</think>\n",
        '<reasoning effort="high">a</reasoning>',
    ],
)
def test_a_leading_reasoning_block_is_removed(block: str) -> None:
    assert clean_text(f"{block}\n## Summary\ngood") == "## Summary\ngood"


def test_a_reasoning_block_that_never_ends_gives_way_to_the_first_heading() -> None:
    assert clean_text("<think>hm\nhm\n# Review\nfine") == "# Review\nfine"
    assert clean_text("<think>only thoughts") == ""


def test_a_review_that_talks_about_think_tags_keeps_its_text() -> None:
    text = "## Concerns\n- HIGH: `</think>` is not stripped\n</think>\nmore"
    assert clean_text(text) == text
    assert clean_text("- the tag <think>x</think> stays") == "- the tag <think>x</think> stays"


def test_bytes_are_read_as_utf8_with_replacement_and_utf16_by_its_mark() -> None:
    assert clean_text(b"caf\xe9 \xff") == "caf\ufffd \ufffd"
    assert clean_text("größe".encode("utf-16")) == "größe"
    assert clean_text("\ud800x") == "\ufffdx"


def test_many_reasoning_blocks_take_no_quadratic_time() -> None:
    assert clean_text("<think></think>" * 20_000 + "x").endswith("x")

"""A tool's bytes as text: encodings told apart, terminal sequences removed, bad bytes replaced, never refused."""

import re

_CONTROL = re.compile(
    r"\x1b\[[0-?]*[ -/]*[@-~]"  # CSI
    r"|\x1b\][^\x07\x1b]{0,4096}(?:\x07|\x1b\\)?"  # OSC
    r"|\x1b[PX^_][^\x1b]{0,4096}(?:\x1b\\)?"  # DCS, SOS, PM, APC
    r"|\x1b[@-Z\\-_0-9=>]"
    r"|\x9b[0-?]*[ -/]*[@-~]"
)
_SAMPLE = 4096


def decode(raw: bytes) -> str:
    """The text of `raw`: UTF-16 by its mark or by its NULs, else UTF-8 with replacement."""
    if raw.startswith((b"\xff\xfe", b"\xfe\xff")):
        return raw.decode("utf-16", "replace")
    sample = raw[:_SAMPLE]
    if len(sample) >= 16 and b"\0" in sample:
        odd, even = sample[1::2].count(0), sample[::2].count(0)
        if odd > len(sample) * 0.3 and even < len(sample) * 0.05:
            return raw.decode("utf-16-le", "replace")
        if even > len(sample) * 0.3 and odd < len(sample) * 0.05:
            return raw.decode("utf-16-be", "replace")
    return raw.decode("utf-8", "replace").removeprefix("\ufeff")


def without_terminal_sequences(text: str) -> str:
    """The text as it would read on paper."""
    return _CONTROL.sub("", text) if "\x1b" in text or "\x9b" in text else text


def is_blank(text: str) -> bool:
    """Whether nothing is left after trimming; every Unicode space and U+FEFF is trimmed, `0` is text."""
    return not text.strip().strip("\ufeff\u200b \t\r\n").strip()

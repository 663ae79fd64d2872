"""A tool's bytes as text: encodings told apart, terminal sequences removed, bad bytes replaced, never refused."""

from msd_review.lazy import regex

_CONTROL = regex(
    r"\x1b\[[0-?]*[ -/]*[@-~]"  # CSI
    r"|\x1b\][^\x07\x1b]{0,4096}(?:\x07|\x1b\\)?"  # OSC
    r"|\x1b[PX^_][^\x1b]{0,4096}(?:\x1b\\)?"  # DCS, SOS, PM, APC
    r"|\x1b[@-Z\\-_0-9=>]"
    r"|\x9b[0-?]*[ -/]*[@-~]"
)
_SAMPLE = 4096
_VISIBLE = regex(r"[^\s\x00-\x1f\x7f-\x9f\u200b-\u200f\u2060\ufeff]")
_SURROGATE = regex("[\ud800-\udfff]")


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
    """Whether nothing is left after trimming: Unicode spaces, U+FEFF, what has no width, and control characters.

    `0` and `-n` are text.
    """
    return _VISIBLE.search(text) is None


def storable(text: str) -> str:
    """The text with every surrogate joined to its other half or replaced: it can be written as UTF-8."""
    if _SURROGATE.search(text) is None:
        return text
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")

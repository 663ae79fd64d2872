"""What counts as an integer, a number and a text in a manifest."""

import sys


def is_whole(value: object) -> bool:
    """Whether a JSON value is an integer: 1 and 1.0 are, true is not."""
    if isinstance(value, bool):
        return False
    return isinstance(value, int) or (isinstance(value, float) and value.is_integer())


def is_number(value: object) -> bool:
    """Whether a JSON value is a number that every reader can hold: finite as a float; true is none."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    return abs(value) <= sys.float_info.max


def is_text(value: object) -> bool:
    """Whether a value is a string that a process, a file and a terminal can take: no NUL, no lone surrogate."""
    if not isinstance(value, str) or "\0" in value:
        return False
    if value.isascii():
        return True
    return not any("\ud800" <= character <= "\udfff" for character in value)

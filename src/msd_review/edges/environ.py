"""The only reader of the environment."""

import os
from collections.abc import Mapping


def snapshot() -> Mapping[str, str]:
    """A copy of this process's environment; nothing of ours ever changes the original."""
    return dict(os.environ)


def get(name: str) -> str | None:
    """One variable, or None where it is unset or blank."""
    value = os.environ.get(name, "")
    return value if value.strip() else None

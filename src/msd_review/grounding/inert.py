"""Makes text of plans and paths inert, so that it can stand in a line of Markdown."""

import re


def plain(text: str) -> str:
    """One bounded line that cannot open anything in Markdown."""
    line = " ".join(
        re.sub(r"[^\S ]|[\x00-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2066-\u2069\ufeff]", " ", text).split()
    )
    return re.sub(r"<!--|-->", "--", line).replace("```", "'''")[:600]

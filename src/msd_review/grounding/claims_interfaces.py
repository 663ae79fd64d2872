"""Claims in code samples that a plan shows as what is there: "From `src/a.py`:" before a fenced block of declarations, or a diff.

Pure. Each declaration is read by the parser of the named file's language, or as a line that declares; what is neither
claims nothing. Outside the parts that show what is there, the words around a sample have to say that it is what stands
there today.
"""

import re
from collections.abc import Iterator

from msd_review.grounding.definitions import definitions_in
from msd_review.grounding.model import Claim
from msd_review.grounding.plan import Plan, Segment
from msd_review.grounding.prose import fenced_blocks
from msd_review.lazy import regex
from msd_review.review.places import place_of

_FROM = regex(r"(?:^|\n)[ \t]*(?:[-*>#/]+[ \t]*)?(?:\*\*)?(?:From|In|Existing(?: code)?(?: in)?|Extracted from|Defined in|File)\b:?[ \t]*`?(?P<path>[\w./@-]{3,300})`?[^\n]{0,80}\n\s*$", re.I)  # fmt: skip
_HEADER = regex(r"\s*(?://|#|/\*|--|<!--)[ \t]*(?:From[: ]+|File[: ]+|in[: ]+)?`?(?P<path>[\w./@-]{3,300})`?,?(?P<note>[^\n]{0,60})(?:\n|$)", re.I)  # fmt: skip
_LEAD = regex(r"[^\n]*(?<![\w./@-])`?(?P<path>[\w.@-]+(?:/[\w.@-]+)+\.\w{1,8})`?[^\n]*\n\s*$")
_UNTOLD = regex(
    r"\b(?:new|creat\w+|will|after|should|to be|planned|proposed|target|from plan|add(?!\w* nothing)|becomes?|chang\w+ to|updat\w+|replac\w+|rewrit\w+|instead)\b",
    re.IGNORECASE,
)
_TODAY = regex(
    r"\b(?:current(?:ly)?|existing|today|as (?:of|it)\b|present|unchanged|lives in|has|have|defines|declared|reads|now|signature|interface|as is)\b",
    re.I,
)
_DECLARED = regex(
    r"^[ \t>+-]*(?:[\w*&<>\[\],.:]+[ \t]+){0,4}?(?P<name>[A-Za-z_]\w*)[ \t]?\((?P<parameters>.*)\)(?:[ \t]*(?:->|:|\{|=>|=|error|throws|#|;|$))",
    re.M,
)
_CALL = regex(r"^[ \t]*(?:(?:await|return|if|while|for|assert|print|raise|throw)\b|[\w.]+\s*=[^=>]|\w+\.)")
_OLD = regex(r"^--- (?:a/)?(?P<path>[\w./@-]{3,300})", re.M)
_MAX_CLAIMS = 500


def interface_claims(plan: Plan) -> Iterator[Claim]:
    """The declarations that samples show as those of existing files; at most 500."""
    found = (claim for segment in plan.segments for claim in _shown(plan, segment))
    for count, claim in enumerate(found):
        if count >= _MAX_CLAIMS:
            return
        yield claim


def _shown(plan: Plan, segment: Segment) -> Iterator[Claim]:
    text = plan.said(segment)
    shows = segment.tag in {"interfaces", "context"}
    for start, end, _ in fenced_blocks(text):
        code, first = text[start:end], plan.line_at(segment.start + start)
        diff = _OLD.match(code)
        if diff is not None:
            yield from _old(plan, segment, diff["path"], code, first=first)
            continue
        path = _source(text[:start], code, shows=shows)
        if path is not None:
            yield from _declared(plan, segment, path, code, first=first)
    if shows:
        yield from _plain(plan, segment, text)


def _plain(plan: Plan, segment: Segment, text: str) -> Iterator[Claim]:
    """Declarations below a line that names their file, without a fence."""
    header = _HEADER.match(text.lstrip("\n"))
    if (
        header is None
        or _UNTOLD.search(header["note"])
        or (place := place_of(header["path"].rstrip(":.,"))) is None
    ):
        return
    yield from _by_line(plan, segment, place.path, text, first=plan.line_at(segment.start))


def _old(plan: Plan, segment: Segment, path: str, code: str, *, first: int) -> Iterator[Claim]:
    """What a diff says of the file as it is: that it is there, with the lines that it takes out or leaves."""
    yield Claim(
        kind="path",
        plan=plan.name,
        line=first,
        text=path,
        mode="exists",
        tag="diff",
        task=segment.task,
        path=path,
    )
    lines = [line[1:] if line[:1] in "- " and not line.startswith("---") else "" for line in code.split("\n")]
    yield from _by_line(plan, segment, path, "\n".join(lines), first=first)


def _source(before: str, code: str, *, shows: bool) -> str | None:
    """The file that a block is taken from: named in the line above it, or in its own first comment."""
    above = (
        before.rstrip("\n").rpartition("\n")[0].rstrip("\n") + "\n"
    )  # without the line that opens the fence
    header = _HEADER.match(code)
    header_place = place_of(header["path"].rstrip(":.")) if header is not None else None
    if header is not None and header_place is not None and "/" in header_place.path:
        said = header["note"] + " ".join(re.findall(r"(?:#|//)[^\n]*$", code[header.end() :], re.M))
        told = shows or _TODAY.search(said) or _TODAY.search(_last_line(above))
        return header_place.path if told and not _UNTOLD.search(header["note"]) else None
    named = _FROM.search(above[-600:]) or _LEAD.search(above[-600:])
    if named is None or _UNTOLD.search(named.group()):
        return None
    if not shows and not _TODAY.search(named.group()) and not re.match(r"\s*From\b", named.group()):
        return None
    place = place_of(named["path"].rstrip(":."))
    return place.path if place is not None and "/" in place.path else None


def shows_what_is(before: str, code: str) -> bool:
    """Whether a fenced sample behind `before` shows what stands in a file today, and not what a plan makes."""
    diff = _OLD.match(code)
    return (
        _source(before, code, shows=False) is not None
        or diff is not None
        and not re.search(r"^\+(?!\+\+)", code, re.M)
    )


def _last_line(text: str) -> str:
    return text.rstrip("\n").rpartition("\n")[2]


def _declared(plan: Plan, segment: Segment, path: str, code: str, *, first: int) -> Iterator[Claim]:
    found = [
        item
        for item in definitions_in(path, code)
        if item.kind in {"function", "type"} and len(item.name) >= 3
    ]
    if not any(item.parameters for item in found):
        yield from _by_line(plan, segment, path, code, first=first)
    for item in found:
        text = f"{item.qualified}({' '.join(item.parameters.split())})" if item.parameters else item.qualified
        yield _claim(
            plan,
            segment,
            path,
            line=first + item.line - 1,
            text=text,
            symbol=item.qualified,
            parameters=item.parameters,
        )


def _by_line(plan: Plan, segment: Segment, path: str, code: str, *, first: int) -> Iterator[Claim]:
    """Lines that read like a declaration in whatever language."""
    owner = ""
    for number, line in enumerate(code.split("\n")):
        kind = re.match(
            r"\s*(?:export |pub |public |abstract )*(?:class|struct|impl|interface|trait) (\w+)", line
        )
        owner = kind[1] if kind is not None else owner
        match = _DECLARED.match(line)
        if match is None or _CALL.match(line) or len(match["name"]) < 3:
            continue
        symbol = f"{owner}.{match['name']}" if owner and line[:1].isspace() else match["name"]
        yield _claim(
            plan,
            segment,
            path,
            line=first + number,
            text=f"{symbol}({match['parameters']})"[:200] if match["parameters"].strip() else symbol,
            symbol=symbol,
            parameters=match["parameters"],
        )


def _claim(
    plan: Plan, segment: Segment, path: str, *, line: int, text: str, symbol: str, parameters: str | None
) -> Claim:
    return Claim(
        kind="signature" if parameters else "symbol",
        plan=plan.name,
        line=line,
        text=text,
        mode="exists",
        tag="interfaces",
        task=segment.task,
        path=path,
        symbol=symbol,
        parameters=parameters or None,
        tied=True,
    )

"""Checks of dependencies that a plan says are there: does a manifest of the tree name them?"""

import re
from collections.abc import Iterator

from rapidfuzz import fuzz

from msd_review.grounding.ground import Ground, held, unsure, wrong
from msd_review.grounding.mentions import is_command
from msd_review.grounding.model import Claim, Fault, Judged
from msd_review.grounding.nearest import nearest_name
from msd_review.grounding.plan import Plan, Segment
from msd_review.grounding.project import normal
from msd_review.grounding.prose import MASK, Sentence, code_spans, sentences
from msd_review.lazy import regex
from msd_review.review.model import Severity

_SAYS_SO = regex(
    r"\b(?:existing|already|current(?:ly)?|today)\b[^.;]{0,50}\b(?:dependenc(?:y|ies)|installed|depends? on|in the lock ?file)\b|"
    r"\bdependenc(?:y|ies)\b[^.;]{0,50}\b(?:already|exists?|today)\b|\bdepends? on\b[^.;]{0,30}\balready\b|\binstalled\b[^.;]{0,20}\balready\b",
    re.IGNORECASE,
)
_MANIFEST = regex(
    r"(?:^|/)(?:package\.json|pyproject\.toml|Cargo\.toml|go\.mod|Gemfile|composer\.json|setup\.(?:py|cfg)|Pipfile|pom\.xml|build\.gradle(?:\.kts)?|[\w-]*requirements[\w-]*\.(?:txt|in))$"
)
_THERE = regex(
    r"\b(?:already|existing|currently?|today|declares?|declared|lists?|listed|present|there|has|ships? with|depend(?:s|ency|encies)?|keep|reuse|bump|pin|remove|move|upgrade|loosen|stack|"
    r"library|package|crate|gem)\b|→|#",
    re.IGNORECASE,
)
_NOT_ONE = regex(
    r"\b(?:scripts?|targets?|keys?|settings?|options?|tables?|sections?|fields?|tasks?|recipes?|version of the project)\b",
    re.I,
)
_NOTHING_NEW = regex(
    r"\b(?:no (?:new |additional |extra |other )?\w+(?= (?:is|are|needed|required)\b|[,;:]| to )|no additions?(?: to)?|nothing (?:new |else )?(?:to (?:add|install)|new)|nothing|"
    r"add nothing|without (?:a |any )?(?:new |adding|installing)\w*|(?:don't|do not|no need to) (?:add|install|hand-roll|pull in)\b[^,;.]{0,40}|not (?:adding|installing)\b[^,;.]{0,40}|instead of[^,;.]{0,40})",
    re.IGNORECASE,
)
_UNTOLD = regex(
    r"\b(?:no|not|never|add|install|new|if|without|instead|replace|unless|will|should|could|might|introduce|from now on|henceforth|start)\b",
    re.IGNORECASE,
)
_NAME = regex(
    r"@?[A-Za-z][\w.-]{1,80}(?:/[\w.-]{1,80}){0,4}(?:\[[\w,]+\])?(?:(?:[=<>~!^]=?|@)[\w.*<>=,^~ -]{1,40})?"
)
_WITH_VERSION = regex(
    r"\b(?:uses?|on|with|have|has|requires?|pins?)\s(?:the\s)?" + MASK + r"+\s(?:v|version\s)?\d+\.\d"
)
_BARE = regex(r"(?<![\w./`@-])(?P<name>@?[A-Za-z][\w./-]{2,80})(?=[\s,:|;)\]\"']|$)")


def check_dependencies_of(ground: Ground, plan: Plan) -> Iterator[Judged]:
    """Judges each name that a sentence calls a dependency which is already there."""
    for segment in plan.segments:
        for sentence in sentences(plan.said(segment)):
            masked = _NOTHING_NEW.sub(lambda match: "~" * len(match.group()), sentence.masked)
            if _UNTOLD.search(masked):
                continue
            manifest = _names_manifest(sentence)
            if (
                _SAYS_SO.search(masked)
                or _WITH_VERSION.search(masked)
                or manifest
                and _THERE.search(sentence.masked)
            ):
                yield from (
                    _judged(ground, claim)
                    for claim in _named(plan, segment, sentence)
                    if not manifest or not _NOT_ONE.search(masked)
                )
            if manifest or _SAYS_SO.search(masked):
                yield from _bare(ground, plan, segment, sentence)


def _names_manifest(sentence: Sentence) -> bool:
    words = re.findall(r"[\w./-]+", sentence.text)
    return any(_MANIFEST.search(word.rstrip(".")) for word in words)


def _named(plan: Plan, segment: Segment, sentence: Sentence) -> Iterator[Claim]:
    for span in code_spans(sentence.text):
        code = span["code"]
        if _NAME.fullmatch(code) and not _MANIFEST.search(code) and not is_command(code) and "(" not in code:
            yield _claim(plan, segment, sentence, name=code, at=span.start())


def _claim(plan: Plan, segment: Segment, sentence: Sentence, *, name: str, at: int) -> Claim:
    line = plan.line_at(segment.start + sentence.start + at)
    return Claim(kind="dependency", plan=plan.name, line=line, text=name, mode="exists", tag=segment.tag)


def _bare(ground: Ground, plan: Plan, segment: Segment, sentence: Sentence) -> Iterator[Judged]:
    """Names without backticks: a fault only where one is a dependency's name with something put to it."""
    known = [name for name in ground.project.dependencies if len(name) >= 3]
    for match in _BARE.finditer(sentence.masked):
        name = normal(match["name"].rstrip("."))
        if (
            name in ground.project.dependencies
            or _MANIFEST.search(match["name"])
            or _is_plain(name, match["name"])
        ):
            continue
        if any(_is_varied(name, other) for other in known):
            yield _judged(
                ground,
                _claim(plan, segment, sentence, name=match["name"].rstrip("."), at=match.start("name")),
            )


def _is_varied(name: str, known: str) -> bool:
    """Whether a name is a known one with a suffix or a slip: `zod2`, `pino-client`, `reqeusts`."""
    put = name.removeprefix(known)
    if put != name:
        return bool(
            re.fullmatch(r"\d+|x|-(?!style|like|based|only|free|compatible|specific|side)[\w-]+|s?x", put)
        )
    return (
        len(known) >= 6
        and abs(len(name) - len(known)) <= 1
        and name[0] == known[0]
        and name.rstrip("s") != known.rstrip("s")
        and fuzz.ratio(name, known) >= 88
    )


def _is_plain(name: str, written: str) -> bool:
    return len(name) < 3 or written.lower() in {
        "the",
        "and",
        "that",
        "this",
        "for",
        "dependency",
        "dependencies",
        "package",
        "library",
    }


def _judged(ground: Ground, claim: Claim) -> Judged:
    known = ground.project.dependencies
    name = normal(claim.text)
    if name in known or any(other.endswith(("-" + name, "/" + name)) for other in known):
        return held(claim)
    if not known or ground.tree.ending_in(claim.text):
        return unsure(claim, "no manifest of the tree could be read for dependencies")
    near = nearest_name(name, list(known))
    return wrong(claim, _missing(claim, near, known[near] if near else next(iter(known.values()))))


def _missing(claim: Claim, near: str | None, manifest: str) -> Fault:
    return Fault(
        key=("dependency", normal(claim.text)),
        kind="missing-dependency",
        severity=Severity.MEDIUM,
        title=f"`{claim.text}` is no dependency of the project",
        body="The plan counts on it as installed.",
        spots=((claim.plan, claim.line),),
        truth=f"the nearest is `{near}` in `{manifest}`" if near else f"`{manifest}` does not name it",
        places=(f"{manifest}:1",),
        suggestion="add it in this plan, or name what is there",
        files=(manifest,),
    )

"""Checks of `must_haves`: artifacts and links between files that no plan brings about.

What a plan promises of a file that it changes is true afterwards, so it is a fault only where no plan touches the file.
"""

from msd_review.grounding.claims_front import Artifact, KeyLink, artifacts, key_links
from msd_review.grounding.ground import Ground, held, unsure, wrong
from msd_review.grounding.locate import locate
from msd_review.grounding.model import Claim, Fault, Judged
from msd_review.grounding.patterns import search
from msd_review.grounding.plan import Plan
from msd_review.review.model import Severity
from msd_review.review.places import place_of


def check_promises(ground: Ground, plan: Plan) -> list[Judged]:
    """Judges the artifacts and links that one plan promises."""
    judged = [_artifact(ground, plan, item) for item in artifacts(plan)]
    for link in key_links(plan):
        judged += _link(ground, plan, link)
    return judged


def _touched(ground: Ground, path: str) -> bool:
    return ground.survey.is_listed(path) or path in ground.survey.made and not ground.tree.is_file(path)


def _artifact(ground: Ground, plan: Plan, item: Artifact) -> Judged:
    claim = Claim(
        kind="artifact",
        plan=plan.name,
        line=item.line,
        text=item.contains or item.path,
        path=item.path,
        tag="artifacts",
    )
    place = locate(ground.tree, item.path)
    if place.kind in {"missing", "unlisted", "outside", "private", "unusable"} or len(place.paths) != 1:
        return (
            held(claim, "the plan makes it")
            if place.kind == "missing"
            else unsure(claim, "not a file that can be read")
        )
    if not item.contains:
        return held(claim)
    found = search(item.contains, str(ground.tree.read(place.path)), literal=True)
    if found:
        return held(claim, "it stands there already")
    if ground.survey.is_listed(place.path) or ground.survey.is_listed(item.path) or found is None:
        return (
            held(claim, "true when the plan is carried out")
            if found is not None
            else unsure(claim, "too complex a pattern")
        )
    return wrong(claim, _no_text(claim, place.path, item.contains))


def _no_text(claim: Claim, path: str, text: str) -> Fault:
    return Fault(
        key=("artifact", path, text),
        kind="artifact-text",
        severity=Severity.MEDIUM,
        title=f"`{path}` does not contain `{text[:100]}`, and no plan changes it",
        body="`must_haves.artifacts` promises a text that nothing in these plans brings about.",
        spots=((claim.plan, claim.line),),
        truth="the file stands as it is, without that text",
        places=(f"{path}:1",),
        suggestion=f"list `{path}` in `files_modified` and say what changes, or correct the artifact",
        files=(path,),
    )


def _link(ground: Ground, plan: Plan, link: KeyLink) -> list[Judged]:
    judged: list[Judged] = []
    for end in (link.source, link.target):
        place = place_of(end) if end and " " not in end else None
        if place is not None and "/" in place.path:
            claim = Claim(
                kind="link", plan=plan.name, line=link.line, text=end, path=place.path, tag="key_links"
            )
            judged.append(_end(ground, claim, place.path))
    if link.pattern and link.source:
        judged.append(_pattern(ground, plan, link))
    return judged


def _end(ground: Ground, claim: Claim, path: str) -> Judged:
    place = locate(ground.tree, path)
    if place.kind != "missing":
        return held(claim) if place.is_there else unsure(claim, "outside the tree")
    if path in ground.survey.made or ground.survey.is_listed(path):
        return held(claim, "a plan makes it")
    near = ground.nearest.to(path)
    fault = Fault(
        key=("path", path),
        kind="missing-path",
        severity=Severity.MEDIUM,
        title=f"`{path}` does not exist",
        body="`must_haves.key_links` joins it to another file, and no plan of this review makes it.",
        spots=((claim.plan, claim.line),),
        truth=f"the nearest is `{near}`" if near else "nothing like it is there",
        places=(f"{near}:1",) if near else (),
        files=(path,),
    )
    return wrong(claim, fault)


def _pattern(ground: Ground, plan: Plan, link: KeyLink) -> Judged:
    claim = Claim(
        kind="link", plan=plan.name, line=link.line, text=link.pattern, path=link.source, tag="key_links"
    )
    place = locate(ground.tree, link.source)
    if len(place.paths) != 1:
        return (
            held(claim, "true when the plan is carried out")
            if place.kind == "missing"
            else unsure(claim, "not one file")
        )
    found = search(link.pattern, str(ground.tree.read(place.path)))
    if found:
        return held(claim)
    if found is None:
        return unsure(claim, "the pattern cannot be searched for within bounds")
    if ground.survey.is_listed(place.path) or ground.survey.is_listed(link.source):
        return held(claim, "true when the plan is carried out")
    fault = Fault(
        key=("link", place.path, link.pattern),
        kind="link-pattern",
        severity=Severity.MEDIUM,
        title=f"`{link.pattern[:100]}` matches nothing in `{place.path}`, and no plan changes that file",
        body="`must_haves.key_links` promises a link that nothing in these plans brings about.",
        spots=((plan.name, link.line),),
        truth="no line of the file matches",
        places=(f"{place.path}:1",),
        suggestion=f"list `{place.path}` in `files_modified`, or correct the pattern",
        files=(place.path,),
    )
    return wrong(claim, fault)

"""What is said of a name that is not where a plan says: what is there instead, and where."""

from collections.abc import Sequence

from msd_review.grounding.definitions import Definition
from msd_review.grounding.ground import Ground
from msd_review.grounding.model import Claim, Fault
from msd_review.grounding.nearest import nearest_name
from msd_review.grounding.paths import base_name
from msd_review.review.model import Severity


def missing_symbol(
    ground: Ground,
    claim: Claim,
    *,
    name: str,
    paths: Sequence[str],
    elsewhere: Sequence[tuple[str, Definition]],
) -> Fault:
    """The name stands in none of `paths`, or nowhere; `elsewhere` is where it is defined."""
    where = f" in `{paths[0]}`" if paths else " anywhere in the tree"
    truth, places = _instead(ground, name, paths, elsewhere=elsewhere)
    return Fault(
        key=("symbol", name, *paths[:1]),
        kind="missing-symbol",
        severity=Severity.MEDIUM if elsewhere else Severity.HIGH,
        title=f"`{claim.text}` is not{where}",
        body="The plan counts on it, and no plan of this review makes it.",
        spots=((claim.plan, claim.line),),
        truth=truth,
        places=places,
        suggestion="name what is there, or say that it is new",
        files=tuple(paths[:1]),
    )


def _instead(
    ground: Ground, name: str, paths: Sequence[str], *, elsewhere: Sequence[tuple[str, Definition]]
) -> tuple[str, tuple[str, ...]]:
    if elsewhere:
        path, item = elsewhere[0]
        return f"`{name}` is defined in `{path}:{item.line}`", (f"{path}:{item.line}",)
    known = [(path, item) for path in paths for item in ground.symbols.in_file(path)]
    near = nearest_name(name, [item.name for _, item in known])
    if near is None:
        return (
            (f"`{paths[0]}` defines nothing of a like name", (f"{paths[0]}:1",))
            if paths
            else ("no name like it is defined", ())
        )
    path, item = next((path, item) for path, item in known if item.name == near)
    return f"the nearest name there is `{item.qualified}` (`{path}:{item.line}`)", (f"{path}:{item.line}",)


def other_owner(ground: Ground, claim: Claim, *, path: str, name: str) -> Fault:
    """The name is a member of another type."""
    item = next(item for item in ground.symbols.in_file(path) if item.name == name)
    return Fault(
        key=("owner", claim.symbol or "", path),
        kind="missing-symbol",
        severity=Severity.MEDIUM,
        title=f"`{claim.text}` is not in `{path}`",
        body="The type has no such member.",
        spots=((claim.plan, claim.line),),
        truth=f"`{name}` belongs to `{item.owner}` (`{path}:{item.line}`)",
        places=(f"{path}:{item.line}",),
        files=(path,),
    )


def elsewhere_in_file(claim: Claim, path: str, *, name: str, line: int) -> Fault:
    """The name does not stand at the cited lines, but at `line`."""
    cited = f"{claim.first}-{claim.last}" if claim.last and claim.last != claim.first else f"{claim.first}"
    return Fault(
        key=("at-line", name, path, cited),
        kind="wrong-line",
        severity=Severity.LOW,
        title=f"`{claim.text}` does not stand at `{base_name(path)}:{cited}`",
        body=f"The plan cites `{path}:{cited}` for it.",
        spots=((claim.plan, claim.line),),
        truth=f"it stands at `{path}:{line}`",
        places=(f"{path}:{line}",),
        suggestion=f"cite `{path}:{line}`",
        files=(path,),
    )


def wrong_signature(claim: Claim, path: str, *, item: Definition, difference: str) -> Fault:
    """The parameters are not those of the source."""
    written = " ".join((item.parameters or "").split())[:200]
    return Fault(
        key=("signature", item.qualified, path, claim.parameters or ""),
        kind="wrong-signature",
        severity=Severity.MEDIUM,
        title=f"`{claim.text}` is not the signature in the source",
        body=f"Compared with `{path}:{item.line}`: {difference}.",
        spots=((claim.plan, claim.line),),
        truth=f"`{item.name}({written})`",
        places=(f"{path}:{item.line}",),
        suggestion="write the signature as it is, or say that it changes",
        files=(path,),
    )

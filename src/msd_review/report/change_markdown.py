"""REVIEW.md of a change: one document of what holds, who says so, and what could not be verified."""

from collections.abc import Iterable, Iterator, Mapping

from msd_review.change.model import ChangedFile
from msd_review.consensus.model import Cluster
from msd_review.report.change_findings import (
    PLACEMENT_WORDS,
    cluster_placement,
    corroboration,
    facts_of,
    known_concerns,
    new_concerns,
    unverified_open,
    verified_open,
)
from msd_review.report.change_model import ChangeFacts, standing
from msd_review.report.consensus_section import concern, links_of
from msd_review.report.counts import (
    OPEN_STATES,
    all_findings,
    delivered,
    place,
    section_heading,
    severity_counts,
    unsent,
)
from msd_review.report.coverage_section import coverage_section
from msd_review.report.front_matter import Value, front_matter
from msd_review.report.lane_sections import lane_section, unsent_section
from msd_review.report.markdown import attendance
from msd_review.report.model import ReviewReport
from msd_review.report.text import code, count, inline, slug
from msd_review.review.model import Finding

_MAX_FILES = 200
_MAX_UNVERIFIED = 100
_HEADINGS = (
    "Change", "Findings", "In the Change", "Outside the Change", "Known Before", "Closed", "Unverified Claims",
    "Plan Coverage", "Verification Coverage",
)  # fmt: skip


def render_change_markdown(report: ReviewReport) -> str:
    """The file's text. Same report, same bytes; ends in one line end."""
    left_out = unsent(report)
    sections = [*(section_heading(reviewer) for reviewer in report.reviewers), *left_out]
    reserved = {slug(heading) for heading in (change_title(report), *_HEADINGS, *sections)}
    blocks = [
        front_matter(report, _front(report)),
        *change_overview(report),
        *(lane_section(reviewer, report, reserved) for reviewer in report.reviewers),
        *(unsent_section(heading, skipped) for heading, skipped in left_out.items()),
        coverage_section(report),
    ]
    return "\n\n".join(blocks) + "\n"


def change_overview(report: ReviewReport) -> list[str]:
    """The document up to the reviewers' own sections: what changed, what was found, what is not shown."""
    blocks = [
        f"# {change_title(report)}",
        attendance(report),
        _change(report),
        _findings(report),
        _unverified(report),
        _promises(facts_of(report)),
    ]
    return [block for block in blocks if block]


def change_title(report: ReviewReport) -> str:
    """`Code Review — change since main`."""
    return f"Code Review — {inline(report.title, 200)}"


def _front(report: ReviewReport) -> Mapping[str, Value | None]:
    facts = facts_of(report)
    more: dict[str, Value | None] = {
        "base": facts.change.base,
        "depth": facts.depth,
        "files_changed": len(facts.change.files),
        "findings": severity_counts(finding.severity for finding in verified_open(report)),
        "unverified": len(unverified_open(report)),
    }
    return more if report.plans else {**more, "plans_reviewed": None}


def _change(report: ReviewReport) -> str:
    facts = facts_of(report)
    change = facts.change
    lines = [
        f"{count(len(change.files), 'file')} between {code(change.base[:12])} ({inline(change.base_name, 100)}) and"
        f" {change.until}{_narrowed(change.paths)}, reviewed at depth {facts.depth}.",
        *(f"**{inline(line)}**" for line in facts.policy),
        *(
            [f"No part of it, being a report of msd: {', '.join(map(code, change.left_out))}."]
            if change.left_out
            else []
        ),
    ]
    return "## Change\n\n" + "  \n".join(lines) + "\n\n" + _table(change.files)


def _narrowed(paths: tuple[str, ...]) -> str:
    return f", in {', '.join(map(code, paths[:10]))}" if paths else ""


def _table(files: tuple[ChangedFile, ...]) -> str:
    rows = ["| File | Change | Lines | Note |", "|---|---|---:|---|"]
    rows += [f"| {_cell(file)} | {file.kind} | {_lines(file)} | {file.note} |" for file in files[:_MAX_FILES]]
    more = len(files) - _MAX_FILES
    return "\n".join(rows) + (f"\n\nand {more} more." if more > 0 else "")


def _cell(file: ChangedFile) -> str:
    shown = code(file.path) if file.old_path is None else f"{code(file.old_path)} → {code(file.path)}"
    return shown.replace("|", "\\|")


def _lines(file: ChangedFile) -> str:
    return "" if file.added is None else f"+{file.added} −{file.removed}"


def _findings(report: ReviewReport) -> str:
    new = new_concerns(report)
    findings = all_findings(report)
    far = [c for c in new if cluster_placement(c, findings) == "elsewhere"]
    near = [c for c in new if c not in far]
    closed = [c for c in report.consensus.clusters if c.status not in OPEN_STATES]
    parts = [f"## Findings\n\n{_verdict(report, new)}"]
    for heading, clusters in (
        ("In the Change", near),
        ("Outside the Change", far),
        ("Known Before", known_concerns(report)),
        ("Closed", closed),
    ):
        if clusters:
            parts.append(f"### {heading}\n\n" + "\n".join(_items(clusters, report, findings)))
    return "\n\n".join(parts)


def _verdict(report: ReviewReport, new: list[Cluster]) -> str:
    if not facts_of(report).change.files:
        return "Nothing changed, so there was nothing to review."
    if not delivered(report):
        return "No reviewer delivered a review, so nothing is known about this change."
    found = f"{count(len(new), 'open concern')}, each with at least one place in the code that holds."
    return found if new else "No open concern that holds."


def _items(
    clusters: Iterable[Cluster], report: ReviewReport, findings: Mapping[str, Finding]
) -> Iterator[str]:
    facts = facts_of(report)
    links = {name: f"{link}{_from(name, facts)}" for name, link in links_of(report).items()}
    for cluster in clusters:
        said = [PLACEMENT_WORDS.get(cluster_placement(cluster, findings), "")]
        if facts.has_primary:
            said.append(inline(corroboration(cluster)))
        extra = " · ".join(part for part in said if part)
        head, _, rest = concern(cluster, findings, links).partition("\n")
        yield "\n".join(part for part in (f"{head.rstrip()}{f' ({extra})' if extra else ''}  ", rest) if part)


def _from(identity: str, facts: ChangeFacts) -> str:
    told = facts.provenance.get(identity)
    return f" ({inline(told)})" if told else ""


def _unverified(report: ReviewReport) -> str:
    claims = unverified_open(report)
    if not claims:
        return ""
    facts = facts_of(report)
    lines = [_claim(claim, facts) for claim in claims[:_MAX_UNVERIFIED]]
    more = len(claims) - _MAX_UNVERIFIED
    if more > 0:
        lines.append(f"- and {more} more")
    told = "No place that these claims cite was found in the tree, or they cite none. They fail no gate."
    return f"## Unverified Claims\n\n{told}\n\n" + "\n".join(lines)


def _claim(finding: Finding, facts: ChangeFacts) -> str:
    cited = ", ".join(f"{code(place(c))} ({c.verdict})" for c in finding.citations[:4]) or "cites nothing"
    who = f"{inline(finding.identity, 100)}{_from(finding.identity, facts)}"
    return f"- {finding.severity.upper()} {inline(finding.title, 300)} — {who} · {cited}"


def _promises(facts: ChangeFacts) -> str:
    if not facts.promises:
        return ""
    rows = ["| Promise | Plan | In this change | Why |", "|---|---|---|---|"]
    for promise in facts.promises:
        cells = (
            f"{promise.kind} {inline(promise.text, 200)}",
            inline(promise.plan, 100),
            standing(promise),
            inline(promise.why, 200),
        )
        rows.append(f"| {' | '.join(cells)} |")
    missing = sum(promise.shown is False for promise in facts.promises)
    told = f"{count(missing, 'promise')} of the phase's plans {'is' if missing == 1 else 'are'} not shown by this change."
    return f"## Plan Coverage\n\n{told}\n\n" + "\n".join(rows)

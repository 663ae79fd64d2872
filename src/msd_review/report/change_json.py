"""The `msd.reviews/1` document of a change: what every review has, and `change`, `coverage`, provenance beside it."""

import json
from typing import Any

from msd_review.change.model import ChangedFile
from msd_review.report.change_findings import (
    cluster_placement,
    corroboration,
    facts_of,
    unverified_open,
    verified_open,
)
from msd_review.report.change_model import Promise, standing
from msd_review.report.counts import all_findings, severity_counts
from msd_review.report.json_document import document
from msd_review.report.model import ReviewReport
from msd_review.report.text import encodable


def change_document(report: ReviewReport) -> dict[str, Any]:
    """The document as plain values that `json.dumps` takes and UTF-8 can hold."""
    facts = facts_of(report)
    content = document(report)
    findings = all_findings(report)
    clusters = {cluster.id: cluster for cluster in report.consensus.clusters}
    for row in content["findings"]:
        row["provenance"] = facts.provenance.get(row["identity"], "")
        row["verified"] = row["id"] not in facts.unverified
    for row in content["clusters"]:
        cluster = clusters[row["id"]]
        row["placement"] = cluster_placement(cluster, findings) or None
        row["in_baseline"] = cluster.id in facts.known
        row["corroboration"] = corroboration(cluster) if facts.has_primary else None
    content["summary"] |= {
        "findings": severity_counts(finding.severity for finding in verified_open(report)),
        "unverified": len(unverified_open(report)),
        "known": len(facts.known),
    }
    content["change"] = encodable(_change(report))
    content["coverage"] = [encodable(_promise(promise)) for promise in facts.promises]
    return content


def render_change_json(report: ReviewReport) -> str:
    """The document as text, indented, ending in a line end."""
    return json.dumps(change_document(report), ensure_ascii=False, indent=2, allow_nan=False) + "\n"


def _change(report: ReviewReport) -> dict[str, Any]:
    facts = facts_of(report)
    change = facts.change
    return {
        "base": change.base,
        "base_name": change.base_name,
        "head": change.head,
        "until": change.until,
        "depth": facts.depth,
        "paths": list(change.paths),
        "files": [_file(file) for file in change.files],
        "left_out": list(change.left_out),
        "baseline": facts.baseline,
        "policy_changes": list(facts.policy),
    }


def _file(file: ChangedFile) -> dict[str, Any]:
    return {
        "path": file.path,
        "change": file.kind,
        "from": file.old_path,
        "added": file.added,
        "removed": file.removed,
        "binary": file.is_binary,
        "submodule": file.is_submodule,
        "link": file.is_link,
        "generated": file.generated or None,
    }


def _promise(promise: Promise) -> dict[str, Any]:
    return {
        "kind": promise.kind,
        "text": promise.text,
        "plan": promise.plan or None,
        "standing": standing(promise),
        "why": promise.why,
    }

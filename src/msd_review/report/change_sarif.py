"""SARIF of a change: every verified concern where it stands, with who said it, and whether a baseline knew it.

A concern of an earlier cycle that nobody looked at again has no place that was verified now, and is no result.
"""

import json
from typing import Any

from msd_review.report.change_findings import best_place, cluster_placement, corroboration, facts_of
from msd_review.report.counts import all_findings
from msd_review.report.model import ReviewReport
from msd_review.report.sarif import sarif_log
from msd_review.report.text import encodable

_FINGERPRINT = "msdConcern/v1"
_ABOUT = (" about the plan.", " about the change.")
_ADVICE = ("change the plan or", "change the code or")


def change_sarif_log(report: ReviewReport) -> dict[str, Any]:
    """The log as plain values: that of any review, told of a change."""
    facts = facts_of(report)
    log = sarif_log(report)
    run = log["runs"][0]
    run["automationDetails"] = {"id": "msd/code-review/"}
    for rule in run["tool"]["driver"]["rules"]:
        rule["fullDescription"]["text"] = rule["fullDescription"]["text"].replace(*_ABOUT)
        rule["help"] = {form: told.replace(*_ABOUT).replace(*_ADVICE) for form, told in rule["help"].items()}
        rule["properties"]["tags"] = ["review", "change"]
    if facts.change.head is not None:
        run["properties"] = {"base": facts.change.base, "head": facts.change.head, "depth": facts.depth}
    clusters = {cluster.id: cluster for cluster in report.consensus.clusters}
    findings = all_findings(report)
    placed = {name for name, cluster in clusters.items() if best_place(cluster, findings) is not None}
    run["results"] = [r for r in run["results"] if r["partialFingerprints"][_FINGERPRINT] in placed]
    for result in run["results"]:
        cluster = clusters[result["partialFingerprints"][_FINGERPRINT]]
        result["properties"] |= {
            "provenance": [facts.provenance.get(name, name) for name in cluster.reviewers],
            "placement": cluster_placement(cluster, findings) or "unknown",
        }
        if facts.has_primary:
            result["properties"]["corroboration"] = corroboration(cluster)
        if facts.baseline is not None:
            result["baselineState"] = "unchanged" if cluster.id in facts.known else "new"
    return log


def render_change_sarif(report: ReviewReport) -> str:
    """The log as text, ending in a line end."""
    return json.dumps(encodable(change_sarif_log(report)), ensure_ascii=False, indent=2) + "\n"

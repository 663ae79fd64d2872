"""Writes a finished report in every format that was asked for, each file whole or not at all."""

from collections.abc import Callable, Mapping
from pathlib import Path

from msd_review.edges import files
from msd_review.edges.faults import fault_point
from msd_review.errors import InputError
from msd_review.report.annotations import render_annotations
from msd_review.report.change_json import render_change_json
from msd_review.report.change_markdown import render_change_markdown
from msd_review.report.change_sarif import render_change_sarif
from msd_review.report.codequality import render_codequality
from msd_review.report.html import render_html
from msd_review.report.json_document import render_json
from msd_review.report.markdown import render_markdown
from msd_review.report.model import ReviewReport
from msd_review.report.rdjson import render_rdjson
from msd_review.report.sarif import render_sarif

RENDERERS: Mapping[str, Callable[[ReviewReport], str]] = {
    "md": render_markdown,
    "json": render_json,
    "sarif": render_sarif,
    "html": render_html,
}
CHANGE_RENDERERS: Mapping[str, Callable[[ReviewReport], str]] = {
    "md": render_change_markdown,
    "json": render_change_json,
    "sarif": render_change_sarif,
    "html": render_html,
    "codequality": render_codequality,
    "rdjson": render_rdjson,
    "annotations": render_annotations,
}


def publish(report: ReviewReport, paths: Mapping[str, Path]) -> None:
    """Renders everything first, then writes. Raises InputError for a place that cannot be written."""
    renderers = RENDERERS if report.change is None else CHANGE_RENDERERS
    contents = {name: renderers[name](report).encode("utf-8", "replace") for name in paths}
    fault_point("report.before_write")
    for name, path in paths.items():
        try:
            files.write_atomic(path, contents[name])
        except OSError as problem:
            raise InputError(
                f"{path} cannot be written: {problem.strerror or problem}",
                hint="name another place with --output; the run keeps what the reviewers delivered",
            ) from None
        if name == "md":
            fault_point("report.markdown_written")
        if name == "json":
            fault_point("report.json_written")
    fault_point("report.done")

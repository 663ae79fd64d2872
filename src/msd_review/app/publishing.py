"""Writes a finished report in every format that was asked for, each file whole or not at all."""

from collections.abc import Callable, Mapping
from pathlib import Path

from msd_review.edges import files
from msd_review.edges.faults import fault_point
from msd_review.errors import InputError
from msd_review.report.html import render_html
from msd_review.report.json_document import render_json
from msd_review.report.markdown import render_markdown
from msd_review.report.model import ReviewReport
from msd_review.report.sarif import render_sarif

RENDERERS: Mapping[str, Callable[[ReviewReport], str]] = {
    "md": render_markdown,
    "json": render_json,
    "sarif": render_sarif,
    "html": render_html,
}


def publish(report: ReviewReport, paths: Mapping[str, Path]) -> None:
    """Renders everything first, then writes. Raises InputError for a place that cannot be written."""
    contents = {name: RENDERERS[name](report).encode("utf-8", "replace") for name in paths}
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

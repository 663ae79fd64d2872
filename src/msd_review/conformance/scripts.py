"""What the stand-in is told to do, in the shape that the manifest declares; nothing where another tool is driven."""

from typing import Any

from msd_review.conformance.bench import Bench
from msd_review.conformance.prompts import code
from msd_review.conformance.sample import REVIEW, Output, review_output


def review_text() -> str:
    """A short review that can be told from every other."""
    return REVIEW.format(code=code("answer"))


def answering(bench: Bench, text: str | None = None, **more: Any) -> dict[str, Any]:
    """Answers with a review, at best in the declared shape, else in plain text."""
    if not bench.is_scripted:
        return {}
    text = text if text is not None else review_text()
    output = review_output(bench.subject.lane, text) or Output(stdout=text.encode())
    return {**printing(output), **more}


def printing(output: Output) -> dict[str, Any]:
    """Prints exactly this."""
    script: dict[str, Any] = {"stdout": output.stdout.decode("utf-8", "replace")}
    if output.file is not None:
        script["output"] = output.file.decode("utf-8", "replace")
    return script

"""summary.html: one file that needs no network, made of what summary.json says.

What repositories, reviewers and workers wrote is shown as text and can run nothing; a link leads below the page's own
folder or is none. Tables are cut to rows that keep the page small, and say so.
"""

from markupsafe import Markup

from msd_review.fleet.summary import Summary
from msd_review.fleet.summary_json import to_json
from msd_review.fleet.summary_view import tables
from msd_review.report.html_page import asset, environment, policy

_PACKAGE = "msd_review.fleet"


def page(summary: Summary, *, submitted: int | None = None) -> str:
    """The whole page as text. Same summary, same bytes."""
    document = to_json(summary, submitted=submitted)
    style = asset("msd_review.report", "review.css") + asset(_PACKAGE, "summary.css")
    script = asset(_PACKAGE, "summary.js")
    return (
        environment(_PACKAGE)
        .get_template("summary.html.j2")
        .render(
            policy=policy(style, script),
            # Texts of ours from the package: they go in as they are, as their hashes demand.
            style=Markup(style),
            script=Markup(script),
            items=document["items"],
            concerns=document["concerns"],
            agreed=document["agreed"],
            tables=tables(document),
        )
    )

"""docs/reference/fleet-batch.md, from the table of a batch line's fields and the bounds of its reader and its summary."""

import json
from collections.abc import Iterator, Sequence
from pathlib import Path

from msd_review.fleet import batch, batch_fields, summary, summary_json, summary_view
from msd_review.fleet.batch_fields import CHANGE_FIELDS, FIELDS, BatchField
from msd_review.fleet.batch_line import Origin, decode_item
from msd_review.fleet.model import FleetItem
from reference.markdown import cell, code, table

_EXAMPLES = (
    {"repository": "services/billing", "phase": 3},
    {
        "id": "web-rewrite",
        "repository": "https://git.example.org/team/web.git",
        "revision": "v2.4.0",
        "plans": ["PLAN.md"],
        "lanes": ["codex", "gemini"],
        "models": {"codex": "gpt-x"},
    },
    {
        "repository": "git@git.example.org:team/app.git",
        "change": {"base": "main", "paths": ["src"]},
        "timeout": 900,
    },
)

_HEAD = """\
# The batch of a fleet, and its summary

`msd fleet run BATCH.jsonl --out DIR` reviews every item of a batch: a file of JSON lines, one object a line.

This page is generated from the table that reads it.

```json
{examples}
```

## A line

{fields}

Exactly one of `phase`, `plans` and `change` says what is reviewed. A field that is `null` counts as left out; one that
is not listed here is an error, which names the field that was probably meant.

### `change`

{change}
"""

_RULES = """\
## What is refused, and when

The whole file is judged before anything is started. Every bad line is reported at once, as `FILE:LINE`, what is wrong and
what to do, up to {bad:,} lines; a bad batch starts nothing.

- UTF-8, with or without a byte-order mark at the beginning; lines end in LF or CRLF; empty lines are passed over. There
  are no comments, and no line is longer than {line:,} bytes.
- A key that stands twice, `NaN`, `Infinity`, half a surrogate pair, nesting without end: an error, since readers of
  JSON disagree about them.
- At most {items:,} items. A line names at most {entries:,} plans or paths and {lanes} lanes.
- Ids are compared without case, and none can be a path or a device of Windows: they name folders. Two lines that ask for
  the same and have no `id` are a repetition: leave one out, or give each an id.
- An address is read over https or ssh alone, and never with a name and password or a token in it: what a batch says is
  kept in the clear on several machines. Leave credentials to git's credential helper, or to an ssh key. An address has no
  `#` and no query.
- Plans and paths are relative to the repository and do not leave it.
- A revision of an address is one that can be fetched by its name: a branch, a tag, a whole commit id.

A folder that is not there, a revision that does not exist, a lane that nobody has are no errors of the batch: the item
fails with the reason, and the others go on.
"""

_SUMMARY = """\
## The summary

`summary.json` is an [`msd.fleet-summary/1`](../schemas/msd.fleet-summary-1.schema.json) document, `summary.html` the
same for people: one file that needs no network. Both are made of every item's outcome and its own
[`msd.reviews/1`](../schemas/msd.reviews-1.schema.json) report.

| part | what it says |
| --- | --- |
| `items` | how many were asked for, are finished, wait; done, failed, refused; whose report could not be read |
| `repositories` | open concerns and findings by severity, the worst first |
| `agreement` | how often what a reviewer raised was shared by an independent other, over all, of what it rated high, and pair by pair |
| `failures`, `items_by_reason` | lanes that delivered no review and items that are not done, by reason |
| `usage`, `reviewers` | tokens and cost, by reviewer and together |
| `workers`, `slowest` | who ran what; the {slowest} items and lanes that took longest |
| `not_done`, `reports` | items by name, with the way to their own reports |

**Agreement.** A concern counts as *shared* when its item's report calls it agreed, this reviewer has evidence for it
that is not all missing, and so has another that is independent: of another tool, and not known to run the same model
([how agreement is computed](../explanation/agreement.md)). The *rate* is shared concerns divided by the concerns that could
have been shared, because an independent other counted in that report. A reviewer that was alone has no rate. A rate
says how often others saw the same; it does not say who was right.

**What is not known** is `null` in JSON and "unknown" on the page, never 0. A sum of tokens or cost is over the lanes that
reported it, and says of how many it is not known. Lanes that did not run used nothing.

**Bounds.** The same items give the same summary, in whatever order they ended. Up to {repositories:,} repositories,
{reviewers:,} reviewers and {pairs:,} pairs have sums of their own; what is beyond is summed together. `summary.json` lists {listed_repositories:,}
repositories and {listed:,} items of each kind, `summary.html` {shown_repositories:,} repositories and as many items; both say when
something was left out. `journal.jsonl` has every item, and `items/` its reports.
"""


def _example(line: object) -> str:
    item = decode_item(line, line=1, origin=Origin(folder=Path("/")))
    if not isinstance(item, FleetItem):
        raise ValueError(f"the page's own example is refused: {item}")
    return json.dumps(line)


def _fields(fields: Sequence[BatchField]) -> str:
    rows = [
        (code(one.name), cell(one.value), one.required, cell(one.doc), code(json.dumps(one.example)))
        for one in fields
    ]
    return table(("field", "value", "required", "what it is for", "example"), rows)


def _parts() -> Iterator[str]:
    examples = "\n".join(map(_example, _EXAMPLES))
    yield _HEAD.format(examples=examples, fields=_fields(FIELDS), change=_fields(CHANGE_FIELDS))
    yield _RULES.format(
        bad=batch.MAX_BAD_LINES,
        line=batch_fields.MAX_LINE_BYTES,
        items=batch_fields.MAX_ITEMS,
        entries=batch_fields.MAX_ENTRIES,
        lanes=batch_fields.MAX_LANES,
    )
    yield _SUMMARY.format(
        slowest=summary.SLOWEST,
        repositories=summary.MAX_REPOSITORIES,
        reviewers=summary.MAX_REVIEWERS,
        pairs=summary.MAX_PAIRS,
        listed_repositories=summary_json.REPOSITORIES_LISTED,
        listed=summary.LISTED,
        shown_repositories=summary_view.REPOSITORIES_SHOWN,
    )


def page() -> str:
    """The whole page."""
    return "\n".join(_parts())

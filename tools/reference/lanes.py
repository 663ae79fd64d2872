"""docs/reference/lanes.md and the lane table of other pages, from the shipped manifests."""

import shlex
from collections.abc import Iterator

from msd_review.app.request import ReviewRequest
from msd_review.app.workplaces import wants_copy
from msd_review.manifest.model import HttpInvoke, Lane, SpawnInvoke
from reference import shipped
from reference.markdown import cell, code, codes, table

_HEAD = """\
# Reviewer lanes

Every reviewer that ships with msd. Each is declared in a manifest, `src/msd_review/capabilities/<id>/capability.json`;
an installed capability's lane has the same standing. `msd lane list` shows the lanes of your machine,
`msd lane plan --lane SLUG` the exact call.

This page is generated from the manifests.

- *posture*: `read-only` when the tool's own options keep it from editing and from running commands;
  `unrestricted` when nothing does. Servers have none: they receive text and return text.
- *works in*: a tool that could edit, and one that is handed its prompt as a file, works in a throw-away copy.
  `--isolate` gives every tool one, `--in-place` none.
- *provider*: at most `review.parallel_per_provider` lanes of one provider run at the same time.
- *at most*: the time that a review may take. A configured timeout can be longer, never shorter; `--timeout` can.
- `{{model}}`, `{{effort}}`, `{{output}}`, `{{prompt}}` and `{{nativeTimeout}}` stand for what a run puts there, or for nothing.
"""
_CHANNELS = {
    "stdin": "the prompt, on standard input",
    "argv": "the prompt, as an argument",
    "argv-file-ref": "the prompt, as a file that an argument names",
    "none": "no prompt",
}


def call(lane: Lane) -> str:
    """What is started or asked, as declared."""
    if isinstance(lane.invoke, SpawnInvoke):
        return " ".join(_word(part) for part in (lane.invoke.binary, *lane.invoke.args))
    return f"POST {lane.invoke.default_host or ''}{lane.invoke.path}"


def _word(part: str) -> str:
    return part if part.startswith("{{") else shlex.quote(part)


def sees(lane: Lane) -> str:
    """What reaches the reviewer."""
    if isinstance(lane.invoke, HttpInvoke):
        return "the prompt, and nothing of the tree"
    if lane.evidence_class == "diff-only":
        return "the change in its working folder, not the plan"
    return _CHANNELS[lane.invoke.prompt_channel] + "; and what it reads in its working folder"


def _posture(lane: Lane) -> str:
    return lane.invoke.posture if isinstance(lane.invoke, SpawnInvoke) else "–"


def _works_in(lane: Lane) -> str:
    if isinstance(lane.invoke, HttpInvoke):
        return "–"
    return "a copy" if wants_copy(lane, ReviewRequest()) else "the tree"


def _row(lane: Lane) -> tuple[str, ...]:
    return (
        code(lane.slug),
        codes(lane.flags),
        code(call(lane)),
        _posture(lane),
        _works_in(lane),
        lane.provider or "–",
        f"{lane.timeout_floor_ms // 1000} s",
        sees(lane),
    )


def short_table() -> str:
    """The lanes as a newcomer needs them: name, flag, who receives the plan, how to get the tool."""
    rows = (
        (code(lane.slug), codes(lane.flags), lane.provider or "nobody", _posture(lane), _how_to_get(lane))
        for lane in shipped.lanes()
    )
    return table(("reviewer", "flag", "provider", "posture", "how to get it"), rows)


def _how_to_get(lane: Lane) -> str:
    hint = lane.install_hint or "–"
    return cell(hint) if "`" in hint or ":" in hint.split("://")[0] or " " not in hint else code(hint)


def _keys(lane: Lane) -> tuple[str, ...]:
    host = lane.invoke.host_config_key if isinstance(lane.invoke, HttpInvoke) else None
    named = (
        lane.model_config_key,
        lane.effort_config_key,
        lane.timeout_config_key,
        lane.prompt_budget_key,
        host,
    )
    return code(lane.slug), codes(key for key in named if key)


def _surroundings(lane: Lane) -> tuple[str, ...]:
    invoke = lane.invoke
    declared = (
        [f"{name}={value}" for name, value in invoke.env.items()] if isinstance(invoke, SpawnInvoke) else []
    )
    pinned = invoke.pin_env if isinstance(invoke, SpawnInvoke) else ()
    return (
        code(lane.slug),
        codes(declared),
        codes(pinned),
        codes(lane.env_passthrough),
        codes(lane.agent_config),
    )


def _hints() -> Iterator[tuple[str, str, str]]:
    for lane in shipped.lanes():
        if lane.install_hint and isinstance(lane.invoke, SpawnInvoke):
            yield code(lane.slug), code("missing_binary"), cell(lane.install_hint)
        for reason, hint in lane.hints.items():
            yield code(lane.slug), code(reason), cell(hint)


def page() -> str:
    """The whole page."""
    lanes = shipped.lanes()
    headings = ("lane", "flags", "call", "posture", "works in", "provider", "at most", "what it receives")
    around = ("lane", "set for it", "pinned", "kept when the environment is `minimal`", "left out of a copy")
    return "\n".join([
        _HEAD,
        table(headings, map(_row, lanes)) + "\n",
        "## Configuration keys\n\n" + table(("lane", "keys"), map(_keys, lanes)) + "\n",
        "## Environment and files\n\n"
        "A pinned variable is always set, to your own value or else to nothing, so that a file of the repository\n"
        "cannot set it. A copy leaves out what any lane names in the last column, whichever lane it is for.\n\n"
        + table(around, map(_surroundings, lanes)) + "\n",
        "## What to do about a reason\n\n" + table(("lane", "reason", "way out"), _hints()),
    ]) + "\n"  # fmt: skip

"""docs/reference/configuration.md, from the central keys and those that shipped capabilities own."""

import json
from collections.abc import Iterable

from msd_review.config.schema import CENTRAL, KeySpec
from reference import shipped
from reference.markdown import cell, code, table

_HEAD = """\
# Configuration

Configuration is JSON in two files: the user's, `$MSD_HOME/config.json` (else `~/.msd/config.json`), and the
project's, `.planning/config.json` at the project's root. Keys may be nested or written flat with dots.

From low to high: the default, the user's file, the project's file, the command line. `msd config list --origin`
shows every value and where it comes from; `msd config set KEY VALUE` checks a value before it writes it
(`--user` for the user's file). A value of the wrong type is never bent into another: a warning says so, and the
default holds. A string counts as unset when it is blank, `null` or `undefined`.

A key has one owner. What no single lane may decide belongs to `msd`; everything else belongs to the capability
that ships the lane, and goes with it when it is removed: your file keeps the value, and a warning says that
nothing declares it. An installed capability adds its own keys here.

This page is generated from the keys that this version declares.

*Who may decide*: `anyone` is the user and the project; `user only` is ignored in a project's file, with a
warning; `project may tighten` lets a project narrow what the user allows, never widen it.
"""
_HEADINGS = ("key", "type", "default", "who may decide", "what it is for")
_ENVIRONMENT = (
    (
        "MSD_HOME",
        "the user's folder: consents, user configuration, global capabilities, ledger; else `~/.msd`",
    ),
    ("MSD_STATE_DIR", "where runs are kept; else the platform's state folder for users"),
    ("MSD_DEBUG", "set, a failing command shows the traceback"),
    (
        "NO_COLOR, TERM, CI",
        "`TERM=dumb`, or `CI` set to anything, turns the live table into one line an event",
    ),
)


def kind(spec: KeySpec) -> str:
    """A key's type for people, with an enum's members and a number's lower bound."""
    if spec.type == "enum":
        return "one of " + ", ".join(code(value) for value in spec.values)
    return spec.type if spec.minimum is None else f"{spec.type}, at least {spec.minimum:g}"


def _default(spec: KeySpec) -> str:
    return "unset" if spec.default is None or spec.default == "" else code(json.dumps(spec.default))


def _row(spec: KeySpec) -> tuple[str, ...]:
    name = spec.key.replace("*", "<slug>")
    return code(name), kind(spec), _default(spec), spec.who, cell(spec.description)


def _section(title: str, specs: Iterable[KeySpec]) -> str:
    return f"## {title}\n\n" + table(_HEADINGS, map(_row, sorted(specs, key=lambda spec: spec.key))) + "\n"


def page() -> str:
    """The whole page."""
    schema = shipped.schema()
    every = [*schema.keys.values(), *schema.families]
    sections = [_section("Of msd itself", (spec for spec in every if spec.owner == CENTRAL))]
    for capability in shipped.registry().active:
        owned = [spec for spec in every if spec.owner == capability.id]
        if owned:
            sections.append(_section(f"Of `{capability.id}`", owned))
    variables = table(
        ("variable", "what it does"), ((code_list(names), text) for names, text in _ENVIRONMENT)
    )
    return "\n".join([_HEAD, *sections, f"## Environment variables\n\n{variables}"]) + "\n"


def code_list(names: str) -> str:
    """Comma-separated names, each as code."""
    return ", ".join(code(name) for name in names.split(", "))

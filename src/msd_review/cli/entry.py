"""The command's very first module: answers the two cheapest questions itself, and hands the rest on.

Importing click costs seven times the start of Python, so `msd --version` and a plain `msd lane list` are
answered without it; every other command line goes through `cli.main`, which answers these two as well.
"""

import importlib
import sys

from msd_review import CONTRACT_VERSION, __version__

_LANE_LIST = ["lane", "list"]


def main() -> None:
    """Runs `msd`."""
    arguments = sys.argv[1:]
    if arguments == ["--version"]:
        print(f"msd, version {__version__} (manifest contract {CONTRACT_VERSION})")
    elif arguments[:2] == _LANE_LIST and arguments[2:] in ([], ["--json"]):
        module = importlib.import_module("msd_review.cli.boundary")
        sys.exit(module.guarded(lambda: _list_lanes(as_json=bool(arguments[2:]))))
    else:
        importlib.import_module("msd_review.cli.main").main()


def _list_lanes(*, as_json: bool) -> int:
    lanes = importlib.import_module("msd_review.app.lane_list")
    shown = importlib.import_module("msd_review.cli.lane_table")
    world = importlib.import_module("msd_review.app.world").load_world(None)
    for warning in (*world.warnings(), *(notice.message for notice in world.registry.notices)):
        print(importlib.import_module("msd_review.cli.tables").safe(f"warning: {warning}"), file=sys.stderr)
    rows = lanes.list_lanes(world)
    print(shown.lanes_json(rows) if as_json else shown.lanes_text(rows))
    return 0

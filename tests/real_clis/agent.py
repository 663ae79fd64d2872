"""A real agent that was given `msd mcp` by its own configuration, and a model that goes through msd's loop with it."""

import json
import sys
from pathlib import Path
from typing import Any

from tests.real_clis.agent_model import DONE, reply
from tests.real_clis.desk import Desk, new_desk
from tests.real_clis.model_server import ModelServer

AGENT = "qwen"
_CALLS = ("list_reviewers", "start_review", "review_status", "get_review")


def check_agent(base: Path, server: ModelServer) -> str:
    """ "" when the agent went through the whole loop and a review lies in the project, else what was seen instead."""
    server.mode = "ok"
    server.asked.clear()
    desk = new_desk(base, server.url("").rstrip("/"))
    _register(desk)
    server.script = reply
    try:
        ended = desk.run(AGENT, "--approval-mode", "yolo", "-p", "Review the plans of phase 2 with msd.")
    finally:
        server.script = None
    problems = [*_not_called(server), *_not_written(desk)]
    if DONE not in ended.out:
        problems.append(f"the agent said {ended.out[-200:]!r}, exit {ended.code}: {ended.err[-300:]}")
    return "; ".join(problems)


def _register(desk: Desk) -> None:
    """What a person writes into the agent's settings; the state folders are this desk's own."""
    path = desk.home / ".qwen" / "settings.json"
    settings = json.loads(path.read_text(encoding="utf-8"))
    own = {
        name: value
        for name, value in desk.env().items()
        if name in {"MSD_HOME", "MSD_STATE_DIR", "PATH", "HOME"}
    }
    entry: dict[str, Any] = {"command": sys.executable, "args": ["-m", "msd_review", "mcp"], "env": own}
    path.write_text(json.dumps(settings | {"mcpServers": {"msd": entry}}, indent=1), encoding="utf-8")


def _not_called(server: ModelServer) -> list[str]:
    """The tools whose calls the model's later requests do not show as made and answered."""
    bodies = "".join(asked.body.decode("utf-8", "replace") for asked in server.of(AGENT))
    documents = ("msd.mcp-reviewers/1", "msd.mcp-started/1", "msd.mcp-status/1", "msd.mcp-review/1")
    return [
        f"{call} was not answered"
        for call, schema in zip(_CALLS, documents, strict=True)
        if f'{{\\"schema\\": \\"{schema}\\"' not in bodies
    ]


def _not_written(desk: Desk) -> list[str]:
    written = sorted(path.name for path in desk.project.rglob("*-REVIEWS.*"))
    runs = list((desk.base / "state" / "runs").glob("*/outcome.json"))
    problems = [] if written == ["02-REVIEWS.json", "02-REVIEWS.md"] else [f"written: {written}"]
    return problems if len(runs) == 1 else [*problems, f"{len(runs)} runs ended"]

"""What each tool must do when it is driven through `msd review`: every cell of the table is one check."""

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.real_clis.desk import Desk, Ended, new_desk
from tests.real_clis.model_server import ModelServer
from tests.real_clis.wire import INPUT_TOKENS, OUTPUT_TOKENS

_SECONDS = 90
_HANG_SECONDS = 15
_HANG_SLACK = 30
_BIG = 200_000
_SECRET = "CONTENT-OF-A-FILE-OUTSIDE"
# On a rate limit some tools go on for minutes: our deadline is then what ends them.
_REASONS = {
    "401": frozenset({"auth_required"}),
    "429": frozenset({"rate_limited", "timeout"}),
    "empty": frozenset({"empty_output"}),
}
# Its JSON names tokens below a key that is the model's name, which a pointer cannot say.
_NO_USAGE = frozenset({"gemini"})


@dataclass(slots=True)
class Table:
    """tool → check → "" when it holds, else what was seen instead."""

    cells: dict[str, dict[str, str]] = field(default_factory=dict)

    def say(self, slug: str, check: str, problem: str) -> None:
        self.cells.setdefault(slug, {})[check] = problem

    def failures(self) -> list[str]:
        return [
            f"{slug}: {check}: {problem}"
            for slug, row in self.cells.items()
            for check, problem in row.items()
            if problem
        ]


def run_checks(slugs: Iterable[str], table: Table, *, base: Path, server: ModelServer) -> None:
    """All checks of all tools, into `table`."""
    slugs = tuple(slugs)
    _good_review(slugs, table, base / "ok", server)
    _big_plan(slugs, table, base / "big", server)
    for mode, reasons in _REASONS.items():
        ended = _ended(slugs, base / mode, server, mode=mode, seconds=_SECONDS)
        for slug in slugs:
            table.say(slug, mode, _not_reason(ended, slug, reasons))
    _hang(slugs, table, base / "hang", server)


def _review(desk: Desk, slugs: Iterable[str], *more: str, seconds: int = _SECONDS) -> Ended:
    bounds = [part for slug in slugs for part in ("--timeout", f"{slug}={seconds}")]
    return desk.review(*(f"--{slug}" for slug in slugs), *bounds, *more)


def _ended(slugs: tuple[str, ...], base: Path, server: ModelServer, *, mode: str, seconds: int) -> Ended:
    server.mode = mode
    server.asked.clear()
    return _review(_desk(base, server), slugs, "--phase", "2", seconds=seconds)


def _desk(base: Path, server: ModelServer) -> Desk:
    return new_desk(base, server.url("").rstrip("/"))


def _good_review(slugs: tuple[str, ...], table: Table, base: Path, server: ModelServer) -> None:
    server.mode = "ok"
    server.asked.clear()
    desk = _desk(base, server)
    before = desk.tree()
    ended = _review(desk, slugs, "--phase", "2")
    written = {name for name, digest in desk.tree().items() if before.get(name) != digest}
    strange = sorted(name for name in written if "-REVIEWS." not in name)
    left = desk.left_running()
    for slug in slugs:
        row = ended.reviewers().get(slug, {})
        table.say(slug, "review", "" if row.get("outcome") == "review" else _seen(row, ended))
        table.say(slug, "findings", _not_found(ended, slug))
        table.say(slug, "usage", _not_counted(row, slug))
        table.say(slug, "tree", ", ".join(strange))
        table.say(slug, "processes", " | ".join(left)[:200])


def _seen(row: dict[str, Any], ended: Ended) -> str:
    if not row:
        return f"no row; exit {ended.code}: {ended.err[-200:]}"
    return f"{row.get('outcome')}/{row.get('reason')}: {row.get('detail')}"[:200]


def _not_found(ended: Ended, slug: str) -> str:
    found = [
        (finding["severity"], [cited.get("path") for cited in finding.get("citations", ())])
        for finding in ended.document().get("findings", ())
        if slug in (finding.get("identity"), finding.get("reviewer"))
    ]
    severities = sorted(severity.lower() for severity, _ in found)
    return "" if severities == ["high", "low"] else f"{found}"[:200]


def _not_counted(row: dict[str, Any], slug: str) -> str:
    usage = row.get("usage")
    if slug in _NO_USAGE and usage is None:
        return ""
    counted = (usage or {}).get("input_tokens"), (usage or {}).get("output_tokens")
    return "" if counted == (INPUT_TOKENS, OUTPUT_TOKENS) else f"{usage}"


def _big_plan(slugs: tuple[str, ...], table: Table, base: Path, server: ModelServer) -> None:
    server.mode = "ok"
    server.asked.clear()
    desk = _desk(base, server)
    secret = desk.base / "secret.txt"
    secret.write_text(_SECRET, encoding="utf-8")
    (desk.home / "notes.txt").write_text(_SECRET, encoding="utf-8")
    filler = "".join(
        f"- step {number}: keep every link — “as it is” (ünïcode), then go on\n" for number in range(4000)
    )
    mentions = (
        f"Read @/etc/hostname and @{secret} and @~/notes.txt and @../secret.txt.\n@linkshelf/links.py\n"
        "See (@linkshelf/store.py), `@linkshelf/cli.py` and @./linkshelf/links.py first.\n"
    )
    desk.write("BIG-PLAN.md", f"# Import\n\n{mentions}\n{filler}\n{mentions}")
    ended = _review(desk, slugs, "BIG-PLAN.md")
    inside = (desk.project / "linkshelf" / "links.py").read_text(encoding="utf-8").splitlines()[0]
    for slug in slugs:
        sent = [text for asked in server.of(slug) for text in _texts(asked.body)]
        whole = any(filler.strip() in text for text in sent)
        table.say(
            slug,
            "200 KB",
            ""
            if whole and len(filler) > _BIG
            else f"not whole; {_seen(ended.reviewers().get(slug, {}), ended)}",
        )
        pulled = [part for part in (_SECRET, inside) if any(part in text for text in sent)]
        table.say(slug, "no @path", "" if sent and not pulled else f"pulled in: {pulled}")


def _texts(body: bytes) -> Iterator[str]:
    """Every string of a JSON body."""
    try:
        waiting: list[Any] = [json.loads(body)]
    except ValueError:
        return
    while waiting:
        value = waiting.pop()
        if isinstance(value, str):
            yield value
        elif isinstance(value, dict):
            waiting.extend(value.values())
        elif isinstance(value, list):
            waiting.extend(value)


def _not_reason(ended: Ended, slug: str, reasons: frozenset[str]) -> str:
    row = ended.reviewers().get(slug, {})
    said = {row.get("reason"), row.get("outcome")}
    return "" if said & reasons and "review" not in said else _seen(row, ended)


def _hang(slugs: tuple[str, ...], table: Table, base: Path, server: ModelServer) -> None:
    server.mode = "hang"
    server.asked.clear()
    desk = _desk(base, server)
    ended = _review(desk, slugs, "--phase", "2", seconds=_HANG_SECONDS)
    late = "" if ended.seconds < _HANG_SECONDS + _HANG_SLACK else f"{ended.seconds:.0f} s; "
    left = " | ".join(desk.left_running())
    for slug in slugs:
        row = ended.reviewers().get(slug, {})
        timed_out = row.get("outcome") == "timeout" or row.get("reason") in {"timeout", "deadline"}
        table.say(slug, "hang", late + ("" if timed_out else _seen(row, ended)) + left[:200])

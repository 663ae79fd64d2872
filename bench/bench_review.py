"""What a whole `msd review` costs, as a table: `python bench/bench_review.py [CASE …]`.

CPU is msd's own; in brackets is what it waited for (lanes, their keepers, git). `start-up` is one dry run's wall time.
"""

import socket
import sys
import tempfile
import threading
from collections.abc import Callable
from pathlib import Path

from commands import MSD, Cost, agree, cost, fake_lanes, starts

sys.path.insert(0, str(Path(__file__).parent.parent))
from tests.installed import Desk
from tests.registry_files import lane_manifest

REVIEW = (*MSD, "review", "--phase", "2", "--all", "--exclude", "grounding", "--yes")
PROBE_S = 3
_LOCAL = ("ollama", "lm_studio", "llama_cpp")  # they listen on loopback and would be probed too


def _msd(desk: Desk, *arguments: str) -> Cost:
    without = [part for slug in _LOCAL for part in ("--exclude", slug)]
    return cost(desk, (*REVIEW, *without, *arguments))


def _show(name: str, found: Cost, said: str = "") -> None:
    own = f"{found.cpu:5.2f} s ({found.children:5.2f} s)"
    print(f"{name:34}wall {found.wall:6.2f} s   CPU {own}   peak {found.peak:6.1f} MiB   {said}")


def _instant(base: Path, name: str) -> None:
    desk = fake_lanes(base, 12)
    _msd(desk, "--dry-run")
    runs = sorted((_msd(desk) for _ in range(3)), key=lambda one: one.cpu)
    _show(name, runs[1], "budget: CPU below 1.5 s")
    again = _msd(desk, "--resume")
    _show("resume of that run", again, f"lanes started: {starts(desk) - 36}; budget: 0, CPU below 1 s")


def _sleeping(base: Path, name: str) -> None:
    desk = fake_lanes(base, 12, before="sleep 2")
    start_up = _msd(desk, "--dry-run").wall
    found = _msd(desk)
    ratio = (found.wall - start_up) / 2
    _show(name, found, f"start-up {start_up:.2f} s, the rest {ratio:.2f} × 2 s")


def _large(base: Path, name: str) -> None:
    desk = fake_lanes(base, 12)
    plan = next(desk.project.glob(".planning/phases/02-*/*-PLAN.md"))
    line = "The exporter writes one link a line and keeps the order in which links were added.\n"
    with plan.open("a", encoding="utf-8") as handle:
        handle.write(line * (5_000_000 // len(line)))
    _show(name, _msd(desk), "budget: peak below 150 MiB")


def _mute() -> socket.socket:
    """A listener on loopback that takes connections and never answers: what a host that drops packets looks like."""
    listener = socket.create_server(("127.0.0.1", 0), backlog=64)

    def keep() -> None:
        held = []
        while True:
            held.append(listener.accept())

    threading.Thread(target=keep, daemon=True).start()
    return listener


def _probing(base: Path, name: str) -> None:
    desk = fake_lanes(base, 9)
    agree(desk, [_http_lane(f"mute{number}", _mute().getsockname()[1]) for number in range(3)])
    start_up = _msd(desk, "--dry-run", *(part for n in range(3) for part in ("--exclude", f"mute{n}"))).wall
    found = _msd(desk, "--dry-run")
    _show(name, found, f"largest probe {PROBE_S} s + start-up {start_up:.2f} s")


def _http_lane(name: str, port: int) -> dict[str, object]:
    key = f"review.{name}_host"
    manifest = lane_manifest(
        name,
        transport="openai-http",
        probe={
            "kind": "http-reachable",
            "hostConfigKey": key,
            "path": "/v1/models",
            "timeoutMs": PROBE_S * 1000,
        },
        invoke={
            "hostConfigKey": key,
            "defaultHost": f"http://127.0.0.1:{port}",
            "path": "/v1/chat/completions",
            "modelDiscovery": "first-from-models-endpoint",
            "effortChannel": "none",
        },
        handler="openai-compatible",
        requiresBinaries=[],
    )
    return {**manifest, "config": {key: {"type": "string", "default": "", "description": "Base URL."}}}


CASES: dict[str, Callable[[Path, str], None]] = {
    "12 instant lanes": _instant,
    "12 lanes that sleep 2 s": _sleeping,
    "12 lanes, 5 MB prompt": _large,
    "probing 12, 3 never answer": _probing,
}


def main(wanted: list[str]) -> None:
    """Prints a row a case."""
    for name, case in CASES.items():
        if not wanted or any(part in name for part in wanted):
            with tempfile.TemporaryDirectory(prefix="msd-bench-") as folder:
                case(Path(folder), name)


if __name__ == "__main__":
    main(sys.argv[1:])

"""The part that runs in the sealed namespace: brings up loopback, runs the checks, prints the tables.

Run by `run.py`; refuses to start where any other network interface is up.
"""

import fcntl
import socket
import struct
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from tests.real_clis.agent import AGENT, check_agent
from tests.real_clis.attacks import ATTACKS, Caught, attack
from tests.real_clis.checks import Table, run_checks
from tests.real_clis.hosts import host_checks
from tests.real_clis.model_server import model_server

_GET_FLAGS, _SET_FLAGS, _UP = 0x8913, 0x8914, 0x1


def main(slugs: Sequence[str]) -> int:
    """0 when every check holds, else 1."""
    _only_loopback()
    table = Table()
    with (
        tempfile.TemporaryDirectory(prefix="msd-real-clis-") as folder,
        model_server() as good,
        model_server() as evil,
    ):
        base = Path(folder)
        run_checks(slugs, table, base=base, server=good)
        _print_table(table)
        hosts = Table(host_checks(slugs, base=base / "hosts", server=good))
        _print_table(hosts)
        agent = check_agent(base / "agent", good) if AGENT in slugs else ""
        if AGENT in slugs:
            print(f"\nagent: {AGENT} goes through msd's loop over MCP: {'NO' if agent else 'ok'}", flush=True)
        caught = []
        for number, one in enumerate(ATTACKS):
            caught.append(attack(one, slugs, base=base / f"attack-{number}", good=good, evil=evil))
            _print_attack(caught[-1])
    failures = [
        *table.failures(),
        *hosts.failures(),
        *([f"agent: {agent}"] if agent else []),
        *(f"{one.attack.name}: {what}" for one in caught for what in one.new()),
    ]
    print("\n" + ("\n".join(f"FAILED {failure}" for failure in failures) or "every check holds"))
    return 1 if failures else 0


def _only_loopback() -> None:
    names = [name for _, name in socket.if_nameindex()]
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as handle:
        up = [name for name in names if name != "lo" and _flags(handle, name) & _UP]
        if up:
            raise SystemExit(f"not sealed: {', '.join(up)} is up")
        request = struct.pack("16sh14x", b"lo", _flags(handle, "lo") | _UP)
        fcntl.ioctl(handle, _SET_FLAGS, request)


def _flags(handle: socket.socket, name: str) -> int:
    answer = fcntl.ioctl(handle, _GET_FLAGS, struct.pack("16sh14x", name.encode(), 0))
    return int(struct.unpack("16sh14x", answer)[1])


def _print_table(table: Table) -> None:
    checks = list(next(iter(table.cells.values()), {}))
    print("  ".join([f"{'tool':<9}", *checks]))
    for slug, row in table.cells.items():
        print(
            "  ".join(
                [f"{slug:<9}", *(f"{'NO' if row.get(check) else 'ok':<{len(check)}}" for check in checks)]
            )
        )
    sys.stdout.flush()


def _print_attack(one: Caught) -> None:
    print(f"\nattack: {one.attack.name}: {'GOT THROUGH' if one.new() else 'nothing new got through'}")
    for what in one.ours:
        print(f"  through msd{' (known)' if what in one.attack.known else ''}: {what}")
    for what in one.alone:
        print(f"  the tool alone: {what}")
    sys.stdout.flush()


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))

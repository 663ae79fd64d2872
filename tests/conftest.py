"""Every test runs with an empty home, no user stores, and a network that ends at loopback."""

import ipaddress
import os
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

# How many examples a property test tries, where it says nothing else. No
# deadline and no complaint about slow generation: a busy machine must not fail a test.
settings.register_profile(
    "msd",
    max_examples=100,
    deadline=None,
    database=None,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("msd")

_KEPT = ("PATH", "LANG", "LC_ALL", "TZ", "TMPDIR", "SYSTEMROOT", "VIRTUAL_ENV", "PYTEST_XDIST_WORKER", "CI")
_NAMES_OF_THIS_MACHINE = {"localhost", "localhost.localdomain"}


class NetworkRefused(OSError):
    """A test tried to leave this machine."""


def _stays_here(host: object) -> bool:
    if not isinstance(host, str) or host in _NAMES_OF_THIS_MACHINE or host == "":
        return True
    try:
        return ipaddress.ip_address(host.split("%")[0]).is_loopback
    except ValueError:
        return False


@pytest.fixture(autouse=True)
def only_loopback(monkeypatch: pytest.MonkeyPatch) -> None:
    connect = socket.socket.connect

    def guarded(self: socket.socket, address: Any) -> None:
        if self.family in {socket.AF_INET, socket.AF_INET6} and not _stays_here(address[0]):
            raise NetworkRefused(f"a test must not connect to {address!r}")
        connect(self, address)

    monkeypatch.setattr(socket.socket, "connect", guarded)


@pytest.fixture(autouse=True)
def empty_home(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A private home, MSD_HOME and MSD_STATE_DIR for each test, and a bare environment."""
    base = tmp_path_factory.mktemp("user")
    home = base / "home"
    home.mkdir()
    for name in list(os.environ):
        if name not in _KEPT and not name.startswith("PYTEST_"):
            monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("MSD_HOME", str(base / "msd-home"))
    monkeypatch.setenv("MSD_STATE_DIR", str(base / "state"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(base / "xdg-config"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(base / "xdg-cache"))
    monkeypatch.setenv("XDG_STATE_HOME", str(base / "xdg-state"))
    for name, value in {
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_AUTHOR_NAME": "tests",
        "GIT_AUTHOR_EMAIL": "tests@example.invalid",
        "GIT_COMMITTER_NAME": "tests",
        "GIT_COMMITTER_EMAIL": "tests@example.invalid",
        "GIT_ALLOW_PROTOCOL": "file",
        "GIT_TERMINAL_PROMPT": "0",
    }.items():
        monkeypatch.setenv(name, value)
    yield home

"""The fences that every other test relies on do hold."""

import os
import pwd
import socket
from pathlib import Path

import pytest


def test_the_real_home_and_stores_are_out_of_reach() -> None:
    real = Path(pwd.getpwuid(os.getuid()).pw_dir)
    assert Path.home() != real
    for name in ("MSD_HOME", "MSD_STATE_DIR", "XDG_CONFIG_HOME", "XDG_STATE_HOME"):
        assert not Path(os.environ[name]).is_relative_to(real), name
        assert not Path(os.environ[name]).exists()


def test_a_connection_off_this_machine_is_refused() -> None:
    with socket.socket(socket.AF_INET) as sock, pytest.raises(OSError, match="must not connect"):
        sock.connect(("192.0.2.1", 80))


def test_no_variable_of_the_caller_reaches_a_test() -> None:
    assert [n for n in os.environ if n.endswith(("_API_KEY", "_TOKEN", "_PROXY", "_proxy"))] == []

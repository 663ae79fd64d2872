"""Starts a command that outlives us: in a session of its own, nobody's descendant, reading and writing no stream of ours.

The command is started by a short-lived launcher (this very file, run as a script), so that it is adopted by the
system at once. Whoever ends our whole process tree, as hosts of servers do, does not end it.
"""

import os
import signal
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

_LAUNCH_S = 20.0
_RESET = ("SIGINT", "SIGTERM", "SIGHUP", "SIGPIPE", "SIGQUIT", "SIGCHLD")


def start_detached(
    argv: Sequence[str], *, env: Mapping[str, str], cwd: Path, stdout_path: Path, stderr_path: Path
) -> int:
    """The process id of the command, started with an empty stdin and its output in new private files.

    `argv[0]` is an absolute path, `env` the complete environment. Raises OSError when it cannot be started.
    """
    import subprocess  # the launcher, which is this file, needs none of it

    if sys.platform == "win32":
        return _start_on_windows(argv, env=env, cwd=cwd, outputs=(stdout_path, stderr_path))
    launcher = [sys.executable, "-I", "-S", __file__, str(stdout_path), str(stderr_path), *argv]
    try:
        done = subprocess.run(
            launcher,
            env=dict(env),
            cwd=cwd,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            start_new_session=True,
            timeout=_LAUNCH_S,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise OSError(f"it was not started within {_LAUNCH_S:.0f} s") from None
    said = done.stdout.strip()
    if done.returncode or not said.isdigit():
        raise OSError(done.stderr.decode("utf-8", "replace").strip().rpartition("\n")[2][:300] or "no answer")
    return int(said)


def _start_on_windows(
    argv: Sequence[str], *, env: Mapping[str, str], cwd: Path, outputs: tuple[Path, Path]
) -> int:
    import subprocess

    flags = getattr(subprocess, "DETACHED_PROCESS", 0) | getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0)
    with outputs[0].open("xb") as out, outputs[1].open("xb") as err:
        return subprocess.Popen(
            list(argv), env=dict(env), cwd=cwd, stdin=subprocess.DEVNULL, stdout=out, stderr=err,
            creationflags=flags,
        ).pid  # fmt: skip


def _launch(arguments: list[str]) -> int:
    stdout_path, stderr_path, *argv = arguments
    new_file = os.O_WRONLY | os.O_CREAT | os.O_EXCL
    return os.posix_spawn(
        argv[0],
        argv,
        dict(os.environb),
        file_actions=[
            (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0),
            (os.POSIX_SPAWN_OPEN, 1, stdout_path, new_file, 0o600),
            (os.POSIX_SPAWN_OPEN, 2, stderr_path, new_file, 0o600),
        ],
        setsid=True,
        setsigmask=(),
        setsigdef=[getattr(signal, name) for name in _RESET],
    )


if __name__ == "__main__":
    sys.stdout.write(f"{_launch(sys.argv[1:])}\n")

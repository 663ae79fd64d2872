"""The program that plays a reviewer. Run by itself with `python -I`, it imports nothing of msd.

    stand_in.py SCRIPT ARGUMENT…

SCRIPT is a JSON file that the kit wrote: what to record where, and what to do. Everything that is seen is written to
the script's `record` folder, one `call-PID.json` a call, whole before the answer begins. With `drive` another program
is run in its place, with the same arguments, standard streams and environment, and what it leaves behind is noted.
"""

import contextlib
import json
import os
import signal
import subprocess  # noqa: TID251 - this is no part of msd: it is the tool that msd starts
import sys
import time
from pathlib import Path
from typing import Any

_MARK = "MSD_PROCESS_MARK"
_MOST_STDIN = 64 * 1024 * 1024
_HANG_S = 600
_FLOOD_CHUNK = b"this tool does not stop printing, whatever happens to it.\n" * 1024


def main() -> int:
    """Plays one call; the exit status is the script's."""
    script = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
    arguments = sys.argv[2:]
    if script.get("drive"):
        return _drive(script, arguments)
    if arguments == ["--help"]:
        _to(1, script.get("help", "") + "\n")
        return 0
    call = _seen(script, arguments)
    children = [_detached_child() for _ in range(script.get("children", 0))]
    _record(script, {**call, "children": children})
    for path, content in script.get("writes", {}).items():
        Path(path).write_text(content, encoding="utf-8")
    return _answer(script, arguments)


def _seen(script: dict[str, Any], arguments: list[str]) -> dict[str, Any]:
    folder = Path(script["record"])
    stdin = sys.stdin.buffer.read(_MOST_STDIN)
    (folder / f"stdin-{os.getpid()}").write_bytes(stdin)
    return {
        "pid": os.getpid(),
        "argv": arguments,
        "cwd": os.getcwd(),  # noqa: PTH109 - the name as it is
        "env": dict(os.environ),  # noqa: TID251
        "stdin": f"stdin-{os.getpid()}",
        "files": _named_files(folder, arguments, script.get("prompt_files", [])),
        "visible": [name for name in script.get("looks_for", []) if os.path.lexists(name)],
    }


def _named_files(folder: Path, arguments: list[str], names: list[str]) -> list[str]:
    """The files that the arguments name as the prompt's: read now, since they are removed afterwards."""
    found: list[str] = []
    for name in names:
        for argument in arguments:
            path = _path_ending_in(argument, name)
            if path is not None:
                copy = folder / f"file-{os.getpid()}-{len(found)}"
                copy.write_bytes(path.read_bytes())
                found.append(copy.name)
    return found


def _path_ending_in(argument: str, name: str) -> Path | None:
    end = argument.find(name)
    if end < 0:
        return None
    end += len(name)
    starts = [at for at in range(end) if argument[at] == "/"]
    candidates = (Path(argument[start:end]) for start in starts)
    return next((path for path in candidates if path.is_file()), None)


def _record(script: dict[str, Any], call: dict[str, Any]) -> None:
    folder = Path(script["record"])
    ready = folder / f".call-{os.getpid()}"
    ready.write_text(json.dumps(call), encoding="utf-8")
    ready.rename(folder / f"call-{os.getpid()}.json")


def _detached_child() -> int:
    """A process that leaves this one's session and would outlive it."""
    command = [sys.executable, "-I", "-c", f"import time; time.sleep({_HANG_S})"]
    null = subprocess.DEVNULL
    return subprocess.Popen(command, stdin=null, stdout=null, stderr=null, start_new_session=True).pid


def _answer(script: dict[str, Any], arguments: list[str]) -> int:
    _to(2, script.get("stderr", ""))
    if script.get("deaf"):
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        signal.signal(signal.SIGINT, signal.SIG_IGN)
    _to(1, script.get("stdout", ""))
    if script.get("output") is not None:
        target = _argument_after(arguments, script.get("output_arg"))
        if target is not None:
            Path(target).write_text(script["output"], encoding="utf-8")
    if script.get("flood"):
        _flood(int(script["flood"]))
    if script.get("hang"):
        time.sleep(_HANG_S)
    return int(script.get("exit", 0))


def _to(descriptor: int, text: str) -> None:
    rest = text.encode()
    while rest:
        rest = rest[os.write(descriptor, rest) :]


def _argument_after(arguments: list[str], name: str | None) -> str | None:
    at = arguments.index(name) + 1 if name in arguments else len(arguments)
    return arguments[at] if at < len(arguments) else None


def _flood(size: int) -> None:
    done = 0
    while done < size:
        done += os.write(1, _FLOOD_CHUNK)


def _drive(script: dict[str, Any], arguments: list[str]) -> int:
    program = script["drive"]
    if arguments == ["--help"]:
        os.execv(program, [program, *arguments])
    with subprocess.Popen([program, *arguments]) as tool:
        # Of the environment only what msd itself sets: the rest is a person's own.
        told = {name: os.environ[name] for name in ("MSD_EFFORT",) if name in os.environ}  # noqa: TID251
        _record(script, {"pid": os.getpid(), "argv": arguments, "env": told, "children": [tool.pid]})
        status = tool.wait()
    left = _left_behind({os.getpid(), os.getppid(), tool.pid})
    Path(script["record"], f"left-{os.getpid()}.json").write_text(json.dumps(left), encoding="utf-8")
    if status < 0:
        signal.signal(-status, signal.SIG_DFL)
        os.kill(os.getpid(), -status)
    return status


def _left_behind(known: set[int]) -> list[str] | None:
    """The names of the processes that still carry this call's mark a moment after the tool ended; None: cannot be seen."""
    mark = os.environ.get(_MARK, "")  # noqa: TID251
    if not mark or not Path("/proc/self/environ").exists():
        return None
    for _ in range(10):
        found = _marked(mark, known)
        if not found:
            return []
        time.sleep(0.05)
    return found


def _marked(mark: str, known: set[int]) -> list[str]:
    wanted = f"{_MARK}={mark}".encode()
    found = []
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit() or int(entry.name) in known:
            continue
        with contextlib.suppress(OSError):
            if wanted in (entry / "environ").read_bytes().split(b"\0"):
                words = (entry / "cmdline").read_bytes().replace(b"\0", b" ").decode("utf-8", "replace")
                found.append(words.strip()[:200])
    return found


if __name__ == "__main__":
    sys.exit(main())

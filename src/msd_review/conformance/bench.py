"""The bench that a lane is put on: homes, projects and programs in a folder that is removed, and the real `msd` in it.

Every scenario runs the very command that users run, as a process of its own: an environment of its own is what keeps
the kit away from the user's consents, configuration and runs, and what is proven is the product, not a copy of it.
Nothing outside of the bench's folder is written.
"""

import json
import os
import shutil
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from msd_review.conformance import stand_in
from msd_review.conformance.model import Driver
from msd_review.conformance.server import Server
from msd_review.conformance.subject import Subject
from msd_review.edges import environ, files
from msd_review.edges.capture import capture
from msd_review.errors import InputError
from msd_review.manifest.model import CommandCapability, SpawnInvoke

LIMIT_BYTES = 64 * 1024 * 1024
RUN_S = 30  # the deadline that a lane gets where nothing is meant to take long
OUR_BOUND_S = 90.0  # how long one command of ours may take altogether
PROMPT_FILES = (".msd-prompt.md", "prompt-1.md")
_PATHS = ("/usr/local/bin", "/usr/bin", "/bin")


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """One start of the reviewer: what reached it. `prompt` are the bytes of its declared channel."""

    argv: tuple[str, ...]
    cwd: str
    env: Mapping[str, str]
    prompt: bytes
    processes: tuple[int, ...]
    visible: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Ran:
    """How one command of ours ended. `calls` are the starts of the reviewer, `left` what a driven tool left running."""

    code: int | None
    document: Mapping[str, Any]
    stderr: str
    timed_out: bool
    calls: tuple[Call, ...]
    left: tuple[str, ...] | None = None

    @property
    def outcome(self) -> str:
        return str(self.document.get("outcome") or "")

    @property
    def reason(self) -> str:
        return str(self.document.get("reason") or "")

    @property
    def text(self) -> str:
        return str(self.document.get("text") or "")

    @property
    def marks(self) -> tuple[str, ...]:
        marks = self.document.get("marks")
        return tuple(map(str, marks)) if isinstance(marks, list) else ()

    @property
    def told(self) -> str:
        """What became of the lane, in one line."""
        if self.timed_out:
            return f"msd itself did not end within {OUR_BOUND_S:.0f} s"
        if self.outcome == "review":
            return "a review" + (f" ({', '.join(self.marks)})" if self.marks else "")
        if self.outcome:
            return ": ".join(
                part for part in (self.outcome, self.reason, str(self.document.get("detail") or "")) if part
            )
        last = [line for line in self.stderr.splitlines() if line.strip()]
        return f"exit status {self.code}" + (f": {last[0][:300]}" if last else "")


@dataclass(frozen=True, slots=True, kw_only=True)
class Desk:
    """One scenario's machine."""

    folder: Path

    @property
    def project(self) -> Path:
        return self.folder / "project"

    @property
    def bin(self) -> Path:
        return self.folder / "bin"

    @property
    def record(self) -> Path:
        return self.folder / "record"

    @property
    def state(self) -> Path:
        return self.folder / "state"


@dataclass(slots=True)
class Bench:
    """What all scenarios of one card share. `program` is the driven program, None where the stand-in plays."""

    base: Path
    subject: Subject
    driver: Driver
    program: Path | None = None
    server: Server | None = None
    inherited: Mapping[str, str] = field(default_factory=environ.snapshot)
    desks: int = 0

    @property
    def slug(self) -> str:
        return self.subject.lane.slug

    @property
    def is_scripted(self) -> bool:
        """Whether the reviewer does what a check tells it to."""
        return self.driver == "stand-in"

    @property
    def spawn(self) -> SpawnInvoke:
        """How the command is called. Raises RuntimeError for a server's lane."""
        if not isinstance(self.subject.lane.invoke, SpawnInvoke):
            raise RuntimeError(f"{self.slug} is no spawned lane")
        return self.subject.lane.invoke

    @property
    def home(self) -> Path:
        return self.base / "msd-home"

    def desk(self, name: str, files: Mapping[str, str] | None = None) -> Desk:
        """A machine for one scenario whose project holds `files`."""
        self.desks += 1
        desk = Desk(folder=self.base / f"{self.desks:02d}-{name}")
        for folder in (desk.project, desk.bin, desk.record, desk.state, desk.folder / "home"):
            folder.mkdir(parents=True, mode=0o700)
        for path, content in (
            files or {"PLAN.md": "# Plan\n", "src/parser.py": "# 1\n# 2\nparse = str\n"}
        ).items():
            target = desk.project / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(content, encoding="utf-8")
        return desk

    def env(self, desk: Desk) -> dict[str, str]:
        """The complete environment of one command of ours: the user's own only where their own tool is driven."""
        kept = dict(self.inherited) if self.driver == "tool" else {}
        paths = [str(desk.bin), *self._paths()]
        private = {} if self.driver == "tool" else {"HOME": str(desk.folder / "home")}
        fixed = {
            "LANG": "C.UTF-8",
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_CONFIG_GLOBAL": os.devnull,
            "GIT_TERMINAL_PROMPT": "0",
        }
        passed = {
            name: self.inherited[name]
            for name in ("TMPDIR", "PYTHONPATH", "SYSTEMROOT")
            if name in self.inherited
        }
        return {
            **kept,
            **fixed,
            **passed,
            **private,
            "PATH": os.pathsep.join(paths),
            "MSD_HOME": str(self.home),
            "MSD_STATE_DIR": str(desk.state),
        }

    def _paths(self) -> list[str]:
        theirs = [folder for folder in self.inherited.get("PATH", "").split(os.pathsep) if folder]
        if self.driver in {"binary", "tool"}:
            return theirs
        git = shutil.which("git", path=os.pathsep.join(theirs))
        return list(dict.fromkeys((*((str(Path(git).parent),) if git else ()), *_PATHS)))

    def _missing_programs(self) -> list[str]:
        """The programs that the lane requires beside its own and that are not here: msd only looks for them."""
        required = self.subject.lane.requires_binaries
        path = os.pathsep.join(self._paths())
        missing = [
            name for name in required if self.is_scripted or shutil.which(Path(name).name, path=path) is None
        ]
        return missing if self.driver != "tool" else []

    def play(self, desk: Desk, **script: Any) -> None:
        """Puts the reviewer on the desk's PATH under the declared name; `script` is what the stand-in does."""
        if self.driver == "shipped":
            return
        names = {Path(name).name for name in (self.spawn.binary, *self._missing_programs())}
        content = {
            "record": str(desk.record),
            "help": _help(self.subject),
            "prompt_files": list(PROMPT_FILES),
            "output_arg": self.spawn.output_arg,
            "drive": str(self.program) if self.program is not None else None,
            **script,
        }
        written = desk.folder / "script.json"
        written.write_text(json.dumps(content), encoding="utf-8")
        command = [sys.executable, "-I", stand_in.__file__, str(written)]
        for name in names - {"", "..", "git"}:  # git is what msd itself uses
            _write_program(desk.bin / name, command)

    async def msd(
        self, desk: Desk, *arguments: str, stdin: bytes | None = None, bound_s: float = OUR_BOUND_S
    ) -> Ran:
        """Runs the real command in the desk's project."""
        captured = await capture(
            [sys.executable, "-m", "msd_review", "-C", str(desk.project), *arguments],
            env=self.env(desk),
            cwd=desk.project,
            timeout_s=bound_s,
            limit_bytes=LIMIT_BYTES,
            stdin=stdin,
        )
        if captured.problem is not None:
            raise InputError(f"msd could not be started: {captured.problem}")
        return Ran(
            code=captured.exit_status,
            document=_document(captured.stdout),
            stderr=captured.stderr.decode("utf-8", "replace"),
            timed_out=captured.timed_out,
            calls=tuple(self.calls(desk)),
            left=_left(desk),
        )

    async def lane_run(self, desk: Desk, prompt: str, *options: str, timeout_s: float | None = None) -> Ran:
        """`msd lane run` of the lane on one prompt; without a deadline it has the one that fits who is driven."""
        model = self.subject.model
        chosen = () if model is None or "--model" in options else ("--model", f"{self.slug}={model}")
        limit = timeout_s if timeout_s is not None else self._patience_s()
        limits = ("--timeout", f"{self.slug}={limit:g}")
        return await self.msd(
            desk,
            *("lane", "run", self.slug, "--json"),
            *(*limits, *chosen, *options),
            stdin=prompt.encode(),
            bound_s=limit + OUR_BOUND_S,
        )

    def _patience_s(self) -> float:
        """A tool that thinks gets the time that its lane gives it; one that pretends needs little."""
        if self.driver == "tool":
            return self.subject.lane.timeout_floor_ms / 1000
        return RUN_S

    def calls(self, desk: Desk) -> list[Call]:
        """The starts of the command that this desk recorded, in order."""
        found = []
        for path in sorted(desk.record.glob("call-*.json"), key=lambda path: path.stat().st_mtime_ns):
            call = json.loads(path.read_text(encoding="utf-8"))
            found.append(
                Call(
                    argv=tuple(call["argv"]),
                    cwd=call.get("cwd", ""),
                    env=call.get("env", {}),
                    prompt=_prompt(call, self.spawn, desk.record),
                    processes=(call["pid"], *call.get("children", ())),
                    visible=tuple(call.get("visible", ())),
                )
            )
        return found


def _prompt(call: Mapping[str, Any], invoke: SpawnInvoke, record: Path) -> bytes:
    match invoke.prompt_channel:
        case "stdin":
            return (record / call["stdin"]).read_bytes() if "stdin" in call else b""
        case "argv":
            return max(call["argv"], key=len, default="").encode("utf-8", "surrogateescape")
        case "argv-file-ref":
            files = call.get("files", ())
            return (record / files[0]).read_bytes() if files else b""
        case _:
            return b""


def _left(desk: Desk) -> tuple[str, ...] | None:
    """What a driven tool left running when it ended; None where nobody looked, or could."""
    told = [json.loads(path.read_text(encoding="utf-8")) for path in desk.record.glob("left-*.json")]
    if not told or any(one is None for one in told):
        return None
    return tuple(name for one in told for name in one)


def _document(raw: bytes) -> Mapping[str, Any]:
    try:
        value = json.loads(raw)
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {}


def _help(subject: Subject) -> str:
    probe = subject.lane.probe
    return f"usage: {probe.needle}" if isinstance(probe, CommandCapability) else "usage"


def _write_program(path: Path, command: Sequence[str]) -> None:
    """A program that becomes `command`: a script of the shell, since an interpreter's line has a short limit."""
    words = " ".join("'" + word.replace("'", "'\\''") + "'" for word in command)
    path.write_text(f'#!/bin/sh\nexec {words} "$@"\n', encoding="utf-8")
    path.chmod(0o755)


def printed(desk: Desk) -> bytes | None:
    """What the reviewer printed in the desk's newest run, None where nothing was kept."""
    found = sorted((desk.state / "runs").glob("*/lanes/*/stdout"))
    return files.read_head(found[-1], LIMIT_BYTES) if found else None

"""Hostile repositories against each real tool: nothing of theirs may run, nobody of theirs may be sent anything.

Each attack is also tried on the tool alone, without our flags and environment: what works there proves that the
attack has teeth; what does not is said, and proves nothing about us.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from tests.real_clis.desk import Desk, new_desk
from tests.real_clis.evil_tree import environment, evil_files
from tests.real_clis.model_server import ModelServer

_SECONDS = 30
# By itself it first tries for minutes to fetch a package for its plugins, which nobody here can give it.
_ALONE_SECONDS = {"opencode": 270}
# How a user would start the tool by hand, with the prompt on stdin.
PLAIN = {
    "codex": ("codex", "exec", "--skip-git-repo-check", "-"),
    "claude": ("claude", "-p"),
    "gemini": ("gemini", "--skip-trust", "-o", "json"),
    "qwen": ("qwen", "-o", "json"),
    "opencode": ("opencode", "run", "--format", "json"),
}


@dataclass(frozen=True, slots=True)
class Attack:
    """One hostile repository.

    `dotenv` are the places of its `.env`; `point`: the user's own setting names a service; `trusted`: the user told
    the tools to trust this very folder; `known` is what gets
    through, since that trust is the user's own word to the tool; `alone`: the tools that are also tried by themselves.
    """

    name: str
    dotenv: tuple[str, ...]
    point: bool
    proxies: bool
    where: str
    trusted: bool = False
    alone: tuple[str, ...] = ()
    known: frozenset[str] = frozenset()


ATTACKS = (
    Attack(
        "configuration, in place",
        (".env",),
        point=True,
        proxies=False,
        where="--in-place",
        alone=tuple(PLAIN),
    ),
    Attack(
        "configuration, in a folder that the tools were told to trust",
        (".env",),
        point=True,
        proxies=False,
        where="--in-place",
        trusted=True,
        known=frozenset({"ran codex-mcp"}),
    ),
    Attack("configuration, in a copy", (".env",), point=True, proxies=False, where="--isolate"),
    Attack(
        "proxies, in place",
        (".env", ".gemini/.env", ".qwen/.env"),
        point=True,
        proxies=True,
        where="--in-place",
    ),
    Attack(
        ".env, no service set",
        (".env",),
        point=False,
        proxies=True,
        where="--in-place",
        alone=("claude", "gemini", "qwen"),
    ),
    Attack(
        "tool's .env, no service set",
        (".gemini/.env", ".qwen/.env"),
        point=False,
        proxies=True,
        where="--in-place",
    ),
    Attack("all .env, in a copy", (".env", ".gemini/.env"), point=False, proxies=True, where="--isolate"),
)


@dataclass(frozen=True, slots=True)
class Caught:
    """What one attack achieved: through `msd review`, and on each tool alone."""

    attack: Attack
    ours: tuple[str, ...]
    alone: tuple[str, ...]

    def new(self) -> tuple[str, ...]:
        """What got through msd and is not known to."""
        return tuple(what for what in self.ours if what not in self.attack.known)


def attack(one: Attack, slugs: Iterable[str], *, base: Path, good: ModelServer, evil: ModelServer) -> Caught:
    """Runs one attack through `msd review`, then on each tool alone."""
    slugs = tuple(slugs)
    good.mode = evil.mode = "ok"
    desk, markers = _hostile(one, base / "ours", good, evil)
    desk.review("--phase", "2", *(f"--{slug}" for slug in slugs), *_bounds(slugs), one.where)
    ours = _achieved(markers, evil)
    tried = (slug for slug in one.alone if slug in slugs)
    alone = tuple(name for slug in tried for name in _alone(one, slug, base / slug, good, evil))
    return Caught(one, ours, tuple(sorted(set(alone))))


def _bounds(slugs: Iterable[str]) -> Iterable[str]:
    for slug in slugs:
        yield from ("--timeout", f"{slug}={_SECONDS}")


def _alone(one: Attack, slug: str, base: Path, good: ModelServer, evil: ModelServer) -> tuple[str, ...]:
    desk, markers = _hostile(one, base, good, evil)
    desk.run(
        "timeout",
        "-k",
        "2",
        str(_ALONE_SECONDS.get(slug, _SECONDS)),
        *PLAIN[slug],
        stdin="Review the plan.\n",
        env={"CI": "1"},
    )
    return tuple(f"{slug}: {name}" for name in _achieved(markers, evil))


def _hostile(one: Attack, base: Path, good: ModelServer, evil: ModelServer) -> tuple[Desk, Path]:
    evil.asked.clear()
    markers = base / "markers"
    markers.mkdir(parents=True)
    there = evil.url("").rstrip("/")
    dotenv = environment(there, proxies=one.proxies)
    files = evil_files(markers, there) | dict.fromkeys(one.dotenv, dotenv)
    return new_desk(
        base / "desk", good.url("").rstrip("/"), point=one.point, trusted=one.trusted, files=files
    ), markers


def _achieved(markers: Path, evil: ModelServer) -> tuple[str, ...]:
    ran = {f"ran {path.name}" for path in markers.iterdir()}
    sent = {f"sent {asked.method} {asked.target[:60]}" for asked in evil.asked}
    return tuple(sorted(ran | sent))

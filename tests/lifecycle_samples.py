"""A machine on which capabilities are installed: real folders, a real registry, sources on loopback."""

import os
import shutil
import ssl
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from msd_review.errors import SourceError
from msd_review.lifecycle.install import Installed, commit_install, prepare_install
from msd_review.lifecycle.places import ScopeName
from msd_review.lifecycle.surroundings import Surroundings
from msd_review.registry.first_party import first_party
from msd_review.registry.merge import load_registry
from msd_review.registry.model import Registry
from msd_review.registry.overlays import discover_overlays
from msd_review.sources.download import make_download
from msd_review.sources.git import Git
from msd_review.trust import store
from msd_review.trust.activity import overlay_decider
from msd_review.trust.agreement import agree
from tests.servers.loopback import Server


def load(home: Path, project: Path | None) -> Registry:
    """What is installed and active, as every command sees it."""
    theirs = None if project is None else project / ".msd" / "capabilities"
    scope = None if project is None else str(project.resolve())
    overlays = discover_overlays(home / "capabilities", theirs)
    decide = overlay_decider(store.load(home), project_scope=scope)
    return load_registry(first_party(), overlays, is_active=decide)


def no_download(url: str, **_limits: Any) -> bytes:
    raise SourceError(f"{url}: this machine is not connected")


def machine(
    base: Path,
    *,
    server: Server | None = None,
    policies: Sequence[Any] = (),
    with_project: bool = True,
    hosts: dict[str, str] | None = None,
) -> Surroundings:
    """The surroundings below `base`: `msd` is $MSD_HOME, `project` the project root."""
    home, project = base / "msd", base / "project" if with_project else None
    if project is not None:
        project.mkdir(exist_ok=True)
    environ = {**os.environ, **({"GIT_SSL_CAINFO": str(server.authority)} if server else {})}
    download: Callable[..., bytes] = no_download
    if server is not None:
        download = make_download(tls=ssl.create_default_context(cafile=str(server.authority)))
    return Surroundings(
        home=home,
        user_home=base / "user",
        project=project,
        working_folder=base,
        policies=policies,
        registry=lambda: load(home, project),
        download=download,
        say=lambda _line: None,
        git=Git(binary=Path(shutil.which("git") or "/usr/bin/git"), environ=environ),
        npm_registry=server.url("/npm") if server else "https://registry.test",
        resolve_host=(hosts or {}).get,
    )


def install(text: str, around: Surroundings, *, scope: ScopeName = "global") -> Installed:
    """Installs after a yes on a terminal."""
    prepared = prepare_install(text, around, scope=scope)
    return commit_install(prepared, around, agree(prepared.disclosure, answer=True))


def states(around: Surroundings) -> dict[str, str]:
    """capability → `active`, or why not, of everything that is installed."""
    registry = around.registry()
    return {
        one.id: "active" if one.active else str(one.inactive_reason)
        for one in registry.capabilities
        if one.source != "first-party"
    }


def capability(folder: Path, files: dict[str, bytes]) -> Path:
    """A capability's folder."""
    for name, content in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content)
    return folder


def everything_below(folder: Path) -> dict[str, bytes | None]:
    """Every path below a folder but lock files, with its content."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes() if path.is_file() else None
        for path in sorted(folder.rglob("*"))
        if not path.name.endswith(".lock")
    }

"""The table of what `msd install` writes into each host, from the shipped manifests."""

from pathlib import Path
from typing import get_args

from msd_review.errors import MsdError
from msd_review.hosts.declared import read_host
from msd_review.hosts.model import Around, Host, Scope, Target
from msd_review.hosts.service import host_capabilities
from msd_review.hosts.targets import target_of
from reference import shipped
from reference.markdown import code, codes, table

_HOME, _PROJECT = Path("/~"), Path("/the-project")
_AROUND = Around(
    home=_HOME, msd_home=_HOME / ".msd", project=_PROJECT, environment={}, program=("/path/to/msd",)
)


def table_of_hosts() -> str:
    """One row for each host and scope: how the commands are typed, and every file."""
    rows = []
    for capability in host_capabilities(shipped.registry()):
        host = read_host(capability)
        for scope in get_args(Scope):
            target = _target(host, scope)
            if target is not None:
                rows.append(
                    [code(host.id), scope, codes(target.calls), codes(_files(target)), _moved(host, scope)]
                )
    return table(("host", "scope", "typed", "written", "moved by"), rows)


def _target(host: Host, scope: Scope) -> Target | None:
    try:
        return target_of(host, scope, _AROUND)
    except MsdError:
        return None


def _files(target: Target) -> list[str]:
    entries = [f"{_short(one.path)} ({'.'.join(one.keys)})" for one in target.entries]
    return [*(_short(one.path) for one in target.files), *entries]


def _short(path: Path) -> str:
    if path.is_relative_to(_PROJECT):
        return path.relative_to(_PROJECT).as_posix()
    return path.as_posix().removeprefix("/")


def _moved(host: Host, scope: Scope) -> str:
    return codes(host.home.env) if scope == "global" else "–"

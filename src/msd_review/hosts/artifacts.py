"""The commands that msd brings, in the form that a host reads.

A converter is a pure function from a command to the text of a file; a manifest names one, or leaves the choice to the
kind of artifact. Hosts differ in their front matter and in nothing else that msd needs.
"""

from collections.abc import Callable, Mapping
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from msd_review.errors import InputError
from msd_review.hosts.model import Host
from msd_review.manifest.model import Artifact

FOLDER = Path(__file__).parent / "artifacts"
STEMS = ("review", "code-review")
_SKILL_FILE = "SKILL.md"


class Command(NamedTuple):
    """One command: its name in the host, what it is for, its arguments, and what it has the agent do."""

    name: str
    description: str
    arguments: str
    body: str


def agent_skill(command: Command) -> str:
    """A SKILL.md of the open Agent Skills format: a name and a description, then the instructions."""
    return f"---\nname: {command.name}\ndescription: {command.description}\n---\n\n{command.body}"


def slash_command(command: Command) -> str:
    """A Markdown command: what is typed behind its name takes the place of `$ARGUMENTS`."""
    head = f"---\ndescription: {command.description}\nargument-hint: {command.arguments}\n---\n\n"
    return f"{head}{command.body}\nWhat the person typed behind the command: $ARGUMENTS\n"


CONVERTERS: Mapping[str, Callable[[Command], str]] = {
    "agentSkill": agent_skill,
    "slashCommand": slash_command,
}
# msd brings no agents: a place for them stays as it is.
_BY_KIND = {"skills": "agentSkill", "commands": "slashCommand"}


def rendered(host: Host, artifact: Artifact) -> dict[str, str]:
    """path below the host's folder → the file's text, for one place of its layout. Raises InputError."""
    if artifact.kind not in _BY_KIND:
        return {}
    convert = _converter(host, artifact)
    return {str(_path(artifact, stem)): convert(_command(host, artifact, stem)) for stem in STEMS}


def calls(host: Host, artifact: Artifact) -> tuple[str, ...]:
    """How a person types the commands of one place of the layout."""
    if artifact.kind not in _BY_KIND:
        return ()
    return tuple(_call(host, artifact, stem) for stem in STEMS)


def _converter(host: Host, artifact: Artifact) -> Callable[[Command], str]:
    name = artifact.converter or _BY_KIND[artifact.kind]
    if name not in CONVERTERS:
        raise InputError(
            f"{host.id}: there is no converter called {name!r}",
            hint=f"there are {', '.join(CONVERTERS)}; null chooses by kind",
        )
    return CONVERTERS[name]


def _is_namespace(artifact: Artifact) -> bool:
    """Whether commands lie in a folder of their own, whose name their host puts before theirs."""
    return artifact.kind == "commands" and artifact.nesting == "nested" and bool(artifact.prefix.strip("-"))


def _path(artifact: Artifact, stem: str) -> PurePosixPath:
    folder = PurePosixPath(artifact.dest_subpath)
    if artifact.kind == "skills":  # every host wants a folder for each skill, whatever the nesting
        return folder / f"{artifact.prefix}{stem}" / _SKILL_FILE
    if _is_namespace(artifact):
        return folder / artifact.prefix.strip("-") / f"{stem}.md"
    return folder / f"{artifact.prefix}{stem}.md"


def _call(host: Host, artifact: Artifact, stem: str) -> str:
    if _is_namespace(artifact):
        return f"/{artifact.prefix.strip('-')}:{stem}"
    return host.call.replace("{name}", f"{artifact.prefix}{stem}")


def _command(host: Host, artifact: Artifact, stem: str) -> Command:
    front, body = _template(stem)
    return Command(
        name=f"{artifact.prefix}{stem}",
        description=front["description"],
        arguments=front["argument-hint"],
        body=_filled(body, host),
    )


def _template(stem: str) -> tuple[dict[str, str], str]:
    _, head, body = (FOLDER / f"{stem}.md").read_text(encoding="utf-8").split("---\n", 2)
    return dict(line.split(": ", 1) for line in head.splitlines()), body


def _filled(body: str, host: Host) -> str:
    values = {"host": host.title, "exclude": "", "exclude_tool": "", "exclude_why": ""}
    if host.slug is not None:
        values["exclude"] = f" --exclude {host.slug}"
        values["exclude_tool"] = f', and `exclude: ["{host.slug}"]`'
        values["exclude_why"] = (
            f"\nThe reviewer `{host.slug}` is you: leave it out, so that nobody reviews their own work.\n"
        )
    for name, value in values.items():
        body = body.replace("{{" + name + "}}", value)
    return body

"""Capabilities of third parties: fetched, shown, agreed to, put in place, followed, taken away."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from msd_review.app.world import World, load_world
from msd_review.config.layers import is_unset
from msd_review.config.roots import home_folder
from msd_review.config.schema import KeySpec
from msd_review.edges import environ, files, programs
from msd_review.edges.capture import capture_blocking
from msd_review.edges.proxies import proxy_for, without_user
from msd_review.errors import InputError, SourceError, UsageError
from msd_review.lifecycle import allow as allowing
from msd_review.lifecycle.inspect import Shown, disclose_named
from msd_review.lifecycle.install import Installed, commit_install, prepare_install
from msd_review.lifecycle.outdated import Standing, find_outdated
from msd_review.lifecycle.places import Place
from msd_review.lifecycle.prepare import Prepared
from msd_review.lifecycle.remove import Removed, remove
from msd_review.lifecycle.surroundings import Surroundings
from msd_review.lifecycle.update import Update, find_entries, prepare_update
from msd_review.sources.download import make_download
from msd_review.sources.git import Git
from msd_review.trust.agreement import agree
from msd_review.trust.disclosure import Disclosure
from msd_review.trust.disclosure_text import to_text

_WHICH_SCOPE = "say which: --scope global or --scope project"
_POLICY = "capabilities.strict_known_registries"
# For tests of ours alone: lets `file://` and a private registry be named. Never read from any config.
_TEST_SETTING = "MSD_ALLOW_FILE_SOURCES"

Ask = Callable[[str, str], bool | None]  # (everything to be agreed to, the question) → the answer
Say = Callable[[str], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Telling:
    """How a person is kept informed: what is being done, and how many bytes of a fetch came so far."""

    say: Say
    on_bytes: Callable[[int], None] | None = None


QUIET = Telling(say=lambda _: None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Answers:
    """How a person, or a script, agrees: a terminal to ask, a token that was read before, `--yes`."""

    ask: Ask
    token: str | None = None
    yes: bool = False


def surroundings(world: World, telling: Telling, *, needs_npm: bool = False) -> Surroundings:
    """This machine's side of a change."""
    root = world.root.path
    binary = programs.find_binary("git", path=environ.get("PATH"), repo_root=root, cwd=root)
    variables = environ.snapshot()
    return Surroundings(
        home=world.home,
        user_home=home_folder(),
        project=root,
        working_folder=Path.cwd(),
        policies=tuple(value for _, value in world.config.candidates(_POLICY)),
        registry=lambda: load_world(root).registry,
        download=make_download(on_bytes=telling.on_bytes),
        say=telling.say,
        git=_git(binary, variables, telling) if binary else None,
        npm_registry=npm_registry(world) if needs_npm else "",
        resolve_host=partial(_configured_host, world),
        proxy_for=lambda url: _shown_proxy(url, variables),
    )


def _git(binary: Path, variables: Mapping[str, str], telling: Telling) -> Git:
    allow_file = environ.get(_TEST_SETTING) == "1"
    return Git(binary=binary, environ=variables, allow_file=allow_file, on_bytes=telling.on_bytes)


def _configured_host(world: World, key: str) -> str | None:
    """The destination that the configuration names, though nobody declares its key before it is installed."""
    if world.config.schema.find(key) is not None:
        return world.config.text(key)
    as_declared = KeySpec(key=key, type="string", default=None, description="")
    values = (value for _, value in world.config.candidates(key) if not is_unset(as_declared, value))
    value = next(values, None)
    return value if isinstance(value, str) else None


def _shown_proxy(url: str, variables: Mapping[str, str]) -> str | None:
    proxy = proxy_for(url, variables)
    return without_user(proxy) if proxy else None


def npm_registry(world: World) -> str:
    """The registry that the user's own npm is set up for. Raises SourceError where there is none.

    Asked for outside of the project: a repository's `.npmrc` must not choose where its reviewers come from.
    """
    named = environ.get("npm_config_registry")
    if named is not None:
        return named
    binary = programs.find_binary("npm", path=environ.get("PATH"), repo_root=world.root.path)
    if binary is not None:
        asked = capture_blocking(
            [str(binary), "config", "get", "registry", "--global"],
            env=environ.snapshot(),
            cwd=files.make_private(world.home),
            timeout_s=20,
            limit_bytes=4096,
        )
        found = asked.stdout.decode("utf-8", "replace").strip()
        if found.startswith("https://"):
            return found
    raise SourceError(
        "no npm registry is known: npm is not here, or names none",
        hint="set npm_config_registry to the https address of your registry",
    )


def _agreement(disclosure: Disclosure, answers: Answers, question: str) -> Any:
    answer = None
    if answers.token is None and disclosure.has_executable or answers.token is None and not answers.yes:
        answer = answers.ask(to_text(disclosure), question)
    return agree(disclosure, token=answers.token, answer=answer, yes=answers.yes)


def install(
    world: World, spec: str, *, scope: str, integrity: str | None, answers: Answers, telling: Telling
) -> tuple[Installed, Prepared]:
    """Installs what `spec` names after it was agreed to. Raises MsdError; then nothing was changed."""
    around = surroundings(world, telling, needs_npm=spec.startswith("npm:"))
    prepared = prepare_install(
        spec,
        around,
        scope="project" if scope == "project" else "global",
        integrity=integrity,
        token=answers.token,
    )
    agreement = _agreement(prepared.disclosure, answers, f"Install {prepared.id} {prepared.version}?")
    return commit_install(prepared, around, agreement), prepared


def update(
    world: World, identity: str | None, *, answers: Answers, telling: Telling
) -> list[tuple[Update, Installed | None]]:
    """Updates one capability, or all; what was shown and agreed to for each."""
    around = _around_installed(world, telling)
    done: list[tuple[Update, Installed | None]] = []
    for place, entry in find_entries(around, identity):
        found = prepare_update(place, entry, around, token=answers.token)
        if found.prepared is None:
            done.append((found, None))
            continue
        shown = "\n".join(found.changes)
        agreement = _update_agreement(found.prepared, answers, shown)
        done.append((found, commit_install(found.prepared, around, agreement)))
    return done


def _update_agreement(prepared: Prepared, answers: Answers, shown: str) -> Any:
    answer = None
    if answers.token is None:
        answer = answers.ask(shown, f"Update {prepared.id} to {prepared.version}?")
    return agree(prepared.disclosure, token=answers.token, answer=answer, yes=answers.yes)


def outdated(world: World, telling: Telling) -> tuple[Standing, ...]:
    """Where every installed capability stands."""
    around = _around_installed(world, telling)
    return find_outdated(find_entries(around), around)


def _around_installed(world: World, telling: Telling) -> Surroundings:
    plain = surroundings(world, telling)
    from_npm = any(entry.kind == "npm" for _, entry in find_entries(plain))
    return surroundings(world, telling, needs_npm=True) if from_npm else plain


def remove_capability(world: World, identity: str, scope: str | None) -> Removed:
    """Removes an installed capability from its scope. Raises InputError where it is in none, or in two."""
    around = surroundings(world, QUIET)
    found = [place for place, _ in find_entries(around, identity) if scope in {None, place.name}]
    if not found:
        raise InputError(
            f"{identity} is not installed in the {scope} scope", hint="see what is: msd capability list"
        )
    if len(found) > 1:
        raise UsageError(f"{identity} is installed in two scopes", hint=_WHICH_SCOPE)
    return remove(found[0], identity, around)


def disclosures_of(world: World, what: str, telling: Telling) -> tuple[Shown, ...]:
    """The disclosure of a path, an id in every scope that has it, or an install spec."""
    return disclose_named(what, surroundings(world, telling, needs_npm=what.startswith("npm:")))


def allow(world: World, identity: str, *, scope: str | None, answers: Answers) -> tuple[Disclosure, Place]:
    """Gives the consent that a clone's or a changed capability lacks."""
    around = surroundings(world, QUIET)
    found = [one for one in allowing.find_installed(identity, around) if scope in {None, one.place.name}]
    if not found:
        raise InputError(f"{identity} is not in the {scope} scope", hint="see what is: msd capability list")
    if len(found) > 1:
        raise UsageError(f"{identity} lies in two scopes", hint=_WHICH_SCOPE)
    agreement = _agreement(found[0].disclosure, answers, f"Allow {identity} as it is now?")
    allowing.allow(found[0], agreement, around)
    return found[0].disclosure, found[0].place

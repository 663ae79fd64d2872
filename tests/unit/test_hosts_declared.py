"""A host's folder is found as its manifest says, and its commands come out in the form that it reads."""

from pathlib import Path

import pytest

from msd_review.hosts import artifacts
from msd_review.hosts.declared import is_inside, read_host
from msd_review.hosts.homes import config_home, is_moved, skills_home
from msd_review.hosts.service import host_capabilities
from msd_review.manifest.model import Artifact, ConfigHome
from msd_review.registry import first_party, load_registry

HOME = Path("/home/someone")


def found(declared: ConfigHome, home: Path = HOME, **environment: str) -> str:
    return str(config_home(declared, home=home, environment=environment))


@pytest.mark.parametrize(
    ("declared", "environment", "folder"),
    [
        (ConfigHome(kind="dot-home", name=".acme"), {}, "/home/someone/.acme"),
        (ConfigHome(kind="generic-agents-root", name=".agents"), {}, "/home/someone/.agents"),
        (ConfigHome(kind="xdg", name="acme"), {}, "/home/someone/.config/acme"),
        (ConfigHome(kind="xdg", name="acme", env=("XDG_CONFIG_HOME",)), {"XDG_CONFIG_HOME": "/c"}, "/c/acme"),
        (ConfigHome(kind="xdg", name="acme", env=("XDG_CONFIG_HOME",)), {"XDG_CONFIG_HOME": "c"}, "/home/someone/.config/acme"),
        (ConfigHome(kind="dot-home-nested", name="acme", parent=".big"), {}, "/home/someone/.big/acme"),
        (ConfigHome(kind="dot-home", name=".a", env=("A", "B")), {"A": " ", "B": "/b"}, "/b"),
        (ConfigHome(kind="dot-home", name=".a", env=("A", "B")), {"A": "~/a", "B": "/b"}, "/home/someone/a"),
        (ConfigHome(kind="dot-home", name=".a", env=("A", "B")), {"A": "/x/settings.JSON", "B": "/b"}, "/b"),
    ],
)  # fmt: skip
def test_the_folder_is_where_kind_and_variables_put_it(
    declared: ConfigHome, environment: dict[str, str], folder: str
) -> None:
    assert found(declared, HOME, **environment) == folder
    moved = folder in environment.values() or folder in {"/c/acme", "/home/someone/a"}
    assert is_moved(declared, home=HOME, environment=environment) == moved


def test_of_several_names_the_first_that_is_there_counts(tmp_path: Path) -> None:
    declared = ConfigHome(kind="dot-home-nested", name="one", parent=".big", probe=("one", "two", "three"))
    assert found(declared, tmp_path) == f"{tmp_path}/.big/one"
    (tmp_path / ".big" / "three").mkdir(parents=True)
    assert found(declared, tmp_path) == f"{tmp_path}/.big/three"
    (tmp_path / ".big" / "two").mkdir()
    assert found(declared, tmp_path) == f"{tmp_path}/.big/two"


@pytest.mark.parametrize("other", [".agents", {"kind": "generic-agents-root", "name": ".agents"}])
def test_skills_may_have_a_home_of_their_own(other: object) -> None:
    declared = ConfigHome(kind="dot-home", name=".a", skills_home=other)  # type: ignore[arg-type]  # open in the manifest
    assert skills_home(declared, home=HOME, environment={}) == HOME / ".agents"


@pytest.mark.parametrize(
    "path", ["", ".", "..", "a/../b", "/a", "a//b", "a\\b", "C:x", "a\nb", "a\0b", 7, None, "a/", "\u202eb"]
)
def test_what_leaves_its_folder_or_hides_is_no_path(path: object) -> None:
    assert not is_inside(path)


@pytest.mark.parametrize("path", ["a", ".a", "a/b.json", "...", "a..b", "ä"])
def test_what_stays_inside_is_one(path: str) -> None:
    assert is_inside(path)


def place(kind: str, **changes: object) -> Artifact:
    values = {
        "kind": kind,
        "dest_subpath": "there",
        "prefix": "msd-",
        "nesting": "flat",
        "recursive": False,
        "converter": None,
    }
    return Artifact(**{**values, **changes})  # type: ignore[arg-type]  # the values of a test


def test_each_kind_of_place_gets_its_form() -> None:
    host = read_host(host_capabilities(load_registry(first_party(), ()))[0])
    skills = artifacts.rendered(host, place("skills", nesting="nested"))
    assert list(skills) == ["there/msd-review/SKILL.md", "there/msd-code-review/SKILL.md"]
    assert skills["there/msd-review/SKILL.md"].startswith(
        "---\nname: msd-review\ndescription: Have a plan reviewed"
    )
    commands = artifacts.rendered(host, place("commands"))
    assert list(commands) == ["there/msd-review.md", "there/msd-code-review.md"]
    assert commands["there/msd-review.md"].endswith(
        "\nWhat the person typed behind the command: $ARGUMENTS\n"
    )
    nested = place("commands", nesting="nested", converter="agentSkill")
    assert list(artifacts.rendered(host, nested)) == ["there/msd/review.md", "there/msd/code-review.md"]
    assert artifacts.calls(host, nested) == ("/msd:review", "/msd:code-review")
    assert artifacts.rendered(host, place("agents")) == {}
    assert artifacts.calls(host, place("agents")) == ()


def test_every_shipped_host_registers_the_server_in_both_scopes() -> None:
    for capability in host_capabilities(load_registry(first_party(), ())):
        registration = read_host(capability).registration
        assert registration is not None, capability.id
        assert all(registration.spots[scope] for scope in ("global", "project")), capability.id

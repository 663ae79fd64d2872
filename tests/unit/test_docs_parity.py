"""What README, docs and --help name exists, and what exists is named."""

import json
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

import click
import pytest
from click.testing import CliRunner

from msd_review.app.capability import matrix
from msd_review.cli.lane_flags import LaneCommand
from msd_review.cli.main import cli
from msd_review.config.schema import CENTRAL_KEYS, Schema, build_schema
from msd_review.manifest.vocabulary import RESERVED_FLAGS
from msd_review.outcomes import Mark, Outcome, Reason
from msd_review.registry import Registry, first_party, load_registry
from tests.docs_pages import DOCS, ROOT, fences, pages, without_fences

PAGES = pages()
_SPAN = re.compile(r"(?<!`)(`+)(?!`)(.+?)(?<!`)\1(?!`)", re.DOTALL)
_KEY = re.compile(r"(?<![\w./-])(?:review|plan_review|capabilities|workflow)\.[A-Za-z_][\w<>.*-]*")
_FILE = re.compile(r".*\.(?:md|json|py|toml|sarif|html|out)")
_NAMING = {"--lane", "--exclude", "--model", "--effort", "--timeout"}
_BY_SLUG = re.compile(r"msd (?:lane run|capability trust allow-host) (\S+)")


class Said(NamedTuple):
    """One piece of code on a page."""

    page: str
    text: str


@cache
def registry() -> Registry:
    return load_registry(first_party(), ())


@cache
def schema() -> Schema:
    return build_schema(registry().config_keys, registry().owned_lanes)


@cache
def commands() -> dict[str, frozenset[str]]:
    """Every command line that exists, and the options that it takes."""
    found: dict[str, frozenset[str]] = {}

    def walk(command: click.Command, ctx: click.Context) -> None:
        options = {option for param in click.Command.get_params(command, ctx) for option in param.opts}
        flags = registry().flags if isinstance(command, LaneCommand) else ()
        found[ctx.command_path] = frozenset((*options, *flags, "--help"))
        if isinstance(command, click.Group):
            for name in command.list_commands(ctx):
                below = command.get_command(ctx, name)
                assert below is not None
                walk(below, click.Context(below, info_name=name, parent=ctx))

    walk(cli, click.Context(cli, info_name="msd"))
    return found


@cache
def own_lanes(page: Path) -> tuple[frozenset[str], frozenset[str], frozenset[str]]:
    """The slugs, flags and keys of manifests that a page itself shows, and the instances that it sets up."""
    text = page.read_text(encoding="utf-8")
    slugs: set[str] = set()
    flags: set[str] = set()
    keys: set[str] = set()
    for fence in fences(text):
        if fence.language == "json" and '"reviewer"' in fence.body:
            value = json.loads(fence.body)
            slugs.add(value["reviewer"]["slug"])
            flags.update(flag for flag in value["reviewer"]["flags"] if flag.startswith("--"))
            keys.update(value.get("config", ()))
    for instances in re.findall(r"review\.reviewer_instances '(\{.*\})'", text):
        slugs.update(json.loads(instances))
    return frozenset(slugs), frozenset(flags), frozenset(keys)


def made_up(page: Path) -> tuple[frozenset[str], frozenset[str], frozenset[str]]:
    """The lane that the how-to pages ship together is known on each of them."""
    shared = own_lanes(DOCS / "how-to" / "ship-a-reviewer-lane.md")
    own = own_lanes(page)
    in_how_to = page.parent.name == "how-to"
    return tuple(mine | theirs if in_how_to else mine for mine, theirs in zip(own, shared, strict=True))  # type: ignore[return-value]  # three sets, as annotated


def inline(page: Path) -> Iterator[str]:
    """Every piece of inline code."""
    for found in _SPAN.finditer(without_fences(page.read_text(encoding="utf-8"))):
        yield " ".join(found[2].split())


def spans(page: Path) -> Iterator[str]:
    """Every piece of inline code, and every line of a fenced block."""
    yield from inline(page)
    for fence in fences(page.read_text(encoding="utf-8")):
        yield from fence.body.splitlines()


def command_lines(page: Path) -> Iterator[str]:
    """Everything that a page says to type, from `msd` on, up to what the shell makes of it."""
    for text in spans(page):
        for part in re.split(r"\$\(|\|\||&&|[|;>]", text.removeprefix("$ ")):
            if re.match(r"(?:\w+=\S+ )*msd(?: |$)", part.strip()):
                yield part.strip().removesuffix(")")


def split_command(line: str) -> tuple[str, list[str]]:
    """The longest command that exists at the start of a line, and the words after it."""
    words = shlex.split(line, posix=True)
    words = words[words.index("msd") :]
    if words[1:2] == ["-C"]:
        del words[1:3]
    path = "msd"
    rest = words[1:]
    while rest and f"{path} {rest[0]}" in commands():
        path = f"{path} {rest.pop(0)}"
    return path, rest


def typed(page: Path) -> Iterator[tuple[str, str, list[str]]]:
    for line in command_lines(page):
        path, rest = split_command(line)
        yield line, path, rest


def named_reviewers(line: str, rest: list[str]) -> Iterator[str]:
    for option, value in zip(rest, rest[1:], strict=False):
        if option in _NAMING:
            yield value.partition("=")[0]
    if by_slug := _BY_SLUG.match(line):
        yield by_slug[1]
    if "review.default_reviewers" in rest and rest[-1] != "review.default_reviewers":
        yield from rest[-1].split(",")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_command_and_option_that_a_page_tells_to_type_exists(page: Path) -> None:
    _, flags, _ = made_up(page)
    unknown = []
    for line, path, rest in typed(page):
        groups = {name.rpartition(" ")[0] for name in commands()}
        alternatives = rest and set(rest[0].split("/")) <= {
            name.removeprefix(f"{path} ") for name in commands()
        }
        if path in groups and rest and rest[0][0] not in "-[" and not alternatives:
            unknown.append(f"no such command: {line}")
        options = [word.partition("=")[0] for word in rest if re.match(r"--?[a-z]", word)]
        unknown += [f"{option}: {line}" for option in options if option not in commands()[path] | flags]
    assert unknown == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_flag_that_a_page_names_alone_exists(page: Path) -> None:
    _, flags, _ = made_up(page)
    known = frozenset().union(*commands().values(), registry().flags, RESERVED_FLAGS, flags)
    named = [span.split()[0].partition("=")[0] for span in spans(page) if re.match(r"--[a-z]", span)]
    assert [flag for flag in named if flag not in known] == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_reviewer_that_a_page_names_in_a_command_exists(page: Path) -> None:
    slugs, _, _ = made_up(page)
    known = frozenset(registry().slugs) | slugs
    named = {
        name for line, _, rest in typed(page) for name in named_reviewers(line, rest) if not name.isupper()
    }
    assert named - known == frozenset()


def key_exists(name: str, more: frozenset[str]) -> bool:
    known = frozenset(schema().keys) | more
    pattern = re.escape(name.removesuffix("*")).replace("<slug>", r"[\w-]+")
    ending = ".+" if name.endswith("*") else ""
    family = any(name.startswith(one.key[:-1]) for one in schema().families)
    prefix = any(key.startswith(f"{name}.") for key in known)
    return family or prefix or any(re.fullmatch(pattern + ending, key) for key in known)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_configuration_key_that_a_page_names_exists(page: Path) -> None:
    _, _, keys = made_up(page)
    if page.name == "manifest.md":  # its examples are of manifests that nobody ships
        keys |= {"review.models.acme", "review.effort.acme", "review.timeouts.acme", "review.acme_host"}
        keys |= {"review.max_prompt_tokens_per_reviewer.acme"}
    named = {found.rstrip(".") for span in spans(page) for found in _KEY.findall(span)}
    unknown = {name for name in named if not _FILE.fullmatch(name) and not key_exists(name, frozenset(keys))}
    assert unknown == set()


def test_the_lane_tables_have_every_lane_and_no_other() -> None:
    for name in ("reference/lanes.md", "how-to/set-up-cross-ai-review.md"):
        text = (DOCS / name).read_text(encoding="utf-8")
        heading = text.index("| lane | flags |" if name.startswith("reference") else "| reviewer | flag |")
        rows = text[heading:].split("\n\n")[0].splitlines()[2:]
        shown = [re.findall(r"`([^`]+)`", " ".join(row.split(" | ")[:2])) for row in rows]
        assert shown == [[entry.slug, *entry.flags] for entry in registry().lanes], name


def test_the_readme_names_every_reviewer() -> None:
    text = " ".join((ROOT / "README.md").read_text(encoding="utf-8").split())
    sections = [entry.section for entry in registry().lanes if entry.slug != "grounding"]
    assert [name for name in (*sections, "`grounding`") if name not in text] == []


def test_the_help_of_a_review_lists_every_lane_and_no_other() -> None:
    for command in (["review", "--help"], ["lane", "select", "--help"]):
        printed = CliRunner().invoke(cli, command).output
        reviewers = printed.partition("Reviewers:\n")[2]
        assert re.findall(r"--[a-z0-9-]+", reviewers) == list(registry().flags)


def test_the_configuration_page_has_every_key() -> None:
    text = (DOCS / "reference" / "configuration.md").read_text(encoding="utf-8")
    keys = [*schema().keys, *(one.key.replace("*", "<slug>") for one in CENTRAL_KEYS)]
    assert [key for key in keys if f"| `{key}` |" not in text] == []


def test_the_outcomes_page_has_every_word() -> None:
    text = (DOCS / "reference" / "outcomes.md").read_text(encoding="utf-8")
    assert [word for word in (*Outcome, *Reason, *Mark) if f"| `{word}` |" not in text] == []


def test_the_committed_matrix_is_what_the_command_prints() -> None:
    text = (DOCS / "reference" / "capabilities.md").read_text(encoding="utf-8")
    printed = CliRunner().invoke(cli, ["capability", "matrix"]).output
    assert printed == matrix()
    assert text.endswith(printed)


def test_everything_generated_is_in_step_with_the_code() -> None:
    generator = ROOT / "tools" / "generate_reference.py"
    done = subprocess.run(
        [sys.executable, str(generator), "--check"], check=False, capture_output=True, text=True
    )
    assert (done.returncode, done.stdout) == (0, ""), f"run `make docs`\n{done.stderr}"


def test_no_page_promises_that_any_tool_can_be_a_lane() -> None:
    promises = re.compile(r"\bany (?:tool|reviewer|command|CLI|server|model)s?\b", re.IGNORECASE)
    lane_pages = [page for page in PAGES if page.parent.name == "how-to" or page.name == "README.md"]
    assert [(page.name, promises.findall(page.read_text(encoding="utf-8"))) for page in lane_pages] == [
        (page.name, []) for page in lane_pages
    ]


WRITTEN = (*PAGES, ROOT / "CONTRIBUTING.md", ROOT / "SECURITY.md", ROOT / "CHANGELOG.md")


@pytest.mark.parametrize("page", WRITTEN, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_make_target_variable_and_file_that_a_page_names_exists(page: Path) -> None:
    targets = re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)
    source = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "src").rglob("*.py"))
    missing: list[str] = []
    for span in spans(page):
        missing += [name for name in re.findall(r"\bmake ([a-z-]+)\b", span) if name not in targets]
        missing += [name for name in re.findall(r"\bMSD_[A-Z_]+\b", span) if name not in source]
    for span in inline(page):
        for name in re.findall(r"(?<![\w./-])(?:src|docs|tests|bench|tools|examples|\.ci)/[\w./*<>-]+", span):
            if not any(ROOT.glob(re.sub(r"<\w+>", "*", name).rstrip("/."))):
                missing.append(name)
    assert missing == []

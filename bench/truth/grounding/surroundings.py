"""What a project has beside its source: manifests with dependencies, settings, tests, runners; written down with what is true of it."""

import random
import re
from dataclasses import dataclass, field

from repositories import Repository

_LIBRARIES = {
    "python": ["httpcore", "attrs", "sniffio", "orjson", "structlog", "tenacity", "uvloop"],
    "javascript": ["lodash", "zod", "undici", "pino", "fastify", "date-fns", "nanoid"],
    "go": ["github.com/spf13/cobra", "github.com/google/uuid", "golang.org/x/sync", "github.com/stretchr/testify"],
    "rust": ["serde", "tokio", "anyhow", "clap", "tracing", "regex"],
    "ruby": ["sinatra", "nokogiri", "sidekiq", "pg", "puma"],
}  # fmt: skip
_SECTIONS = {"server": ["port", "read_timeout", "max_body"], "cache": ["ttl", "backend", "max_entries"], "logging": ["level", "format"], "queue": ["workers", "retry_limit"]}  # fmt: skip


@dataclass(kw_only=True)
class Around:
    """The facts: dependencies as (name, version, manifest), settings as (file, section, leaf), tests as (path, name)."""

    dependencies: list[tuple[str, str, str]] = field(default_factory=list)
    settings: list[tuple[str, str, str]] = field(default_factory=list)
    tests: list[tuple[str, str]] = field(default_factory=list)
    recipes: list[str] = field(default_factory=list)
    environments: list[str] = field(default_factory=list)
    modules: list[str] = field(default_factory=list)
    crates: list[str] = field(default_factory=list)


def surround(repository: Repository, rng: random.Random) -> Around:
    """Adds the files to the project on disk and says what is in them."""
    around = Around()
    _settings(repository, around, rng)
    _runners(repository, around, rng)
    _dependencies(repository, around, rng)
    _tests(repository, around, rng)
    return around


def _settings(repository: Repository, around: Around, rng: random.Random) -> None:
    chosen = rng.sample(list(_SECTIONS), 3)
    yaml = "".join(
        f"{section}:\n" + "".join(f"  {leaf}: {rng.randint(1, 60)}\n" for leaf in _SECTIONS[section])
        for section in chosen
    )
    toml = "".join(
        f"[{section}]\n" + "".join(f"{leaf} = {rng.randint(1, 60)}\n" for leaf in _SECTIONS[section]) + "\n"
        for section in chosen
    )
    for path, text in (("config/settings.yaml", yaml), ("config/defaults.toml", toml)):
        repository.add(path, text)
        around.settings += [(path, section, leaf) for section in chosen for leaf in _SECTIONS[section]]


def _runners(repository: Repository, around: Around, rng: random.Random) -> None:
    around.recipes = rng.sample(["fmt", "ci", "serve", "seed", "clean", "image"], 3)
    repository.add("justfile", "".join(f"{name}:\n    echo {name}\n\n" for name in around.recipes))
    if repository.language == "python":
        around.environments = rng.sample(["lint", "types", "docs", "cov"], 2)
        repository.add(
            "tox.ini", "".join(f"[testenv:{name}]\ncommands = true\n\n" for name in around.environments)
        )


def _dependencies(repository: Repository, around: Around, rng: random.Random) -> None:
    language = {"typescript": "javascript"}.get(repository.language, repository.language)
    names = rng.sample(_LIBRARIES.get(language, _LIBRARIES["javascript"]), 3)
    versions = [f"{rng.randint(1, 9)}.{rng.randint(0, 20)}.{rng.randint(0, 9)}" for _ in names]
    pairs = list(zip(names, versions, strict=True))
    manifest, text = _manifest(repository, language, pairs)
    if manifest == "package.json":
        existing = (repository.root / manifest).read_text(encoding="utf-8").rstrip().rstrip("}").rstrip()
        text = existing + ',\n  "dependencies": {' + text + "}\n}\n"
    repository.add(manifest, text)
    around.dependencies = [(name, version, manifest) for name, version in pairs]


def _manifest(repository: Repository, language: str, pairs: list[tuple[str, str]]) -> tuple[str, str]:
    if language == "python":
        listed = ", ".join(f'"{name}>={version}"' for name, version in pairs)
        return "pyproject.toml", f'[project]\nname = "{repository.name}"\nversion = "1.0"\ndependencies = [{listed}]\n\n[tool.ruff]\nline-length = 110\n'  # fmt: skip
    if language == "go":
        return "go.mod", "module example.test/app\n\ngo 1.22\n\nrequire (\n" + "".join(f"\t{n} v{v}\n" for n, v in pairs) + ")\n"  # fmt: skip
    if language == "rust":
        return "Cargo.toml", '[package]\nname = "app"\nversion = "0.1.0"\n\n[workspace]\nmembers = ["crates/core"]\n\n[dependencies]\n' + "".join(f'{n} = "{v}"\n' for n, v in pairs)  # fmt: skip
    if language == "ruby":
        return "Gemfile", "".join(f"gem '{n}', '~> {v}'\n" for n, v in pairs)
    return "package.json", ", ".join(f'"{n}": "^{v}"' for n, v in pairs)


def _tests(repository: Repository, around: Around, rng: random.Random) -> None:
    if repository.language == "python":
        around.modules = [
            path.removesuffix(".py").replace("/", ".")
            for path in repository.lengths
            if re.fullmatch(r"\w+/\w+\.py", path) and "__" not in path
        ]
        for number in range(2):
            names = [
                f"test_{word}_{number}"
                for word in rng.sample(["reads", "stops", "closes", "merges", "raises"], 3)
            ]
            path = f"tests/test_part{number}.py"
            repository.add(path, "".join(f"def {name}():\n    assert True\n\n\n" for name in names))
            around.tests += [(path, name) for name in names]
    if repository.language == "go":
        for folder in sorted(
            {path.rpartition("/")[0] for path in repository.lengths if path.endswith(".go")}
        ):
            name = f"Test{rng.choice(['Load', 'Close', 'Merge'])}{rng.randint(1, 9)}"
            repository.add(f"{folder}/part_test.go", f"package {folder.rpartition('/')[2]}\n\nimport \"testing\"\n\nfunc {name}(t *testing.T) {{\n}}\n")  # fmt: skip
            around.tests.append((folder, name))
    if repository.language == "rust":
        repository.add("crates/core/Cargo.toml", '[package]\nname = "app-core"\nversion = "0.1.0"\n')
        around.crates = ["app", "app-core"]

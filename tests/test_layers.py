"""Who may import whom, as a literal; fails on a forbidden edge, a cycle, or an import hidden in a function."""

import ast
from graphlib import TopologicalSorter
from pathlib import Path

SOURCE = Path(__file__).parent.parent / "src" / "msd_review"

# Free for all: no IO, no imports of ours.
COMMON = {"", "errors", "lazy", "outcomes", "manifest.model", "manifest.vocabulary"}

# package or module → the packages and modules it may import (beside COMMON and itself)
MAY_IMPORT: dict[str, set[str]] = {
    "__main__": {"cli.entry"},
    "errors": set(),
    "lazy": set(),
    "outcomes": set(),
    "edges": set(),
    "manifest": set(),
    "registry": {"manifest", "edges"},
    "config": {"manifest", "registry", "edges"},
    "selection": {"manifest", "registry", "config"},
    "prompt": {"manifest", "config", "edges"},
    "handlers": {"manifest", "run.result", "edges"},
    "invocation": {"manifest"},
    "lane_shape": {"manifest", "config", "invocation", "trust.destinations"},
    "planning": {"lane_shape", "manifest", "config", "selection", "prompt", "handlers", "invocation", "trust.destinations"},
    "trust": {"manifest", "registry", "config", "invocation", "edges"},
    "sources": {"manifest", "trust", "edges"},
    "lifecycle": {"manifest", "registry", "config", "trust", "sources", "edges"},
    "run": {"manifest", "invocation", "trust.policy", "trust.destinations", "trust.visible", "handlers", "prompt.model", "edges"},
    "review": {"manifest", "run.result"},
    "change": {"manifest", "prompt", "edges", "run.git"},
    "grounding": {"manifest", "prompt", "review", "edges"},
    "consensus": {"review", "run.result"},
    "report": {"manifest", "run.result", "review", "consensus", "prompt.model", "change.model"},
    "app": {
        "manifest", "registry", "config", "selection", "lane_shape", "planning", "prompt", "handlers", "invocation", "trust", "sources",
        "lifecycle", "run", "review", "change", "grounding", "consensus", "report", "edges",
    },
    "hosts": {"manifest", "registry", "edges"},
    "conformance": {
        "manifest", "registry", "config", "lane_shape", "planning", "selection", "prompt", "handlers", "invocation", "trust", "run", "app", "edges",
    },
    "mcp_server": {"app", "edges", "report", "run.result", "run.store", "run.journal", "run.interrupts"},
    "fleet": {
        "app", "manifest", "registry", "config", "selection", "lane_shape", "planning", "trust", "run", "review", "change", "report", "consensus",
        "prompt", "invocation", "sources", "edges",
    },
    "cli": {"app", "hosts", "conformance", "mcp_server", "fleet", "planning", "trust.disclosure", "trust.disclosure_text", "trust.visible", "report", "edges", "registry", "manifest", "config", "selection", "run.result", "prompt.model", "change.model"},
}  # fmt: skip


def _module_name(path: Path) -> str:
    parts = path.relative_to(SOURCE).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


MODULES = {_module_name(path): path for path in sorted(SOURCE.rglob("*.py"))}


def _own_imports(node: ast.AST) -> list[str]:
    if isinstance(node, ast.Import):
        names = [alias.name for alias in node.names]
    elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
        names = [f"{node.module}.{alias.name}" for alias in node.names]
        names = [name if name.removeprefix("msd_review.") in MODULES else node.module for name in names]
    else:
        return []
    return [
        name.removeprefix("msd_review").removeprefix(".")
        for name in names
        if name.split(".")[0] == "msd_review"
    ]


def _tree(name: str) -> ast.Module:
    return ast.parse(MODULES[name].read_text(encoding="utf-8"))


def _edges(name: str) -> set[str]:
    return {target for node in ast.walk(_tree(name)) for target in _own_imports(node)}


def _allowed(source: str, target: str) -> bool:
    stage = source.split(".")[0]
    if target in COMMON or target.split(".")[0] == stage:
        return True
    return any(target == name or target.startswith(name + ".") for name in MAY_IMPORT.get(stage, set()))


def test_every_import_is_allowed_by_the_table() -> None:
    forbidden = [
        f"{source} imports {target}"
        for source in MODULES
        if source
        for target in sorted(_edges(source))
        if not _allowed(source, target)
    ]
    assert forbidden == []


def test_no_import_cycles() -> None:
    graph = {
        source: {target for target in _edges(source) if target and target != source}
        for source in MODULES
        if source
    }
    TopologicalSorter(graph).prepare()


def test_no_import_of_ours_hides_in_a_function() -> None:
    # The command line's lazy group loads commands by name through importlib: the one laziness allowed.
    hidden = [
        f"{name}:{getattr(inner, 'lineno', 0)}"
        for name in MODULES
        for outer in ast.walk(_tree(name))
        if isinstance(outer, ast.FunctionDef | ast.AsyncFunctionDef)
        for inner in ast.walk(outer)
        if _own_imports(inner)
    ]
    assert hidden == []


def test_no_module_is_named_for_nothing() -> None:
    assert [
        n for n in MODULES if n.split(".")[-1] in {"utils", "util", "helpers", "common", "misc", "manager"}
    ] == []

"""Writes the generated pages of docs/reference, and the generated parts of README and how-to pages.

python tools/generate_reference.py           writes them
python tools/generate_reference.py --check   names what is not in step, and fails

A generated part stands between `<!-- generated: NAME -->` and `<!-- end of generated -->`.
"""

import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

from reference import (
    capabilities,
    commands,
    configuration,
    exit_codes,
    fleet_batch,
    hosts,
    lanes,
    manifest,
    mcp,
    outcomes,
)

ROOT = Path(__file__).parent.parent
PAGES: dict[str, Callable[[], str]] = {
    "docs/reference/capabilities.md": capabilities.page,
    "docs/reference/commands.md": commands.page,
    "docs/reference/configuration.md": configuration.page,
    "docs/reference/fleet-batch.md": fleet_batch.page,
    "docs/reference/lanes.md": lanes.page,
    "docs/reference/manifest.md": manifest.page,
    "docs/reference/outcomes.md": outcomes.page,
    **mcp.schemas(),
}
PARTS: dict[str, Callable[[], str]] = {
    "exit codes": exit_codes.short_table,
    "hosts": hosts.table_of_hosts,
    "lanes": lanes.short_table,
    "mcp tools": mcp.tools_table,
}
_PART = re.compile(r"(<!-- generated: ([a-z ]+) -->\n).*?(<!-- end of generated -->)", re.DOTALL)


def _filled(text: str) -> str:
    return _PART.sub(lambda found: f"{found[1]}\n{PARTS[found[2]]()}\n\n{found[3]}", text)


def wanted() -> Iterator[tuple[Path, str]]:
    """Every file that holds something generated, and what it should say."""
    for name, page in PAGES.items():
        yield ROOT / name, page()
    for path in (ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))):
        text = path.read_text(encoding="utf-8")
        if _PART.search(text):
            yield path, _filled(text)


def main(arguments: list[str]) -> int:
    """Writes what is not in step; with `--check` names it instead, and answers 1."""
    stale = [
        (path, text)
        for path, text in wanted()
        if not path.exists() or path.read_text(encoding="utf-8") != text
    ]
    for path, text in stale:
        print(f"{'not in step' if '--check' in arguments else 'written'}: {path.relative_to(ROOT)}")
        if "--check" not in arguments:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
    return 1 if stale and "--check" in arguments else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

"""The SARIF validator of the format's own authors, where `.ci/run` has fetched it; without it its tests are skipped."""

import json
import os
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
_PACKAGES = ROOT / ".tools" / "sarif" / "node_modules" / "@microsoft"
_SECONDS = 120
# About conveniences that a review cannot or should not give: messages by number, a repository's address, source text
# in the log, a page for each rule, and whether the schema's address answers just now.
ACCEPTED = frozenset(
    {"SARIF2002", "SARIF2003", "SARIF2005", "SARIF2006", "SARIF2010", "SARIF2011", "SARIF2012"}
)


def validator() -> Path:
    """The program; skips the test that asks where it is not there."""
    found = sorted(_PACKAGES.glob("sarif-multitool-*/Sarif.Multitool"))
    if not found:
        pytest.skip("no SARIF validator: .ci/run fetches it into .tools/sarif")
    return found[0]


def complaints(log: str, folder: Path) -> list[tuple[str, str, str]]:
    """`(rule, level, message)` of everything that the validator says against a log, but for what is accepted."""
    source, answer = folder / "given.sarif", folder / "answer.sarif"
    source.write_text(log, encoding="utf-8")
    done = subprocess.run(
        [
            validator(), "validate", source, "--output", answer, "--rule-kind", "Sarif;Gh;Ghas",
            "--level", "Error;Warning;Note", "--log", "ForceOverwrite",
        ],
        env={
            **os.environ, "DOTNET_SYSTEM_GLOBALIZATION_INVARIANT": "1", "DOTNET_BUNDLE_EXTRACT_BASE_DIR": str(folder / "net"),
        },
        capture_output=True, text=True, timeout=_SECONDS, check=False,
    )  # fmt: skip
    assert answer.is_file(), done.stdout + done.stderr
    results = json.loads(answer.read_text(encoding="utf-8-sig"))["runs"][0].get("results", [])
    told = [(r["ruleId"], r.get("level", "warning"), str(r["message"])) for r in results]
    return [one for one in told if one[0] not in ACCEPTED]

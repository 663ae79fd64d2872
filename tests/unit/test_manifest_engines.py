"""Ranges as npm reads them; where node is at hand, npm's own library is asked."""

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from msd_review.manifest.engines import RangeError, is_range, is_version, satisfies

RANGES = [
    ">=1.9.0", ">= 1.0", "^1.2", "~1.2", "1.x", "1.*", "*", "x", "1.2.3 - 2.0", "1 || 3", ">=1.0.0 <2.0.0",
    "<1.2", "<=1.2", ">1", "=1.2.3", "v1.2.3", "^0.0.3", "^0.2", "~0", "^1.2.3-beta.2", ">=1.2.3-beta",
    ">1.2.3-alpha <1.2.4", "  >=1.0.0   <3  ", "1.2.3+build", "<2.0.0-0", ">=1.0.0-rc.1 <1.0.0", "~> 1.2",
]  # fmt: skip
VERSIONS = [
    "0.0.3", "0.2.5", "1.0.0", "1.0.0-rc.1", "1.2.0", "1.2.3", "1.2.3-beta", "1.2.3-beta.10", "1.2.4-alpha",
    "1.12.0", "2.0.0", "2.0.0-0", "2.0.1", "3.1.4",
]  # fmt: skip
NO_RANGES = [
    "", " ", "latest", ">=", "1.2.3.4", ">=1.2.3.4", "!=1.4.0", "01.2.3", "1.2.3foo", "1 ||", "||", "^", "1.2.3 -",
    ">=1.0.0 <", "１.0.0", "1.0.0\0", "a" * 300, ">=1." + "9" * 400, "[1,2)",
]  # fmt: skip
SEMVER = Path("/usr/lib/node_modules/npm/node_modules/semver")


@pytest.mark.parametrize("text", NO_RANGES)
def test_what_is_no_range_is_refused(text: str) -> None:
    assert not is_range(text)
    with pytest.raises(RangeError):
        satisfies("1.2.3", text)


@pytest.mark.parametrize("text", RANGES)
def test_what_npm_reads_as_a_range_is_one(text: str) -> None:
    assert is_range(text)


@pytest.mark.parametrize(
    ("version", "wanted", "expected"),
    [
        ("1.9.0-rc.1", ">=1.9.0", False),
        ("1.9.0-rc.1", ">=1.9.0-rc.0", True),
        ("1.9.1-rc.1", ">=1.9.0", False),
        ("1.9.0", ">=1.9.0-rc.1", True),
        ("1.12.0", "1.9.0 - 1.12", True),
        ("1.12.0", "^1.13 || ~1.12.0", True),
    ],
)
def test_a_prerelease_lies_below_its_release(version: str, wanted: str, expected: bool) -> None:
    assert satisfies(version, wanted) is expected


@pytest.mark.parametrize("text", ["v1.0.0", "1.0", "01.0.0", "1.0.0-", "1.0.0-01", "1.0.0\n", "1.0.0+", ""])
def test_a_version_is_full_and_strict(text: str) -> None:
    assert not is_version(text)


@pytest.mark.needs_node
@pytest.mark.skipif(
    not SEMVER.is_dir() or shutil.which("node") is None, reason="npm's own semver is not installed"
)
def test_every_pair_is_judged_as_npm_judges_it() -> None:
    script = "const s=require(process.argv[1]);const [v,r]=JSON.parse(process.argv[2]);"
    script += "console.log(JSON.stringify(r.map(x=>v.map(y=>s.satisfies(y,x)))))"
    done = subprocess.run(
        ["node", "-e", script, str(SEMVER), json.dumps([VERSIONS, RANGES])], capture_output=True, check=True
    )
    theirs = json.loads(done.stdout)
    ours = [[satisfies(version, wanted) for version in VERSIONS] for wanted in RANGES]
    assert [
        (wanted, version)
        for wanted, row, other in zip(RANGES, ours, theirs, strict=True)
        for version, mine, its in zip(VERSIONS, row, other, strict=True)
        if mine != its
    ] == []

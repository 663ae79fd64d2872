"""The closed lists agree with the rest of the product."""

import re
from pathlib import Path

import pytest

from msd_review.config.schema import CENTRAL_KEYS
from msd_review.manifest.check import check
from msd_review.manifest.check_lane import is_denied
from msd_review.manifest.vocabulary import CENTRAL_CONFIG_FAMILIES, CENTRAL_CONFIG_KEYS, RESERVED_FLAGS
from tests.registry_files import lane_manifest

CLI = Path(__file__).parent.parent.parent / "src" / "msd_review" / "cli"
WITH_LANE_FLAGS = ("review.py", "code_review.py", "lane_flags.py")


def test_no_capability_may_own_a_key_of_the_central_schema() -> None:
    families = {f"{family}*" for family in CENTRAL_CONFIG_FAMILIES}
    assert {spec.key for spec in CENTRAL_KEYS} == {*CENTRAL_CONFIG_KEYS, *families}


def test_every_option_that_stands_beside_lane_flags_is_reserved() -> None:
    text = "".join(
        path.read_text(encoding="utf-8") for path in CLI.glob("*.py") if path.name in WITH_LANE_FLAGS
    )
    options = set(re.findall(r'"(--[a-z][a-z-]+)"', text))
    assert options
    assert options - set(RESERVED_FLAGS) == set()


@pytest.mark.parametrize("flag", RESERVED_FLAGS)
def test_a_lane_cannot_claim_an_option_of_ours(flag: str) -> None:
    (problem,) = check(lane_manifest("acme", flags=[flag]))
    assert problem.code == "lane.flag"
    assert problem.message == f"`{flag}` is an option of `msd review` itself"


@pytest.mark.parametrize(
    "name", ["path", "Ld_Preload", "GIT_CONFIG_KEY_0", "all_proxy", "NO_PROXY", "HTTPS_PROXY", "home"]
)
def test_a_variable_that_runs_code_or_moves_traffic_is_denied(name: str) -> None:
    assert is_denied(name)


@pytest.mark.parametrize(
    "name", ["ACME_BASE_URL", "ACME_HOST", "MYPATH", "PROXY", "GIT_DIR_X", "constructor"]
)
def test_another_variable_is_not(name: str) -> None:
    assert not is_denied(name)

"""A worker sends nothing that the submitter did not agree to: forged, foreign, ended and narrower consents."""

import http.server
import json
import threading
from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from msd_review.app.world import load_world
from msd_review.edges import clock
from msd_review.errors import InputError, StoreError, UsageError
from msd_review.fleet import grants, keys
from msd_review.fleet.checkouts import Repositories
from msd_review.fleet.consenting import NotGranted, lane_grant
from msd_review.fleet.grants import LaneGrant
from msd_review.fleet.model import FleetItem
from msd_review.fleet.security import Tls, checked_address
from msd_review.fleet.wire import Job
from msd_review.fleet.working import Bench, do_job
from tests.installed import Desk, example_desk

KEY, OTHER = Ed25519PrivateKey.generate(), Ed25519PrivateKey.generate()
FLEET = "20261201t000000z-00000000"


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Desk:
    """A worker's machine with a codex that notes every call but those of the probe."""
    made = example_desk(tmp_path)
    made.codex(before=f"open({str(tmp_path / 'called')!r}, 'a').write('x')")
    for name, value in made.env().items():
        monkeypatch.setenv(name, value)
    return made


def item(desk: Desk, **changed: Any) -> FleetItem:
    whole = FleetItem(id="a", line=1, repository=str(desk.project), kind="phase", phase="2", lanes=("codex",))
    return replace(whole, **changed)


def granted(desk: Desk, slug: str = "codex") -> LaneGrant:
    found = lane_grant(load_world(desk.project), slug, answered=True)
    assert isinstance(found, LaneGrant)
    return found


def answer(desk: Desk, grant: Any, one: FleetItem | None = None, slug: str = "codex") -> dict[str, Any]:
    bench = Bench(
        accepted=(keys.public_text(KEY),),
        repositories=Repositories(folder=desk.base / "repositories"),
        runs=desk.base / "runs",
    )
    job = Job(kind="lane", key="f-1", fleet=FLEET, item=one or item(desk), grant=grant, slug=slug)
    return do_job(json.loads(json.dumps(job.to_json())), bench=bench, folder=desk.base / "job")


def assert_blocked(desk: Desk, said: dict[str, Any], reason: str, detail: str) -> None:
    assert (said["state"], said["result"]) == ("lane", None)
    assert (said["skipped"]["outcome"], said["skipped"]["reason"]) == ("blocked", reason)
    assert detail in said["skipped"]["detail"]
    assert not (desk.base / "called").exists()


def test_a_grant_for_the_item_lets_the_lane_run(desk: Desk) -> None:
    said = answer(desk, grants.sign(KEY, fleet=FLEET, item=item(desk), lanes=[granted(desk)]))
    assert said["result"]["outcome"] == "review"
    assert (desk.base / "called").read_text() == "x"


@pytest.mark.parametrize(
    ("spoil", "detail"),
    [
        (lambda grant: {}, "cannot be read"),
        (
            lambda grant: grant | {"signature": "AAAA"},
            "the signature of the consent that came with it is wrong",
        ),
        (lambda grant: grant | {"grant": grant["grant"].replace("codex", "claude")}, "signature"),
        (lambda grant: grant | {"grant": grant["grant"] + " "}, "signature"),
        (lambda grant: grant | {"key": keys.public_text(OTHER)}, "a key that this worker does not accept"),
        (lambda grant: grant | {"grant": "x" * 2_000_000}, "too large"),
    ],
)
def test_a_spoilt_grant_is_none(desk: Desk, spoil: Any, detail: str) -> None:
    grant = grants.sign(KEY, fleet=FLEET, item=item(desk), lanes=[granted(desk)])
    assert_blocked(desk, answer(desk, spoil(grant)), "not_consented", detail)


def test_a_grant_signed_by_somebody_else_is_none(desk: Desk) -> None:
    grant = grants.sign(OTHER, fleet=FLEET, item=item(desk), lanes=[granted(desk)])
    assert_blocked(desk, answer(desk, grant), "not_consented", "does not accept")
    forged = grant | {"key": keys.public_text(KEY)}
    assert_blocked(desk, answer(desk, forged), "not_consented", "signature")


@pytest.mark.parametrize("age", [timedelta(hours=25), timedelta(hours=-2)])
def test_a_grant_that_ended_or_has_not_begun_is_none(desk: Desk, age: timedelta) -> None:
    grant = grants.sign(KEY, fleet=FLEET, item=item(desk), lanes=[granted(desk)], now=clock.now() - age)
    assert_blocked(desk, answer(desk, grant), "not_consented", "held until")


@pytest.mark.parametrize(
    "changed", [{"phase": "1"}, {"repository": "/somewhere/else"}, {"lanes": ()}, {"revision": "0" * 40}]
)
def test_a_grant_for_another_item_is_none(desk: Desk, changed: dict[str, Any]) -> None:
    grant = grants.sign(KEY, fleet=FLEET, item=item(desk, **changed), lanes=[granted(desk)])
    assert_blocked(desk, answer(desk, grant), "not_consented", "was given to something else")


def test_a_grant_of_another_run_or_without_the_lane_is_none(desk: Desk) -> None:
    other = grants.sign(KEY, fleet="20261201t000000z-11111111", item=item(desk), lanes=[granted(desk)])
    assert_blocked(desk, answer(desk, other), "not_consented", "was given to something else")
    without = grants.sign(KEY, fleet=FLEET, item=item(desk), lanes=[granted(desk, "grounding")])
    assert_blocked(desk, answer(desk, without), "not_consented", "has not agreed to this reviewer")


def test_a_lane_that_declares_something_else_on_the_worker_is_blocked(desk: Desk) -> None:
    for changed in ({"signature": "sha256-other"}, {"capability": "other"}, {"source": "global"}):
        spoilt: dict[str, Any] = changed
        lane = replace(granted(desk), **spoilt)
        grant = grants.sign(KEY, fleet=FLEET, item=item(desk), lanes=[lane])
        assert_blocked(desk, answer(desk, grant), "not_consented", "agreed to")


class _Counting(http.server.BaseHTTPRequestHandler):
    requests = 0

    def do_GET(self) -> None:
        type(self).requests += 1
        self.send_error(404)

    do_POST = do_GET

    def log_message(self, *_: Any) -> None:
        return None


@pytest.fixture
def server() -> Iterator[str]:
    _Counting.requests = 0
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), _Counting) as served:
        thread = threading.Thread(target=served.serve_forever, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{served.server_address[1]}"
        served.shutdown()


def test_a_workers_own_destination_and_consent_widen_nothing_and_nothing_is_contacted(
    desk: Desk, server: str
) -> None:
    grant = grants.sign(KEY, fleet=FLEET, item=item(desk), lanes=[granted(desk, "ollama")])
    assert desk.run("config", "set", "--user", "review.ollama_host", server).code == 0
    assert desk.run("capability", "trust", "allow-host", "ollama", server).code == 0
    said = answer(desk, grant, slug="ollama")
    assert_blocked(desk, said, "egress_host_changed", f"on this worker plans would go to {server}")
    assert _Counting.requests == 0
    agreed = grants.sign(KEY, fleet=FLEET, item=item(desk), lanes=[granted(desk, "ollama")])
    answer(desk, agreed, slug="ollama")
    assert _Counting.requests > 0


def test_the_repositorys_own_configuration_widens_nothing(desk: Desk, server: str) -> None:
    grant = grants.sign(KEY, fleet=FLEET, item=item(desk), lanes=[granted(desk, "ollama")])
    config = desk.project / ".planning" / "config.json"
    config.write_text(json.dumps({"review": {"ollama_host": server}}), encoding="utf-8")
    said = answer(desk, grant, slug="ollama")
    assert_blocked(desk, said, "egress_host_changed", server)
    assert _Counting.requests == 0


def test_nobody_is_granted_a_lane_that_was_not_answered_for(desk: Desk) -> None:
    found = lane_grant(load_world(desk.project), "codex", answered=False)
    assert isinstance(found, NotGranted)
    assert (found.outcome.value, found.reason.value) == ("blocked", "not_consented")
    assert found.detail == "you have not said that Codex may receive plans"
    assert isinstance(lane_grant(load_world(desk.project), "grounding", answered=False), LaneGrant)


def test_a_plan_that_leads_out_of_the_repository_is_refused(desk: Desk) -> None:
    (desk.base / "secret.md").write_text("# nothing of the repository's", encoding="utf-8")
    (desk.project / "PLAN.md").symlink_to(desk.base / "secret.md")
    one = item(desk, kind="plans", phase=None, plans=("PLAN.md",))
    grant = grants.sign(KEY, fleet=FLEET, item=one, lanes=[granted(desk)])
    said = answer(desk, grant, one)
    assert (said["state"], said["reason"]) == ("refused", "input")
    assert said["message"] == "PLAN.md is not in the repository"
    assert not (desk.base / "called").exists()


TLS = Tls(ca=Path("ca"), cert=Path("cert"), key=Path("key"))


@pytest.mark.parametrize(
    "address",
    ["tcp://10.0.0.7:8786", "10.0.0.7:8786", "tcp://scheduler:8786", "tcp://[2001:db8::1]:1", "tcp://0.0.0.0:1",
     "tcp://127.0.0.1.example.com:1"],
)  # fmt: skip
def test_an_address_that_others_reach_is_refused_without_tls(address: str) -> None:
    with pytest.raises(UsageError, match="without TLS whoever reaches it runs code there"):
        checked_address(address, None)


@pytest.mark.parametrize(
    ("address", "tls", "checked"),
    [
        ("127.0.0.1", None, "tcp://127.0.0.1:8786"),
        ("tcp://[::1]:9", None, "tcp://[::1]:9"),
        ("scheduler", TLS, "tls://scheduler:8786"),
        ("tls://10.0.0.7:1", TLS, "tls://10.0.0.7:1"),
    ],
)
def test_an_address_that_may_be_used_gets_its_whole_form(address: str, tls: Tls | None, checked: str) -> None:
    assert checked_address(address, tls) == checked


@pytest.mark.parametrize("address", ["http://h:1", "tls://u@h:1", "tcp://h:1/x", "tcp://:1", "tcp://h:x"])
def test_what_is_no_address_is_told(address: str) -> None:
    with pytest.raises(UsageError, match="is no address"):
        checked_address(address, TLS)


def test_a_client_and_a_worker_refuse_to_speak_in_the_clear(desk: Desk) -> None:
    batch = desk.base / "batch.jsonl"
    batch.write_text(json.dumps({"repository": str(desk.project), "phase": "2"}) + "\n", encoding="utf-8")
    client = desk.run(
        "fleet", "run", str(batch), "--out", str(desk.base / "out"), "--scheduler", "tcp://10.0.0.7"
    )
    worker = desk.run("fleet", "worker", "--scheduler", "tcp://10.0.0.7:8786")
    scheduler = desk.run("fleet", "scheduler", "--listen", "tcp://0.0.0.0:8786")
    for ended in (client, worker, scheduler):
        assert ended.code == 2
        assert "without TLS whoever reaches it runs code there" in ended.err
    assert not (desk.base / "out").exists()


def test_a_signing_key_that_others_can_read_is_refused(tmp_path: Path) -> None:
    made = keys.signing_key(tmp_path)
    assert keys.public_text(keys.signing_key(tmp_path)) == keys.public_text(made)
    path = tmp_path / "fleet" / "key"
    assert path.stat().st_mode & 0o777 == 0o600
    path.chmod(0o644)
    with pytest.raises(StoreError, match="can be read by others"):
        keys.signing_key(tmp_path)


def test_accepted_keys_come_from_arguments_and_files(tmp_path: Path) -> None:
    one, two = keys.public_text(KEY), keys.public_text(OTHER)
    listed = tmp_path / "keys"
    listed.write_text(f"# who may submit\n{two}  # the night's batch\n\n", encoding="utf-8")
    assert keys.accepted_keys([one, str(listed), one]) == (one, two)
    listed.write_text("ssh-ed25519 AAAA\n", encoding="utf-8")
    with pytest.raises(InputError, match="is no key"):
        keys.accepted_keys([str(listed)])

"""Who is let through, who is not, and what they are told."""

from pathlib import Path
from typing import Any

import pytest

from msd_review.invocation import HttpInvocation, NotPlanned, SpawnInvocation
from msd_review.manifest.model import CommandExists, HttpInvoke, HttpReachable, Lane, SpawnInvoke
from msd_review.outcomes import Outcome, Reason
from msd_review.trust.bundle import Bundle
from msd_review.trust.consent import Answer, Consents, HostConsent, OverlayConsent
from msd_review.trust.policy import (
    ApprovedHttp,
    ApprovedSpawn,
    Inactive,
    approve_http,
    approve_spawn,
    needs_answer,
    overlay_state,
)

TIME = {"time": "2026-12-01T00:00:00Z", "tool_version": "1"}
BINARY = Path("/usr/bin/codex")


def spawn_lane(**changed: Any) -> Lane:
    fields: dict[str, Any] = {
        "slug": "codex",
        "flags": ("--codex",),
        "transport": "spawn",
        "probe": CommandExists(binary="codex"),
        "invoke": SpawnInvoke(binary="codex", args=(), prompt_channel="stdin", output_channel="stdout"),
        "timeout_floor_ms": 1,
        "empty_output": "stub-with-stderr",
        "reviews_section": "Codex",
        "evidence_class": "source-grounded",
        "provider": "openai",
        "install_hint": "npm install -g @openai/codex",
    }
    return Lane(**{**fields, **changed})


def http_lane(default_host: str | None = "http://localhost:11434") -> Lane:
    return spawn_lane(
        slug="ollama",
        flags=("--ollama",),
        transport="openai-http",
        reviews_section="Ollama",
        provider="ollama",
        probe=HttpReachable(host_config_key="review.ollama_host", path="/v1/models", timeout_ms=1),
        invoke=HttpInvoke(
            host_config_key="review.ollama_host",
            path="/v1/chat/completions",
            model_discovery="none",
            default_host=default_host,
        ),
    )


def spawn(lane: Lane | None = None) -> SpawnInvocation:
    lane = lane or spawn_lane()
    assert isinstance(lane.invoke, SpawnInvoke)
    return SpawnInvocation(
        identity=lane.slug,
        lane=lane,
        invoke=lane.invoke,
        argv=(lane.invoke.binary,),
        stdin=True,
        env={},
        pin_env=(),
        prompt_path=Path("/p"),
        output_path=None,
        working_folder=Path("/w"),
        model=None,
        effort=None,
        timeout_ms=1,
        idle_timeout_ms=None,
    )


def http(host: str, lane: Lane | None = None, *, url: str | None = None) -> HttpInvocation:
    lane = lane or http_lane()
    assert isinstance(lane.invoke, HttpInvoke)
    return HttpInvocation(
        identity=lane.slug,
        lane=lane,
        invoke=lane.invoke,
        host=host,
        host_config_key="review.ollama_host",
        host_origin="project",
        url=url or host + "/v1/chat/completions",
        models_url=None,
        prompt_path=Path("/p"),
        model=None,
        fallback_model=None,
        timeout_ms=1,
    )


def answered(allowed: bool) -> Consents:
    return Consents(answers=(Answer(slug="codex", allowed=allowed, **TIME),))


def agreed(*hosts: str, capability: str = "ollama") -> Consents:
    return Consents(
        hosts=tuple(
            HostConsent(slug="ollama", capability=capability, destination=one, **TIME) for one in hosts
        )
    )


def refusal(verdict: Any) -> tuple[Outcome, Reason, str, str | None]:
    assert isinstance(verdict, NotPlanned)
    return verdict.outcome, verdict.reason, verdict.detail, verdict.hint


def test_nobody_else_can_make_an_approval() -> None:
    with pytest.raises(RuntimeError, match="approvals are made by trust.policy alone"):
        ApprovedSpawn(invocation=spawn(), binary=BINARY, seal=object())
    with pytest.raises(RuntimeError, match="approvals are made by trust.policy alone"):
        ApprovedHttp(invocation=http("http://h"), destination="http://h", seal=None)


def test_a_tool_of_the_users_receives_nothing_before_they_were_asked() -> None:
    verdict = approve_spawn(spawn(), binary=BINARY, first_party=True, consents=Consents())
    assert refusal(verdict) == (
        Outcome.BLOCKED,
        Reason.NOT_CONSENTED,
        "nobody was asked yet whether Codex (openai) may receive plans on this machine",
        "name it to agree for one run: --codex",
    )


def test_a_refusal_is_remembered() -> None:
    verdict = approve_spawn(spawn(), binary=BINARY, first_party=True, consents=answered(False))
    assert refusal(verdict)[2] == "you said that Codex (openai) may not receive plans on this machine"


@pytest.mark.parametrize("consents", [Consents(), answered(False)])
def test_naming_a_lane_is_an_answer_for_that_run(consents: Consents) -> None:
    verdict = approve_spawn(spawn(), binary=BINARY, first_party=True, consents=consents, answered=True)
    assert isinstance(verdict, ApprovedSpawn)
    assert verdict.binary == BINARY


def test_an_answer_of_yes_lets_the_lane_run() -> None:
    verdict = approve_spawn(spawn(), binary=BINARY, first_party=True, consents=answered(True))
    assert isinstance(verdict, ApprovedSpawn)


def test_trust_is_asked_before_the_binary_is_missed() -> None:
    asked = approve_spawn(spawn(), binary=None, first_party=True, consents=Consents())
    allowed = approve_spawn(spawn(), binary=None, first_party=True, consents=answered(True))
    assert refusal(asked)[1] is Reason.NOT_CONSENTED
    assert refusal(allowed) == (
        Outcome.UNAVAILABLE,
        Reason.MISSING_BINARY,
        "codex was not found on PATH",
        "npm install -g @openai/codex",
    )


def test_a_relative_binary_is_our_own_mistake() -> None:
    with pytest.raises(RuntimeError, match="must be an absolute path, got bin/codex"):
        approve_spawn(spawn(), binary=Path("bin/codex"), first_party=True, consents=answered(True))


@pytest.mark.parametrize(
    ("binary", "provider", "first_party", "asks"),
    [
        ("msd-grounding", None, True, False),
        ("msd-grounding", "someone", True, True),
        ("other", None, True, True),
        ("codex", "openai", True, True),
        ("codex", "openai", False, False),
    ],
)
def test_who_is_asked_about_is_decided_by_what_a_lane_declares(
    binary: str, provider: str | None, first_party: bool, asks: bool
) -> None:
    invoke = SpawnInvoke(binary=binary, args=(), prompt_channel="stdin", output_channel="stdout")
    lane = spawn_lane(slug="any", invoke=invoke, provider=provider)
    assert needs_answer(lane, first_party=first_party) is asks


def test_http_lanes_are_ruled_by_their_destination_alone() -> None:
    assert not needs_answer(http_lane(), first_party=True)


def test_a_shipped_lane_may_go_to_its_own_default_without_a_record() -> None:
    verdict = approve_http(
        http("http://localhost:11434"), capability="ollama", first_party=True, consents=Consents()
    )
    assert isinstance(verdict, ApprovedHttp)
    assert verdict.destination == "http://localhost:11434"


def test_an_installed_lane_needs_a_record_for_its_own_default_too() -> None:
    verdict = approve_http(
        http("http://localhost:11434"),
        capability="acme",
        first_party=False,
        consents=Consents(),
        scope="global",
    )
    assert refusal(verdict)[:2] == (Outcome.BLOCKED, Reason.NOT_CONSENTED)


def test_a_destination_never_agreed_to_is_named_with_the_command_that_agrees() -> None:
    verdict = approve_http(http("http://evil"), capability="ollama", first_party=True, consents=Consents())
    assert refusal(verdict) == (
        Outcome.BLOCKED,
        Reason.NOT_CONSENTED,
        "plans would go to http://evil (review.ollama_host, project) instead of http://localhost:11434, "
        "and you have not agreed to that destination; nothing was sent",
        "if that is right: msd capability trust allow-host ollama http://evil",
    )


def test_a_destination_that_changed_is_blocked_with_both_named() -> None:
    verdict = approve_http(
        http("http://evil/a;b"), capability="ollama", first_party=True, consents=agreed("http://good")
    )
    assert refusal(verdict) == (
        Outcome.BLOCKED,
        Reason.EGRESS_HOST_CHANGED,
        "plans would go to http://evil/a;b (review.ollama_host, project), "
        "but you agreed to http://good; nothing was sent",
        "if that is right: msd capability trust allow-host ollama 'http://evil/a;b'",
    )


def test_a_destination_that_was_agreed_to_is_let_through() -> None:
    consents = agreed("http://good", "http://other")
    for host in ("http://good", "http://other"):
        verdict = approve_http(http(host), capability="ollama", first_party=True, consents=consents)
        assert isinstance(verdict, ApprovedHttp)


def test_a_strangers_lane_does_not_inherit_the_destinations_of_its_slug() -> None:
    verdict = approve_http(
        http("http://good"),
        capability="acme",
        first_party=False,
        consents=agreed("http://good"),
        scope="global",
    )
    assert refusal(verdict)[1] is Reason.NOT_CONSENTED


def test_the_destination_that_an_overlay_was_consented_with_is_let_through_and_no_other() -> None:
    consents = Consents().with_overlay(
        OverlayConsent(
            scope="global",
            id="acme",
            integrity=None,
            signature="s",
            content_hash="c",
            destination="http://good",
            **TIME,
        )
    )
    verdicts = [
        approve_http(http(host), capability="acme", first_party=False, consents=consents, scope=scope)
        for host, scope in (("http://good", "global"), ("http://good", "/project"), ("http://evil", "global"))
    ]
    assert isinstance(verdicts[0], ApprovedHttp)
    assert refusal(verdicts[1])[1] is Reason.NOT_CONSENTED
    assert refusal(verdicts[2])[1] is Reason.EGRESS_HOST_CHANGED


def test_a_request_elsewhere_than_the_destination_is_our_own_mistake() -> None:
    with pytest.raises(RuntimeError, match="http://evil/v1 is not at the destination http://good"):
        approve_http(
            http("http://good", url="http://evil/v1"),
            capability="ollama",
            first_party=True,
            consents=Consents(),
        )


BUNDLE = Bundle(files={b"capability.json": b"{}"})


def overlay(content_hash: str, scope: str = "global") -> Consents:
    consent = OverlayConsent(
        scope=scope,
        id="acme",
        integrity=None,
        signature="s",
        content_hash=content_hash,
        destination=None,
        **TIME,
    )
    return Consents(overlays=(consent,))


def test_an_overlay_is_active_while_its_bytes_are_those_consented_to() -> None:
    consents = overlay(BUNDLE.content_hash)
    assert overlay_state("acme", scope="global", bundle=BUNDLE, consents=consents) is None


HINT = "look at it and agree: msd capability trust allow acme"


@pytest.mark.parametrize(
    ("consents", "scope", "bundle", "expected"),
    [
        (
            Consents(),
            "global",
            BUNDLE,
            (
                "not_consented",
                "you have not agreed to it; it came with the project or was put there by hand",
                HINT,
            ),
        ),
        (
            overlay(BUNDLE.content_hash, scope="/project"),
            "global",
            BUNDLE,
            (
                "not_consented",
                "you have not agreed to it; it came with the project or was put there by hand",
                HINT,
            ),
        ),
        (
            overlay(BUNDLE.content_hash),
            None,
            BUNDLE,
            (
                "not_consented",
                "you have not agreed to it; it came with the project or was put there by hand",
                HINT,
            ),
        ),
        (
            overlay("sha512-other"),
            "global",
            BUNDLE,
            ("content_changed", "it changed since you agreed to it on 2026-12-01T00:00:00Z", HINT),
        ),
        (
            overlay(BUNDLE.content_hash),
            "global",
            None,
            (
                "content_changed",
                "its files cannot be verified: a link, a special file, or too much of it",
                HINT,
            ),
        ),
        (
            Consents(problem="it is damaged"),
            "global",
            BUNDLE,
            (
                "not_consented",
                "the consent store is refused: it is damaged",
                "see what is wrong: msd capability trust list",
            ),
        ),
    ],
)
def test_an_overlay_is_inactive_otherwise_and_says_why(
    consents: Consents, scope: str | None, bundle: Bundle | None, expected: tuple[str, str, str]
) -> None:
    state = overlay_state("acme", scope=scope, bundle=bundle, consents=consents)
    assert state == Inactive(code=expected[0], detail=expected[1], hint=expected[2])

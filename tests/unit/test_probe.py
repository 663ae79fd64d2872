"""Whether a lane can run here, by real programs and a real server; bounded, and nothing contacted unasked."""

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest

from msd_review.edges.programs import find_binary
from msd_review.manifest.model import (
    CommandCapability,
    CommandExists,
    HttpReachable,
    Lane,
    Probe,
    SpawnInvoke,
)
from msd_review.outcomes import Reason
from msd_review.run.probe import probe_all, probe_lane
from msd_review.run.standing import READY, ProbeResult, missing_program
from tests.http_samples import http_lane
from tests.servers.misbehaving import Connection, Misbehaving, Received, Script, misbehaving


def spawn_lane(probe: Probe, *, requires: tuple[str, ...] = (), hints: dict[str, str] | None = None) -> Lane:
    return http_lane("http://localhost")._replace(
        transport="spawn",
        handler=None,
        probe=probe,
        requires_binaries=requires,
        install_hint="get it: acme install",
        hints=hints or {},
        invoke=SpawnInvoke(binary="acme", args=(), prompt_channel="stdin", output_channel="stdout"),
    )


def program(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
    return path


@pytest.fixture
def bin(tmp_path: Path) -> Path:
    folder = tmp_path / "bin"
    folder.mkdir()
    return folder


def probed(lane: Lane, bin: Path) -> ProbeResult:
    def find(name: str) -> Path | None:
        return find_binary(name, path=str(bin), repo_root=None)

    return asyncio.run(probe_lane(lane, find=find, cwd=bin.parent, env={"PATH": "/usr/bin:/bin"}))


HELP = CommandCapability(binary="acme", needle="--review", timeout_ms=5000)


# Programs


def test_a_command_that_exists_is_ready(bin: Path) -> None:
    program(bin, "acme", "exit 1")
    assert probed(spawn_lane(CommandExists(binary="acme")), bin) == READY


def test_a_missing_command_is_said_with_how_to_get_it(bin: Path) -> None:
    assert probed(spawn_lane(CommandExists(binary="acme")), bin) == ProbeResult(
        available=False,
        reason=Reason.MISSING_BINARY,
        detail="acme was not found on PATH",
        hint="get it: acme install",
    )


def test_a_file_without_the_execute_bit_is_no_command(bin: Path) -> None:
    program(bin, "acme", "exit 0").chmod(0o644)
    assert probed(spawn_lane(CommandExists(binary="acme")), bin).reason is Reason.MISSING_BINARY


def test_a_probe_for_another_program_does_not_hide_that_the_lanes_own_is_missing(bin: Path) -> None:
    program(bin, "other", "exit 0")
    assert probed(spawn_lane(CommandExists(binary="other")), bin).detail == "acme was not found on PATH"


def test_required_programs_are_looked_for_before_the_tool_itself(bin: Path) -> None:
    found = probed(spawn_lane(CommandExists(binary="acme"), requires=("jq",)), bin)
    assert (found.reason, found.detail) == (
        Reason.MISSING_REQUIRED_BINARY,
        "it needs jq, which was not found on PATH",
    )
    assert found.hint == "get it: acme install"


def test_a_lanes_own_hint_for_the_reason_comes_first(bin: Path) -> None:
    lane = spawn_lane(CommandExists(binary="acme"), hints={"missing_binary": "brew install acme"})
    assert probed(lane, bin).hint == "brew install acme"


@pytest.mark.parametrize("stream", ["", ">&2"])
@pytest.mark.parametrize("status", [0, 3])
def test_the_help_is_searched_on_both_streams_and_its_exit_status_ignored(
    bin: Path, stream: str, status: int
) -> None:
    program(bin, "acme", f'[ "$1" = --help ] && echo "  --review FILE" {stream}; exit {status}')
    assert probed(spawn_lane(HELP), bin) == READY


def test_another_tool_of_the_same_name_is_told(bin: Path) -> None:
    path = program(bin, "acme", "echo acme manages cables")
    found = probed(spawn_lane(HELP), bin)
    assert found.reason is Reason.PROBE_FAILED
    assert (
        found.detail
        == f"{path} --help does not mention --review: another tool bears this name, or another version"
    )


def test_a_tool_that_waits_on_stdin_finds_it_closed(bin: Path) -> None:
    program(bin, "acme", "cat; echo --review")
    assert probed(spawn_lane(HELP), bin) == READY


def test_a_help_that_hangs_is_ended_at_its_bound(bin: Path) -> None:
    path = program(bin, "acme", "sleep 600")
    found = probed(spawn_lane(HELP._replace(timeout_ms=300)), bin)
    assert (found.reason, found.detail) == (Reason.PROBE_TIMEOUT, f"{path} --help did not end within 0.3 s")


def test_a_help_that_answered_before_it_hung_is_ready(bin: Path) -> None:
    program(bin, "acme", "echo --review; sleep 600")
    assert probed(spawn_lane(HELP._replace(timeout_ms=1500)), bin) == READY


def test_a_help_without_end_is_bounded(bin: Path) -> None:
    program(bin, "acme", "yes no-such-flag")
    assert probed(spawn_lane(HELP._replace(timeout_ms=800)), bin).available is False


def test_a_file_that_the_system_will_not_start_is_a_failed_probe(bin: Path) -> None:
    path = bin / "acme"
    path.write_bytes(b"\x7fELF nonsense")
    path.chmod(0o755)
    found = probed(spawn_lane(HELP), bin)
    assert found.reason is Reason.PROBE_FAILED
    assert found.detail.startswith(f"{path}")


def test_looking_for_programs_starts_nothing(bin: Path) -> None:
    program(bin, "acme", f"touch {bin}/started")
    assert missing_program(spawn_lane(HELP), find=lambda name: bin / name) is None
    assert not (bin / "started").exists()


# Servers


@pytest.fixture
def server() -> Iterator[Misbehaving]:
    async def nothing(_request: Received, _connection: Connection) -> None:
        pass

    with misbehaving(nothing) as running:
        yield running


def asked(server: Misbehaving, *, timeout_ms: int = 10_000) -> ProbeResult:
    lane = http_lane(server.url)
    probe = HttpReachable(host_config_key="review.acme_host", path="/v1/models", timeout_ms=timeout_ms)
    lane = lane._replace(probe=probe)
    return asyncio.run(probe_lane(lane, find=lambda _name: None, cwd=Path("/"), host=server.url, env={}))


def status(text: str, body: str = "{}") -> Script:
    async def script(_request: Received, connection: Connection) -> None:
        await connection.answer(body, status=text)

    return script


@pytest.mark.parametrize(
    "code", ["200 OK", "204 No Content", "400 Bad", "405 Not Allowed", "429 Slow", "500 Oops", "502 Bad"]
)
def test_any_other_status_means_that_a_server_is_there(server: Misbehaving, code: str) -> None:
    server.script = status(code)
    assert asked(server).available


@pytest.mark.parametrize(
    ("code", "reason", "detail"),
    [
        ("401 No", Reason.AUTH_REQUIRED, "{}/v1/models answered 401"),
        ("403 No", Reason.AUTH_REQUIRED, "{}/v1/models answered 403"),
        ("404 No", Reason.HTTP_ERROR, "{}/v1/models answered 404"),
        (
            "307 No",
            Reason.EGRESS_REFUSED,
            "{}/v1/models answered 307 and points to nowhere; redirects are never followed",
        ),
    ],
)
def test_a_status_that_stands_against_the_lane_is_told(
    server: Misbehaving, code: str, reason: Reason, detail: str
) -> None:
    server.script = status(code)
    found = asked(server)
    assert (found.available, found.reason, found.detail) == (False, reason, detail.format(server.url))


def test_a_server_that_is_loading_is_asked_again(server: Misbehaving) -> None:
    async def loading(_request: Received, connection: Connection) -> None:
        code = "503 Loading" if server.connections < 3 else "200 OK"
        await connection.answer("{}", status=code)

    server.script = loading
    assert asked(server).available
    assert server.connections == 3


def test_a_server_that_stays_not_ready_is_unreachable(server: Misbehaving) -> None:
    server.script = status("503 Loading")
    found = asked(server, timeout_ms=1500)
    assert (found.reason, found.detail) == (
        Reason.HOST_UNREACHABLE,
        f"{server.url}/v1/models answers 503: it is not ready",
    )
    assert server.connections >= 2


def test_a_server_that_accepts_and_never_answers_is_a_probe_timeout(server: Misbehaving) -> None:
    async def silence(_request: Received, connection: Connection) -> None:
        await connection.reader.read()

    server.script = silence
    found = asked(server, timeout_ms=300)
    assert (found.reason, found.detail) == (
        Reason.PROBE_TIMEOUT,
        f"{server.url}/v1/models did not answer within the probe's time",
    )


def test_nobody_listening_is_unreachable_with_how_to_start_it() -> None:
    async def nothing(_request: Received, _connection: Connection) -> None:
        pass

    with misbehaving(nothing) as gone:
        pass
    found = asked(gone)
    assert (found.reason, found.hint) == (Reason.HOST_UNREACHABLE, "start it: acme serve")
    assert found.detail == f"cannot connect to 127.0.0.1:{gone.port} (tried 127.0.0.1): Connection refused"


def test_an_http_lane_is_never_probed_without_a_destination_that_trust_let_through() -> None:
    lane = http_lane("http://localhost:1")
    with pytest.raises(RuntimeError, match="without a destination that trust let through"):
        asyncio.run(probe_lane(lane, find=lambda _name: None, cwd=Path("/"), env={}))


def test_all_probes_are_under_way_at_the_same_time(server: Misbehaving) -> None:
    all_here = asyncio.Event()

    async def when_all_are_here(_request: Received, connection: Connection) -> None:
        if server.connections == 12:
            all_here.set()
        await all_here.wait()
        await connection.answer("{}")

    server.script = when_all_are_here
    lane = http_lane(server.url)

    async def all_of_them() -> tuple[ProbeResult, ...]:
        return await probe_all(
            probe_lane(lane, find=lambda _name: None, cwd=Path("/"), host=server.url, env={})
            for _ in range(12)
        )

    assert all(one.available for one in asyncio.run(all_of_them()))

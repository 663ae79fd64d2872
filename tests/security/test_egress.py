"""Attacks that would send a plan, or a key, to somebody whom nobody agreed to."""

import asyncio
import base64
import ssl
from collections.abc import Iterator
from contextlib import AbstractContextManager
from dataclasses import replace
from pathlib import Path

import pytest
import trustme

from msd_review.edges.addresses import AddressBook
from msd_review.edges.http import HttpRequest
from msd_review.edges.proxies import proxy_for
from msd_review.invocation import HttpInvocation, NotPlanned
from msd_review.outcomes import Outcome, Reason
from msd_review.run.probe import probe_lane
from msd_review.trust.consent import Consents
from msd_review.trust.destinations import normalise, request_url, same_destination
from msd_review.trust.policy import approve_http
from tests.http_samples import REVIEW, approved_http, http_lane, run
from tests.servers.misbehaving import Connection, Misbehaving, Received, Script, completion, misbehaving

SECRET = "sk-acme-0123456789abcdef"


async def _reviews(_request: Received, connection: Connection) -> None:
    await connection.answer_json(completion(REVIEW))


def _redirects(status: str, location: str) -> Script:
    async def script(_request: Received, connection: Connection) -> None:
        await connection.answer("", status=status, Location=location)

    return script


@pytest.fixture
def agreed() -> Iterator[Misbehaving]:
    """The server that the user agreed to."""
    with misbehaving(_reviews) as server:
        yield server


@pytest.fixture
def stranger() -> Iterator[Misbehaving]:
    """A server that nobody agreed to."""
    with misbehaving(_reviews) as server:
        yield server


def answers(*turns: tuple[str, ...]) -> tuple[AddressBook, list[str]]:
    """An address book over a resolver that answers differently each time, and the names that it was asked for."""
    asked: list[str] = []

    async def resolve(host: str, _port: int) -> tuple[str, ...]:
        asked.append(host)
        return turns[min(len(asked), len(turns)) - 1]

    return AddressBook(resolve), asked


# Redirects


@pytest.mark.parametrize(
    "status", ["301 Moved", "302 Found", "303 See Other", "307 Temporary", "308 Permanent", "300 Choices"]
)
def test_redirect_to_another_host_is_refused_and_named(
    agreed: Misbehaving, stranger: Misbehaving, tmp_path: Path, status: str
) -> None:
    agreed.script = _redirects(status, f"{stranger.url}/v1/chat/completions")
    result = run(agreed.url, tmp_path)
    assert (result.outcome, result.reason) == (Outcome.BLOCKED, Reason.EGRESS_REFUSED)
    assert result.detail == (
        f"{agreed.url} answered {status[:3]} and points to {stranger.url}/v1/chat/completions; "
        "redirects are never followed"
    )
    assert stranger.connections == 0
    assert result.text_path is None


@pytest.mark.parametrize(
    "location",
    [
        "http://127.0.0.1:1/x", "https://127.0.0.1/x", "file:///etc/passwd", "http://169.254.169.254/latest/meta-data",
        "http://10.0.0.1/", "//evil.example/x", "/v1/chat/completions/", "ftp://evil.example", "javascript:alert(1)", "",
        "http://evil.example/\u202egnp.exe",
    ],
)  # fmt: skip
def test_redirect_to_another_port_scheme_file_or_private_address_is_refused(
    agreed: Misbehaving, tmp_path: Path, location: str
) -> None:
    agreed.script = _redirects("307 Temporary", location.encode().decode("latin-1"))
    result = run(agreed.url, tmp_path)
    assert (result.outcome, result.reason) == (Outcome.BLOCKED, Reason.EGRESS_REFUSED)
    assert result.detail.isprintable()
    assert agreed.connections == 1


def test_redirect_of_the_list_of_models_is_refused_before_the_plan_is_sent(
    agreed: Misbehaving, stranger: Misbehaving, tmp_path: Path
) -> None:
    agreed.script = _redirects("302 Found", stranger.url)
    result = run(agreed.url, tmp_path, model=None)
    assert result.reason is Reason.EGRESS_REFUSED
    assert [request.method for request in agreed.received] == ["GET"]
    assert stranger.connections == 0


def test_two_servers_that_redirect_to_each_other_are_asked_once(
    agreed: Misbehaving, stranger: Misbehaving, tmp_path: Path
) -> None:
    agreed.script = _redirects("302 Found", stranger.url)
    stranger.script = _redirects("302 Found", agreed.url)
    assert run(agreed.url, tmp_path).reason is Reason.EGRESS_REFUSED
    assert (agreed.connections, stranger.connections) == (1, 0)


def test_redirect_of_a_probe_is_refused(agreed: Misbehaving, stranger: Misbehaving, tmp_path: Path) -> None:
    agreed.script = _redirects("301 Moved", stranger.url)
    lane = http_lane(agreed.url)
    found = asyncio.run(probe_lane(lane, find=lambda _name: None, cwd=tmp_path, host=agreed.url, env={}))
    assert (found.available, found.reason) == (False, Reason.EGRESS_REFUSED)
    assert (
        found.detail
        == f"{agreed.url}/v1/models answered 301 and points to {stranger.url}; redirects are never followed"
    )
    assert stranger.connections == 0


def test_a_refresh_header_and_a_meta_refresh_lead_nowhere(
    agreed: Misbehaving, stranger: Misbehaving, tmp_path: Path
) -> None:
    async def script(_request: Received, connection: Connection) -> None:
        page = f'<html><meta http-equiv="refresh" content="0;url={stranger.url}"></html>'
        await connection.answer(page, Content_Type="text/html", Refresh=f"0;url={stranger.url}")

    agreed.script = script
    assert run(agreed.url, tmp_path).reason is Reason.HTTP_ERROR
    assert stranger.connections == 0


# Names


def test_dns_that_answers_differently_the_second_time_changes_nothing(
    agreed: Misbehaving, tmp_path: Path
) -> None:
    book, asked = answers(("127.0.0.1",), ("203.0.113.9",))
    base = f"http://models.example:{agreed.port}"
    for _ in range(2):
        assert run(base, tmp_path, model=None, book=book).outcome is Outcome.REVIEW
    assert asked == ["models.example"]
    assert {request.headers["host"] for request in agreed.received} == {f"models.example:{agreed.port}"}


def test_dns_that_answers_inside_and_outside_at_once_is_refused(agreed: Misbehaving, tmp_path: Path) -> None:
    book, _ = answers(("93.184.216.34", "127.0.0.1"))
    result = run(f"http://models.example:{agreed.port}", tmp_path, book=book)
    assert (result.outcome, result.reason) == (Outcome.BLOCKED, Reason.EGRESS_REFUSED)
    assert result.detail == (
        "models.example resolves to addresses inside and outside at once (93.184.216.34, 127.0.0.1); nothing was sent"
    )
    assert agreed.connections == 0


@pytest.mark.parametrize("address", ["169.254.169.254", "224.0.0.1", "0.0.0.0", "::", "fe80::1", "ff02::1"])
def test_dns_that_answers_with_an_address_that_no_server_has_is_refused(tmp_path: Path, address: str) -> None:
    book, _ = answers((address,))
    result = run("http://models.example", tmp_path, book=book)
    assert (result.outcome, result.reason) == (Outcome.BLOCKED, Reason.EGRESS_REFUSED)
    assert (
        result.detail == f"models.example resolves to {address}, which no model server has; nothing was sent"
    )


def test_dns_cannot_move_localhost_off_this_machine(agreed: Misbehaving, tmp_path: Path) -> None:
    book, asked = answers(("203.0.113.9",))
    assert run(f"http://localhost:{agreed.port}", tmp_path, book=book).outcome is Outcome.REVIEW
    assert asked == []


def test_a_server_that_answers_for_another_name_gets_no_plan_over_tls(tmp_path: Path) -> None:
    authority = trustme.CA()
    with _tls_server(authority, "other.example") as server:
        book, _ = answers(("127.0.0.1",))
        result = run(f"https://models.example:{server.port}", tmp_path, book=book, tls=_trusts(authority))
        assert (result.outcome, result.reason) == (Outcome.UNAVAILABLE, Reason.HOST_UNREACHABLE)
        assert "certificate" in result.detail
        assert server.received == []


def test_a_server_whose_certificate_nobody_vouches_for_gets_no_plan(tmp_path: Path) -> None:
    with _tls_server(trustme.CA(), "models.example") as server:
        book, _ = answers(("127.0.0.1",))
        result = run(f"https://models.example:{server.port}", tmp_path, book=book, tls=_trusts(trustme.CA()))
        assert result.reason is Reason.HOST_UNREACHABLE
        assert server.received == []


def test_the_tls_name_stays_the_name_while_the_judged_address_is_connected_to(tmp_path: Path) -> None:
    authority = trustme.CA()
    with _tls_server(authority, "models.example") as server:
        book, _ = answers(("127.0.0.1",))
        result = run(f"https://models.example:{server.port}", tmp_path, book=book, tls=_trusts(authority))
        assert result.outcome is Outcome.REVIEW


def _tls_server(authority: trustme.CA, name: str) -> AbstractContextManager[Misbehaving]:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert(name).configure_cert(context)
    return misbehaving(_reviews, tls=context)


def _trusts(authority: trustme.CA) -> ssl.SSLContext:
    context = ssl.create_default_context()
    authority.configure_trust(context)
    return context


# Tricks in the URL


@pytest.mark.parametrize(
    ("written", "real"),
    [
        ("http://localhost@evil.example", "http://evil.example"),
        ("http://localhost:80@evil.example/", "http://evil.example"),
        ("http://127.0.0.1%2f@evil.example", "http://evil.example"),
        ("http://evil.example#@localhost", "http://evil.example"),
        ("http://evil.example?@localhost", "http://evil.example"),
        ("http://evil.example/@localhost", "http://evil.example/@localhost"),
        ("http://0x7f000001", "http://127.0.0.1"),
        ("http://0177.0.0.01", "http://127.0.0.1"),
        ("http://127.1", "http://127.0.0.1"),
        ("http://[::ffff:7f00:1]", "http://[::ffff:7f00:1]"),
    ],
)
def test_userinfo_and_number_tricks_show_their_real_host(written: str, real: str) -> None:
    assert normalise(written).url == real


@pytest.mark.parametrize(
    ("consented", "current"),
    [
        ("http://localhost:11434", "http://localhost:11434@evil.example"),
        ("http://localhost", "http://localhost."),
        ("http://localhost", "http://localhоst"),
        ("http://models.example", "http://models.example.evil.example"),
        ("http://models.example", "http://models。example。evil"),
        ("http://models.example", "http://xn--modls-4sa.example"),
        ("http://127.0.0.1", "http://127.0.0.1.example.com"),
        ("http://127.0.0.1", "http://[::ffff:127.0.0.1]"),
        ("http://models.example", "http://models.example:8080"),
        ("https://models.example", "http://models.example"),
    ],
)
def test_a_look_alike_of_the_agreed_destination_is_another_destination(consented: str, current: str) -> None:
    assert not same_destination(consented, current)


def test_credentials_in_the_base_url_are_never_sent(agreed: Misbehaving, tmp_path: Path) -> None:
    run(agreed.url.replace("http://", f"http://me:{SECRET}@"), tmp_path)
    [request] = agreed.received
    token = base64.b64encode(f"me:{SECRET}".encode()).decode()
    assert SECRET not in str(request.headers) + request.target
    assert token not in str(request.headers)
    assert "authorization" not in request.headers


@pytest.mark.parametrize(
    "path",
    [
        "//evil.example/x",
        "/@evil.example",
        "\\evil.example",
        "/x#@evil",
        ".evil.example/x",
        "@evil.example/x",
    ],
)
def test_a_declared_path_cannot_move_the_request_elsewhere(path: str) -> None:
    assert normalise(request_url("http://localhost:1234", path)).host == "localhost"


def test_an_invocation_whose_url_is_elsewhere_is_our_bug_and_stops(agreed: Misbehaving) -> None:
    with pytest.raises(RuntimeError, match="is not at the destination"):
        approved_http(agreed.url, url="http://evil.example/v1/chat/completions")


def test_config_edited_to_a_remote_host_is_blocked_before_anything_is_sent(agreed: Misbehaving) -> None:
    moved = approved_http(agreed.url).invocation
    edited = _at(moved, "http://evil.example:80")
    refused = approve_http(edited, capability="acme", first_party=True, consents=Consents())
    assert isinstance(refused, NotPlanned)
    assert (refused.outcome, refused.reason) == (Outcome.BLOCKED, Reason.NOT_CONSENTED)
    assert agreed.connections == 0


def _at(invocation: HttpInvocation, base: str) -> HttpInvocation:
    return replace(invocation, host=normalise(base).url, url=request_url(base, "/v1/chat/completions"))


# Proxies


def test_proxy_variables_are_ignored_for_this_machine_and_private_addresses() -> None:
    env = {
        "HTTP_PROXY": "http://evil:1",
        "http_proxy": "http://evil:1",
        "ALL_PROXY": "http://evil:1",
        "HTTPS_PROXY": "http://evil:1",
    }
    for host in (
        "localhost",
        "localhost.",
        "127.0.0.1",
        "[::1]",
        "0.0.0.0",
        "10.1.2.3",
        "192.168.1.9",
        "[fd00::1]",
        "169.254.1.1",
        "[::ffff:7f00:1]",
    ):
        assert proxy_for(f"http://{host}:8080/v1", env) is None
        assert proxy_for(f"https://{host}/v1", env) is None


def test_proxy_variables_in_the_environment_do_not_reach_a_run_on_this_machine(
    agreed: Misbehaving, stranger: Misbehaving, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy", "HTTPS_PROXY"):
        monkeypatch.setenv(name, stranger.url)
    assert run(agreed.url, tmp_path, model=None).outcome is Outcome.REVIEW
    assert stranger.connections == 0


def test_a_proxy_that_is_handed_in_is_not_used_for_a_name_in_this_network(
    agreed: Misbehaving, stranger: Misbehaving, tmp_path: Path
) -> None:
    book, _ = answers(("127.0.0.1",))
    result = run(f"http://models.lan:{agreed.port}", tmp_path, book=book, proxy=stranger.url)
    assert result.outcome is Outcome.REVIEW
    assert (agreed.connections, stranger.connections) == (1, 0)


def test_a_proxy_for_a_public_name_is_pinned_and_named(stranger: Misbehaving, tmp_path: Path) -> None:
    book, asked = answers(("93.184.216.34",), ("203.0.113.9",))
    proxy = stranger.url.replace("http://", "http://me:pw@")
    result = run("http://models.example/v1", tmp_path, book=book, proxy=proxy)
    assert result.outcome is Outcome.REVIEW
    assert result.diagnosis[-1] == f"through the proxy {stranger.url}"
    [request] = stranger.received
    assert request.target == "http://models.example/v1/chat/completions"
    assert request.headers["proxy-authorization"] == "Basic " + base64.b64encode(b"me:pw").decode()
    assert "authorization" not in request.headers
    assert asked == ["models.example"]


@pytest.mark.parametrize("proxy", ["socks5://127.0.0.1:1080", "ftp://proxy", "http://"])
def test_a_proxy_that_cannot_be_spoken_to_stops_the_request_instead_of_being_passed_by(
    tmp_path: Path, proxy: str
) -> None:
    book, _ = answers(("93.184.216.34",))
    result = run("http://models.example", tmp_path, book=book, proxy=proxy)
    assert (result.outcome, result.reason) == (Outcome.BLOCKED, Reason.EGRESS_REFUSED)


@pytest.mark.parametrize(
    ("env", "proxy"),
    [
        ({"HTTP_PROXY": "http://p:1"}, "http://p:1"),
        ({"HTTP_PROXY": "http://p:1", "http_proxy": "http://q:1"}, "http://q:1"),
        ({"HTTP_PROXY": "http://p:1", "REQUEST_METHOD": "GET"}, None),
        ({"ALL_PROXY": "http://p:1"}, "http://p:1"),
        ({"HTTPS_PROXY": "http://p:1"}, None),
        ({"HTTP_PROXY": " "}, None),
        ({"HTTP_PROXY": "http://p:1", "NO_PROXY": "*"}, None),
        ({"HTTP_PROXY": "http://p:1", "NO_PROXY": "a.b, .Example"}, None),
        ({"HTTP_PROXY": "http://p:1", "no_proxy": "models.example:8080"}, None),
        ({"HTTP_PROXY": "http://p:1", "no_proxy": "models.example:81"}, "http://p:1"),
        ({"HTTP_PROXY": "http://p:1", "NO_PROXY": "dels.example"}, "http://p:1"),
        ({}, None),
    ],
)
def test_the_environment_names_a_proxy_as_other_tools_read_it(env: dict[str, str], proxy: str | None) -> None:
    assert proxy_for("http://models.example:8080/v1", env) == proxy


# The key


def test_a_server_that_sends_the_key_back_gets_it_into_no_file_and_no_message(
    agreed: Misbehaving, tmp_path: Path
) -> None:
    async def echo(request: Received, connection: Connection) -> None:
        key = request.headers["authorization"]
        body = f'{{"error": {{"message": "bad key {key}", "code": 401}}}}'
        head = f"HTTP/1.1 401 No\r\nContent-Length: {len(body)}\r\nServer: {key}\r\n\r\n"
        await connection.write(head.encode())
        for char in body:  # the key arrives in pieces
            await connection.write(char.encode())

    agreed.script = echo
    result = run(agreed.url, tmp_path, api_key=SECRET, api_key_env="ACME_KEY")
    assert agreed.received[0].headers["authorization"] == f"Bearer {SECRET}"
    assert result.reason is Reason.AUTH_REQUIRED
    assert result.detail == "status 401: bad key Bearer [key]"
    assert SECRET not in repr(result)
    assert all(SECRET.encode() not in path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())


def test_the_key_is_not_shown_in_a_redirect_that_holds_it(agreed: Misbehaving, tmp_path: Path) -> None:
    async def script(request: Received, connection: Connection) -> None:
        await connection.answer(
            "", status="302 F", Location=f"http://evil/?k={request.headers['authorization'][7:]}"
        )

    agreed.script = script
    result = run(agreed.url, tmp_path, api_key=SECRET)
    assert result.reason is Reason.EGRESS_REFUSED
    assert SECRET not in repr(result)
    assert "[key]" in result.detail


@pytest.mark.parametrize("key", ["two words", "line\nbreak: x", "schlüssel", "nul\x00"])
def test_a_key_that_would_forge_a_header_is_never_sent(agreed: Misbehaving, tmp_path: Path, key: str) -> None:
    result = run(agreed.url, tmp_path, api_key=key, api_key_env="ACME_KEY")
    assert (result.outcome, result.reason) == (Outcome.FAILED, Reason.AUTH_REQUIRED)
    assert result.detail == "the key in ACME_KEY holds characters that no header can carry; nothing was sent"
    assert agreed.connections == 0


def test_no_cookie_is_ever_sent_back(agreed: Misbehaving, tmp_path: Path) -> None:
    async def script(_request: Received, connection: Connection) -> None:
        await connection.answer_json(completion(REVIEW), Set_Cookie="tracker=1; Path=/")

    agreed.script = script
    for _ in range(2):
        run(agreed.url, tmp_path, model=None)
    assert all("cookie" not in request.headers for request in agreed.received)


def test_a_request_shows_neither_key_nor_plan_nor_the_proxys_password(agreed: Misbehaving) -> None:
    request = HttpRequest(
        method="POST",
        url=agreed.url,
        bearer=SECRET,
        content=b"the plan",
        proxy=f"http://me:{SECRET}@proxy.example",
    )
    assert repr(request).startswith(f"HttpRequest(method='POST', url='{agreed.url}', timeout_s=120.0")
    assert SECRET not in repr(request)
    assert "the plan" not in repr(request)

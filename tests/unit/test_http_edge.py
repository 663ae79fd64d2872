"""The edge that speaks HTTP: bodies kept in bounds, a secret kept out, addresses judged once, deadlines held."""

import asyncio
import gzip
import socket
import threading
import zlib
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from msd_review.edges.addresses import AddressBook, Unresolved, kind_of, system_resolve
from msd_review.edges.http_body import BadEncoding, BodyTooLarge, Hidden, Sink, unpacker
from msd_review.edges.proxies import with_scheme, without_user
from tests.http_samples import fetch
from tests.servers.misbehaving import Connection, Misbehaving, Received, misbehaving

SECRET = "abab-key"


@pytest.fixture
def server() -> Iterator[Misbehaving]:
    async def hello(_request: Received, connection: Connection) -> None:
        await connection.answer("hello", Content_Type="text/plain")

    with misbehaving(hello) as running:
        yield running


# Bodies


@given(st.binary(max_size=60), st.lists(st.integers(0, 80), max_size=6), st.booleans())
def test_a_secret_is_hidden_wherever_the_network_cuts(noise: bytes, cuts: list[int], twice: bool) -> None:
    secret = SECRET.encode()
    body = noise + secret + noise + b"abab" + (secret if twice else b"ab")
    hidden = Hidden(SECRET)
    places = sorted({min(cut, len(body)) for cut in cuts} | {0, len(body)})
    pieces = [hidden.feed(body[start:end]) for start, end in zip(places, places[1:], strict=False)]
    whole = b"".join(pieces) + hidden.rest()
    assert secret not in whole
    assert whole == body.replace(secret, b"[key]")


@given(st.binary(max_size=200), st.integers(0, 250))
def test_a_sink_keeps_exactly_what_fits(body: bytes, limit: int) -> None:
    sink = Sink(None, limit=limit, hidden=Hidden(None))
    try:
        for at in range(0, len(body), 7):
            sink.write(body[at : at + 7])
        assert len(body) <= limit
    except BodyTooLarge:
        assert len(body) > limit
    assert sink.content == body[:limit]
    assert sink.count == min(len(body), limit)


@given(
    st.binary(max_size=3000), st.sampled_from(["gzip", "x-gzip", "deflate", "DEFLATE"]), st.integers(1, 50)
)
def test_what_is_packed_comes_out_as_it_went_in(body: bytes, encoding: str, step: int) -> None:
    packed = gzip.compress(body) if "gzip" in encoding else zlib.compress(body)
    unpack = unpacker(encoding)
    out = b"".join(
        piece for at in range(0, len(packed), step) for piece in unpack.feed(packed[at : at + step])
    )
    unpack.finish()
    assert out == body


def test_raw_deflate_is_understood_too() -> None:
    packer = zlib.compressobj(wbits=-zlib.MAX_WBITS)
    packed = packer.compress(b"body " * 100) + packer.flush()
    unpack = unpacker("deflate")
    assert b"".join(unpack.feed(packed)) == b"body " * 100
    unpack.finish()


@given(st.binary(min_size=1, max_size=300))
def test_any_bytes_in_a_packed_body_are_bytes_or_a_bad_encoding(body: bytes) -> None:
    unpack = unpacker("gzip")
    try:
        assert all(len(piece) <= 64 * 1024 for piece in unpack.feed(body))
        unpack.finish()
    except BadEncoding:
        pass


def test_a_bomb_comes_out_in_small_pieces() -> None:
    packed = gzip.compress(b"\0" * 50_000_000)
    sizes = [len(piece) for piece in unpacker("gzip").feed(packed)]
    assert sum(sizes) == 50_000_000
    assert max(sizes) == 64 * 1024


# One request


def test_a_body_goes_to_a_private_file_and_replaces_an_old_one(server: Misbehaving, tmp_path: Path) -> None:
    path = tmp_path / "body"
    path.write_text("an old and longer answer")
    end = fetch(server.url, body_path=path)
    assert (end.kind, end.status, end.body, end.body_bytes) == ("answered", 200, b"", 5)
    assert path.read_text() == "hello"
    assert path.stat().st_mode & 0o777 == 0o600


def test_a_link_in_the_files_place_is_replaced_and_not_followed(server: Misbehaving, tmp_path: Path) -> None:
    victim = tmp_path / "victim"
    victim.write_text("mine")
    (tmp_path / "body").symlink_to(victim)
    assert fetch(server.url, body_path=tmp_path / "body").kind == "answered"
    assert victim.read_text() == "mine"


def test_a_file_that_cannot_be_made_is_an_end_and_no_exception(server: Misbehaving, tmp_path: Path) -> None:
    end = fetch(server.url, body_path=tmp_path / "gone" / "body")
    assert (end.kind, end.problem) == (
        "write_failed",
        "the answer could not be kept: No such file or directory",
    )


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_a_full_disk_is_an_end_and_no_exception(
    server: Misbehaving, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(Path, "unlink", lambda _self, missing_ok=False: None)
    monkeypatch.setattr(Path, "touch", lambda _self, mode=0o666, exist_ok=True: None)
    (tmp_path / "body").symlink_to("/dev/full")
    end = fetch(server.url, body_path=tmp_path / "body")
    assert (end.kind, end.problem) == (
        "write_failed",
        "the answer could not be kept: No space left on device",
    )


def test_silence_has_its_own_deadline(server: Misbehaving) -> None:
    async def stall(_request: Received, connection: Connection) -> None:
        await connection.write(b"HTTP/1.1 200 OK\r\n\r\nsome")
        await connection.reader.read()

    server.script = stall
    end = fetch(server.url, silence_s=1.0)
    assert (end.kind, end.problem, end.body) == ("timeout", "the server fell silent", b"some")


def test_a_body_over_the_bound_is_cut_there(server: Misbehaving) -> None:
    end = fetch(server.url, max_body_bytes=3)
    assert (end.kind, end.body, end.problem) == ("too_large", b"hel", "the answer is larger than 3 bytes")


def test_only_headers_that_are_used_are_kept(server: Misbehaving) -> None:
    async def many(_request: Received, connection: Connection) -> None:
        await connection.answer("x", Set_Cookie="a=b", X_Other="y", Retry_After="3")

    server.script = many
    assert fetch(server.url).headers == {"content-type": "application/json", "retry-after": "3"}


def test_progress_is_told_while_the_body_comes(server: Misbehaving) -> None:
    seen: list[int] = []
    fetch(server.url, on_bytes=seen.append)
    assert seen[-1] == 5


def test_a_request_leaves_no_descriptor_behind(server: Misbehaving, tmp_path: Path) -> None:
    if not Path("/proc/self/fd").exists():
        pytest.skip("needs /proc")
    fetch(server.url)
    before = len(list(Path("/proc/self/fd").iterdir()))
    for _ in range(5):
        fetch(server.url, body_path=tmp_path / "body")
        fetch("http://127.0.0.1:9", timeout_s=2)
    assert len(list(Path("/proc/self/fd").iterdir())) <= before + 1


# Addresses


@pytest.mark.parametrize(
    ("address", "kind"),
    [
        ("127.0.0.1", "inside"), ("10.1.2.3", "inside"), ("172.16.0.1", "inside"), ("192.168.0.9", "inside"), ("100.64.0.1", "inside"),
        ("fd00::1", "inside"), ("::1", "inside"), ("::ffff:10.0.0.1", "inside"), ("93.184.216.34", "outside"), ("2606:4700::1", "outside"),
        ("::ffff:93.184.216.34", "outside"), ("169.254.169.254", "unusable"), ("fe80::1%eth0", "unusable"), ("0.0.0.0", "unusable"),
        ("::", "unusable"), ("239.1.1.1", "unusable"), ("ff02::1", "unusable"), ("::ffff:169.254.1.1", "unusable"),
    ],
)  # fmt: skip
def test_addresses_are_told_apart(address: str, kind: str) -> None:
    assert kind_of(address) == kind


@pytest.mark.parametrize(
    ("host", "addresses"),
    [
        ("localhost", ("::1", "127.0.0.1")),
        ("localhost.", ("::1", "127.0.0.1")),
        ("127.0.0.1", ("127.0.0.1",)),
        ("0.0.0.0", ("127.0.0.1",)),
        ("::", ("::1", "127.0.0.1")),
        ("::ffff:7f00:1", ("127.0.0.1",)),
        ("192.168.1.1", ("192.168.1.1",)),
    ],
)
def test_a_literal_and_localhost_are_never_looked_up(host: str, addresses: tuple[str, ...]) -> None:
    async def never(_host: str, _port: int) -> tuple[str, ...]:
        raise AssertionError("nobody should be asked")

    assert asyncio.run(AddressBook(never).peer(host, 80)).addresses == addresses


def test_a_name_keeps_the_order_of_its_addresses_and_loses_repeats() -> None:
    async def many(_host: str, _port: int) -> tuple[str, ...]:
        return ("10.0.0.2", "10.0.0.1", "10.0.0.2", *(f"10.0.1.{n}" for n in range(20)))

    peer = asyncio.run(AddressBook(many).peer("models.lan", 80))
    assert peer.addresses[:3] == ("10.0.0.2", "10.0.0.1", "10.0.1.0")
    assert len(peer.addresses) == 8


def test_a_name_that_could_not_be_resolved_is_asked_for_again() -> None:
    troubles = [OSError(5, "try again")]

    async def moody(_host: str, _port: int) -> tuple[str, ...]:
        if troubles:
            raise troubles.pop()
        return ("10.0.0.1",)

    book = AddressBook(moody)
    with pytest.raises(Unresolved, match="models.lan cannot be resolved: try again"):
        asyncio.run(book.peer("models.lan", 80))
    assert asyncio.run(book.peer("models.lan", 80)).addresses == ("10.0.0.1",)


def test_the_system_is_asked_for_a_name(monkeypatch: pytest.MonkeyPatch) -> None:
    assert set(asyncio.run(system_resolve("localhost", 80))) <= {"::1", "127.0.0.1"}

    def unknown(*_args: object, **_options: object) -> list[object]:
        raise socket.gaierror(-2, "Name or service not known")

    monkeypatch.setattr(socket, "getaddrinfo", unknown)
    end = fetch("http://no-such-name.example")
    assert (end.kind, end.connected_to) == ("unresolved", None)
    assert end.problem == "no-such-name.example cannot be resolved: Name or service not known"


def test_a_resolver_that_hangs_does_not_hold_the_deadline(monkeypatch: pytest.MonkeyPatch) -> None:
    release = threading.Event()
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_args, **_options: release.wait(20) and [])
    end = fetch("http://slow-name.example", timeout_s=0.3)
    release.set()
    assert (end.kind, end.problem) == ("timeout", "no whole answer within 0.3 s")


# Proxies as they are shown


@pytest.mark.parametrize(
    ("proxy", "shown"),
    [
        ("proxy:3128", "http://proxy:3128"),
        ("http://me:pw@proxy:1/x?y", "http://proxy:1"),
        ("https://p", "https://p"),
    ],
)
def test_a_proxy_is_shown_without_its_password(proxy: str, shown: str) -> None:
    assert without_user(proxy) == shown
    assert with_scheme("proxy:3128") == "http://proxy:3128"

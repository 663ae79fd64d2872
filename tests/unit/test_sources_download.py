"""Fetching archives and packages from a real HTTPS server."""

import base64
import hashlib
import json
import ssl
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from msd_review.edges.addresses import AddressBook
from msd_review.edges.http import HttpEnd, HttpRequest
from msd_review.errors import SourceError
from msd_review.lifecycle.fetch import fetch as fetch_anything
from msd_review.sources.archive import integrity_of
from msd_review.sources.download import make_download
from msd_review.sources.fetched import Download, Fetched
from msd_review.sources.npm import fetch_npm
from msd_review.sources.spec import parse_spec
from msd_review.sources.tarball import fetch_tarball
from tests.archive_samples import ordinary
from tests.git_samples import manifest_bytes
from tests.lifecycle_samples import machine
from tests.servers.loopback import Answer, Server, https_server

FILES = {"capability.json": manifest_bytes(), "README.md": b"hello"}
ARCHIVE = ordinary(FILES, top="package/")


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    with https_server(tmp_path) as running:
        yield running


@pytest.fixture
def download(server: Server) -> Download:
    return make_download(tls=ssl.create_default_context(cafile=str(server.authority)))


def fetch(url: str, download: Download, integrity: str | None = None) -> Fetched:
    return fetch_tarball(
        parse_spec(url),
        integrity=integrity,
        download=download,
        check=lambda _url: None,
        say=lambda _line: None,
    )


def test_an_archive_is_fetched_and_its_integrity_recorded(server: Server, download: Download) -> None:
    fetched = fetch(server.serve("/a.tgz", ARCHIVE), download)
    assert fetched.bundle.files == {name.encode(): content for name, content in FILES.items()}
    assert fetched.integrity == integrity_of(ARCHIVE)


def test_the_integrity_that_is_demanded_is_checked_before_anything_is_unpacked(
    server: Server, download: Download
) -> None:
    url = server.serve("/a.tgz", b"not an archive at all")
    with pytest.raises(SourceError, match="is not the one that was expected"):
        fetch(url, download, integrity=integrity_of(ARCHIVE))
    assert fetch(server.serve("/b.tgz", ARCHIVE), download, integrity=integrity_of(ARCHIVE)).integrity


def redirect(server: Server, path: str, target: str, status: int = 302) -> str:
    server.routes[path] = lambda _handler, _body: Answer(status=status, headers={"Location": target})
    return server.url(path)


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_three_redirects_to_https_are_followed_and_a_fourth_is_not(
    server: Server, download: Download, status: int
) -> None:
    server.serve("/a.tgz", ARCHIVE)
    redirect(server, "/3.tgz", "/a.tgz", status)
    redirect(server, "/2.tgz", server.url("/3.tgz"), status)
    three = redirect(server, "/1.tgz", "2.tgz", status)
    assert fetch(three, download).bundle.manifest == manifest_bytes()
    with pytest.raises(SourceError, match="is a redirect too many; it was not followed"):
        fetch(redirect(server, "/0.tgz", three, status), download)


@pytest.mark.parametrize(
    "target",
    [
        "http://localhost/a.tgz",
        "file:///etc/passwd",
        "ftp://h/a",
        "https://u:p@localhost/a",
        "https://[::1",
    ],
)
def test_attack_a_redirect_to_anything_but_https(server: Server, download: Download, target: str) -> None:
    with pytest.raises(SourceError, match="is not https|no usable address|holds credentials"):
        fetch(redirect(server, "/a.tgz", target), download)


@pytest.mark.parametrize(
    ("target", "resolved"),
    [
        ("https://127.0.0.1/a.tgz", ()),
        ("https://127.1/a.tgz", ("127.0.0.1",)),
        ("https://localhost/a.tgz", ()),
        ("https://10.0.0.1/a.tgz", ()),
        ("https://[::ffff:192.168.0.1]/a.tgz", ()),
        ("https://169.254.169.254/a.tgz", ()),
        ("https://inside.test/a.tgz", ("192.168.1.1",)),
        ("https://half.test/a.tgz", ("203.0.113.1", "10.0.0.1")),
    ],
)
def test_attack_a_public_address_that_points_to_a_private_one(target: str, resolved: tuple[str, ...]) -> None:
    contacted = []

    async def resolve(_name: str, _port: int) -> tuple[str, ...]:
        return resolved

    async def outside(request: HttpRequest, _book: AddressBook) -> HttpEnd:
        contacted.append(request.url)
        return HttpEnd(kind="redirect", status=302, location=target, connected_to="93.184.216.34")

    download = make_download(send_with=outside, resolve=resolve)
    with pytest.raises(
        SourceError, match="a public address points to a private one|inside and outside at once|which no"
    ):
        fetch("https://public.test/a.tgz", download)
    assert contacted == ["https://public.test/a.tgz"]


def test_attack_an_allowed_host_that_redirects_to_one_that_is_not(server: Server, tmp_path: Path) -> None:
    server.serve("/a.tgz", ARCHIVE)
    url = redirect(server, "/moved.tgz", server.url("/a.tgz", host="elsewhere.localhost"))
    around = machine(tmp_path, server=server, policies=[["localhost:1", "127.0.0.1"], None])
    with pytest.raises(SourceError, match="comes from 127.0.0.1|comes from localhost"):
        fetch_anything(parse_spec(url), replace(around, policies=[["other.test"]]))
    own = url.replace("localhost", "127.0.0.1")
    with pytest.raises(
        SourceError, match=r"comes from elsewhere\.localhost, and capabilities\.strict_known_registries"
    ):
        fetch_anything(parse_spec(own), around)
    assert server.seen == ["/moved.tgz"]


def test_what_came_so_far_is_told(server: Server) -> None:
    told: list[int] = []
    tls = ssl.create_default_context(cafile=str(server.authority))
    fetch(server.serve("/a.tgz", ARCHIVE), make_download(tls=tls, on_bytes=told.append))
    assert told[-1] == len(ARCHIVE)


def test_an_answer_over_the_limit_is_stopped(server: Server, download: Download) -> None:
    url = server.serve("/a.tgz", b"x" * 2000)
    with pytest.raises(SourceError, match=r"/a\.tgz is larger than 1,000 bytes$"):
        download(url, limit=1000, timeout_s=10, redirects=0)


def test_an_answer_that_is_declared_over_the_limit_is_not_begun(server: Server) -> None:
    told: list[int] = []
    tls = ssl.create_default_context(cafile=str(server.authority))
    url = server.serve("/a.tgz", b"x", Content_Length=str(10 * 1024**3))
    with pytest.raises(SourceError, match=r"/a\.tgz is larger than 1,000 bytes$"):
        make_download(tls=tls, on_bytes=told.append)(url, limit=1000, timeout_s=10)
    assert told == []


def test_a_server_that_never_ends_is_left(server: Server, download: Download) -> None:
    url = server.serve("/a.tgz", b"x", Content_Length="1000")
    with pytest.raises(SourceError, match="cannot be fetched"):
        download(url, limit=2000, timeout_s=0.5, redirects=0)


def test_an_answer_that_is_no_200_and_a_certificate_that_nobody_vouches_for(
    server: Server, download: Download
) -> None:
    with pytest.raises(SourceError, match="cannot be fetched: the server answered 404"):
        fetch(server.url("/none.tgz"), download)
    with pytest.raises(SourceError, match="certificate"):
        fetch(server.serve("/a.tgz", ARCHIVE), make_download())


def publish(server: Server, versions: dict[str, bytes], **dist: Any) -> None:
    """A package `@acme/lane` in a registry under /npm."""
    entries = {}
    for version, archive in versions.items():
        url = server.serve(f"/npm/@acme/lane/-/lane-{version}.tgz", archive)
        digest = base64.b64encode(hashlib.sha512(archive).digest()).decode()
        entries[version] = {"dist": {"tarball": url, "integrity": f"sha1-x sha512-{digest}", **dist}}
    document = {"versions": entries, "dist-tags": {"latest": list(versions)[-1], "next": list(versions)[0]}}
    server.serve("/npm/@acme%2Flane", json.dumps(document).encode())


def install(
    server: Server, download: Download, text: str = "npm:@acme/lane", integrity: str | None = None
) -> Fetched:
    return fetch_npm(
        parse_spec(text),
        registry=server.url("/npm"),
        integrity=integrity,
        download=download,
        say=lambda _line: None,
    )


@pytest.mark.parametrize(
    ("selector", "version"),
    [
        ("", "2.0.0"),
        ("@1.0.0", "1.0.0"),
        ("@^1", "1.5.0"),
        ("@~1.0.0", "1.0.0"),
        ("@next", "1.0.0"),
        ("@1.x", "1.5.0"),
    ],
)
def test_a_version_a_range_or_a_tag_chooses_a_package(
    server: Server, download: Download, selector: str, version: str
) -> None:
    publish(server, {"1.0.0": ARCHIVE, "1.5.0": ARCHIVE, "not a version": ARCHIVE, "2.0.0": ARCHIVE})
    fetched = install(server, download, f"npm:@acme/lane{selector}")
    assert fetched.resolved == version
    assert fetched.bundle.manifest == manifest_bytes()


@pytest.mark.parametrize("selector", ["@3.0.0", "@^3", "@nowhere", "@=="])
def test_a_version_that_is_not_there_is_an_error_that_says_which(
    server: Server, download: Download, selector: str
) -> None:
    publish(server, {"1.0.0": ARCHIVE})
    with pytest.raises(SourceError, match=f"^the package has no version {selector[1:].replace('^', '.')}$"):
        install(server, download, f"npm:@acme/lane{selector}")


def test_attack_a_package_with_install_scripts_runs_none_of_them(
    server: Server, download: Download, tmp_path: Path
) -> None:
    package = json.dumps(
        {"scripts": {"preinstall": f"touch {tmp_path}/pwned", "postinstall": f"touch {tmp_path}/pwned"}}
    )
    publish(server, {"1.0.0": ordinary({**FILES, "package.json": package.encode()}, top="package/")})
    assert install(server, download).bundle.files[b"package.json"] == package.encode()
    assert not (tmp_path / "pwned").exists()


def test_attack_a_package_with_a_wrong_integrity(server: Server, download: Download) -> None:
    publish(server, {"1.0.0": ARCHIVE}, integrity=integrity_of(b"another"))
    with pytest.raises(SourceError, match="is not the one that was expected"):
        install(server, download)


@pytest.mark.parametrize("integrity", [None, "", "sha1-abc", "sha512-abc", 5])
def test_attack_a_package_without_an_integrity_that_can_be_checked(
    server: Server, download: Download, integrity: Any
) -> None:
    publish(server, {"1.0.0": ARCHIVE}, integrity=integrity)
    with pytest.raises(SourceError, match="no archive with an integrity|is no integrity"):
        install(server, download)


def test_attack_a_registry_that_points_elsewhere_for_the_archive(server: Server, download: Download) -> None:
    for elsewhere in (
        "https://evil.test/a.tgz",
        server.url("/x").replace("https", "http"),
        "https://localhost:1/a",
        "x",
    ):
        publish(server, {"1.0.0": ARCHIVE}, tarball=elsewhere)
        with pytest.raises(SourceError, match="points elsewhere for the archive: .*; it was not fetched"):
            install(server, download)


def test_the_integrity_that_a_person_demands_holds_beside_the_registrys(
    server: Server, download: Download
) -> None:
    publish(server, {"1.0.0": ARCHIVE})
    assert install(server, download, integrity=integrity_of(ARCHIVE)).integrity == integrity_of(ARCHIVE)
    with pytest.raises(SourceError, match="is not the one that was expected"):
        install(server, download, integrity=integrity_of(b"another"))


@pytest.mark.parametrize("body", [b"", b"[]", b"<html>", b"[" * 100_000, b'{"versions": 5, "dist-tags": []}'])
def test_a_registry_that_answers_nonsense_is_an_error(
    server: Server, download: Download, body: bytes
) -> None:
    server.serve("/npm/@acme%2Flane", body)
    with pytest.raises(SourceError, match="did not answer with a package's metadata|has no version latest"):
        install(server, download)


def test_a_registry_without_https_is_not_asked(download: Download) -> None:
    with pytest.raises(SourceError, match="^the npm registry http://r is not reached over https$"):
        fetch_npm(
            parse_spec("npm:x"),
            registry="http://r",
            integrity=None,
            download=download,
            say=lambda _line: None,
        )

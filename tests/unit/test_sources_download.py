"""Fetching archives and packages from a real HTTPS server."""

import ssl
from collections.abc import Iterator
from pathlib import Path

import pytest

from msd_review.errors import SourceError
from msd_review.sources.archive import integrity_of
from msd_review.sources.download import make_download
from msd_review.sources.fetched import Download
from msd_review.sources.npm import fetch_npm
from msd_review.sources.spec import parse_spec
from tests.download_samples import ARCHIVE, FILES, fetch, install, publish, redirect
from tests.git_samples import manifest_bytes
from tests.servers.loopback import Server, https_server


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    with https_server(tmp_path) as running:
        yield running


@pytest.fixture
def download(server: Server) -> Download:
    return make_download(tls=ssl.create_default_context(cafile=str(server.authority)))


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

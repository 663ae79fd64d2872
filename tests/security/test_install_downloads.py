"""Attacks by a server or a registry: each is named, and nothing of what it sent is kept."""

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
from msd_review.sources.fetched import Download
from msd_review.sources.spec import parse_spec
from tests.archive_samples import ordinary
from tests.download_samples import ARCHIVE, FILES, fetch, install, publish, redirect
from tests.lifecycle_samples import machine
from tests.servers.loopback import Server, https_server


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    with https_server(tmp_path) as running:
        yield running


@pytest.fixture
def download(server: Server) -> Download:
    return make_download(tls=ssl.create_default_context(cafile=str(server.authority)))


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

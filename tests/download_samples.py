"""Archives and packages on a loopback server, and how they are fetched."""

import base64
import hashlib
import json
from typing import Any

from msd_review.sources.fetched import Download, Fetched
from msd_review.sources.npm import fetch_npm
from msd_review.sources.spec import parse_spec
from msd_review.sources.tarball import fetch_tarball
from tests.archive_samples import ordinary
from tests.git_samples import manifest_bytes
from tests.servers.loopback import Answer, Server

FILES = {"capability.json": manifest_bytes(), "README.md": b"hello"}
ARCHIVE = ordinary(FILES, top="package/")


def fetch(url: str, download: Download, integrity: str | None = None) -> Fetched:
    return fetch_tarball(
        parse_spec(url),
        integrity=integrity,
        download=download,
        check=lambda _url: None,
        say=lambda _line: None,
    )


def redirect(server: Server, path: str, target: str, status: int = 302) -> str:
    server.routes[path] = lambda _handler, _body: Answer(status=status, headers={"Location": target})
    return server.url(path)


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

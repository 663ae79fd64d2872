"""The cache of verdicts: it saves time and can do nothing else, whatever lies in its place."""

import hashlib
import json
import os
import time
from pathlib import Path
from typing import Any

import pytest

from msd_review.registry import Overlay, discover_overlays, judging
from tests.registry_files import install, lane_manifest


@pytest.fixture
def caps(tmp_path: Path) -> Path:
    folder = install(tmp_path / "caps", lane_manifest("acme", colour="red"), lane_manifest("beta"))
    time.sleep(0.12)  # younger files are read again, since they may change within one tick of the clock
    return folder


@pytest.fixture
def cache(tmp_path: Path) -> Path:
    return tmp_path / "private" / "manifests.json"


@pytest.fixture
def judged(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The manifests that were judged afresh."""
    names: list[str] = []
    original = judging.judge

    def recording(raw: bytes, folder: Path) -> Any:
        names.append(folder.name)
        return original(raw, folder)

    monkeypatch.setattr(judging, "judge", recording)
    return names


def test_what_did_not_change_is_not_judged_again(caps: Path, cache: Path, judged: list[str]) -> None:
    first = discover_overlays(caps, None, cache_file=cache)
    assert discover_overlays(caps, None, cache_file=cache) == first
    assert judged == ["acme", "beta"]
    assert cache.stat().st_mode & 0o777 == 0o600
    assert cache.parent.stat().st_mode & 0o777 == 0o700


def test_what_changed_is_judged_again(caps: Path, cache: Path, judged: list[str]) -> None:
    discover_overlays(caps, None, cache_file=cache)
    path = caps / "acme" / "capability.json"
    before = path.stat()
    path.write_text(path.read_text(encoding="utf-8").replace("1.0.0", "1.0.1"), encoding="utf-8")
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    acme = discover_overlays(caps, None, cache_file=cache)[0]
    assert acme.manifest is not None
    assert acme.manifest.version == "1.0.1"
    assert judged == ["acme", "beta", "acme"]


def test_a_broken_manifest_is_never_kept(tmp_path: Path, cache: Path, judged: list[str]) -> None:
    caps = install(tmp_path / "caps", lane_manifest("acme", timeoutFloorMs=0))
    for _ in range(2):
        (found,) = discover_overlays(caps, None, cache_file=cache)
        assert found.manifest is None
    assert judged == ["acme", "acme"]


def _content(cache: Path) -> Any:
    return json.loads(cache.read_bytes().partition(b"\n")[2])


def _forge(cache: Path, change: Any) -> None:
    """Changes the cache as someone would who knows how it is written."""
    content = _content(cache)
    change(content)
    time.sleep(0.06)
    body = json.dumps(content).encode()
    cache.write_bytes(hashlib.sha256(body).hexdigest().encode() + b"\n" + body)


def _no_manifest(content: Any) -> None:
    for entry in content["contents"].values():
        entry[0] = {"id": "acme", "role": "reviewer"}


def _odd_files(content: Any) -> None:
    for entry in content["files"].values():
        entry[4] = {"a": []}


def _odd_warnings(content: Any) -> None:
    for entry in content["contents"].values():
        entry[1] = [[1]]


def _odd_values(content: Any) -> None:
    for entry in content["contents"].values():
        entry[0] = 7


@pytest.mark.parametrize(
    "change",
    [
        _no_manifest,
        _odd_files,
        _odd_values,
        _odd_warnings,
        lambda content: content.update(files=[]),
        lambda content: content.update(contents={"x": 7}),
        lambda content: content.update(key="another version"),
        lambda content: content.clear(),
    ],
)
def test_a_forged_cache_changes_nothing(caps: Path, cache: Path, change: Any) -> None:
    expected = discover_overlays(caps, None, cache_file=cache)
    _forge(cache, change)
    assert discover_overlays(caps, None, cache_file=cache) == expected


def test_a_changed_byte_makes_it_an_empty_cache(caps: Path, cache: Path, judged: list[str]) -> None:
    expected = discover_overlays(caps, None, cache_file=cache)
    time.sleep(0.06)
    cache.write_bytes(cache.read_bytes().replace(b'"binary": "acme"', b'"binary": "evil"'))
    assert discover_overlays(caps, None, cache_file=cache) == expected
    assert judged == ["acme", "beta", "acme", "beta"]


@pytest.mark.parametrize("content", [b"", b"{", b"[" * 100_000, b"\xff\xfe", b"null", b'{"key": 1}'])
def test_a_corrupt_cache_is_an_empty_one(caps: Path, cache: Path, content: bytes) -> None:
    expected = discover_overlays(caps, None)
    cache.parent.mkdir()
    cache.write_bytes(content)
    assert discover_overlays(caps, None, cache_file=cache) == expected
    assert discover_overlays(caps, None, cache_file=cache) == expected


def test_a_cache_that_others_can_write_is_not_used(caps: Path, cache: Path, judged: list[str]) -> None:
    discover_overlays(caps, None, cache_file=cache)
    cache.chmod(0o666)
    discover_overlays(caps, None, cache_file=cache)
    assert judged == ["acme", "beta", "acme", "beta"]


def test_a_cache_of_another_user_is_not_used(
    caps: Path, cache: Path, judged: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    discover_overlays(caps, None, cache_file=cache)
    monkeypatch.setattr(os, "geteuid", lambda: 12345)
    discover_overlays(caps, None, cache_file=cache)
    assert judged == ["acme", "beta", "acme", "beta"]


@pytest.mark.parametrize("make", ["link", "pipe", "folder"])
def test_what_is_no_file_in_the_cache_s_place_is_left_alone(tmp_path: Path, caps: Path, make: str) -> None:
    place = tmp_path / "private" / "manifests.json"
    place.parent.mkdir()
    if make == "link":
        (tmp_path / "target").write_text("{}", encoding="utf-8")
        place.symlink_to(tmp_path / "target")
    elif make == "pipe":
        os.mkfifo(place)
    else:
        place.mkdir()
    found: tuple[Overlay, ...] = discover_overlays(caps, None, cache_file=place)
    assert [one.id for one in found] == ["acme", "beta"]
    assert not place.is_file() or (tmp_path / "target").read_text(encoding="utf-8") == "{}"


def test_a_cache_that_cannot_be_written_is_no_failure(tmp_path: Path, caps: Path) -> None:
    (tmp_path / "file").write_text("x", encoding="utf-8")
    assert len(discover_overlays(caps, None, cache_file=tmp_path / "file" / "cache" / "m.json")) == 2


def test_what_was_removed_is_forgotten(caps: Path, cache: Path) -> None:
    discover_overlays(caps, None, cache_file=cache)
    (caps / "beta" / "capability.json").unlink()
    discover_overlays(caps, None, cache_file=cache)
    assert [Path(path).parent.name for path in _content(cache)["files"]] == ["acme"]
    assert len(_content(cache)["contents"]) == 1

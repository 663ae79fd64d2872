"""Changes are carried out whole: against what was planned, under one lock, or not at all."""

import subprocess
import sys
from pathlib import Path

import pytest

from msd_review.edges.lock import exclusive
from msd_review.errors import InputError, StoreError
from msd_review.hosts import applying, service
from msd_review.hosts.declared import read_host
from msd_review.hosts.diffs import unified
from msd_review.hosts.disk import look
from msd_review.hosts.model import Around, Change, Seen
from msd_review.registry import first_party
from tests.host_samples import put, tree


def change(path: Path, after: bytes | None, *, seen: Seen | None = None) -> Change:
    at = look(path, inside=None) if seen is None else seen
    action = "remove" if after is None else "create" if at.content is None else "change"
    return Change(path=path, seen=at, action=action, after=after, record=None)  # type: ignore[arg-type]  # one of three


def test_a_file_that_another_program_wrote_meanwhile_stops_everything(tmp_path: Path) -> None:
    put(tmp_path, {"a": ("old", 0o600), "b": ("old", 0o644)})
    changes = [
        change(tmp_path / "new" / "deep" / "file", b"x"),
        change(tmp_path / "a", b"new"),
        change(tmp_path / "b", None),
    ]
    (tmp_path / "b").write_text("written meanwhile", encoding="utf-8")
    before = tree(tmp_path)
    with pytest.raises(applying.ChangedMeanwhile):
        applying.carry_out(changes, inside=None, private=True)
    assert tree(tmp_path) == before


def test_a_disk_that_fails_halfway_gives_everything_back(tmp_path: Path) -> None:
    put(tmp_path, {"a": ("old", 0o600), "c/x": ("", 0o644)})
    wrong = Seen(real=tmp_path / "c", content=None, mode=None)
    changes = [
        change(tmp_path / "new" / "file", b"x"),
        change(tmp_path / "a", None),
        change(tmp_path / "c", b"y", seen=wrong),
    ]
    before = tree(tmp_path)
    with pytest.raises(InputError, match="is not a file"):
        applying.carry_out(changes, inside=None, private=False)
    assert tree(tmp_path) == before


def test_only_one_install_at_a_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(service, "_LOCK_WAIT_S", 0.0)
    host = read_host(first_party()[0] if first_party()[0].manifest.runtime else first_party()[1])
    around = Around(
        home=tmp_path / "home", msd_home=tmp_path, project=None, environment={}, program=("/opt/msd",)
    )
    code = "import sys, pathlib\nfrom msd_review.edges.lock import exclusive\nwith exclusive(pathlib.Path(sys.argv[1])):\n print('held', flush=True)\n sys.stdin.read()"
    with subprocess.Popen(
        [sys.executable, "-c", code, str(tmp_path / ".hosts.lock")],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as other:
        assert other.stdout is not None
        assert other.stdin is not None
        other.stdout.readline()
        with pytest.raises(StoreError) as raised:
            service.install(host, "global", around)
        other.stdin.close()
    assert (
        raised.value.message
        == f"another install is going on: {tmp_path / '.hosts.lock'} is held by process {other.pid}"
    )
    assert not (tmp_path / "home").exists()
    with exclusive(tmp_path / ".hosts.lock"):
        pass


@pytest.mark.parametrize(
    ("before", "after", "shown"),
    [
        (None, b"a\nb", "--- /dev/null\n+++ P\n@@ -0,0 +1,2 @@\n+a\n+b\n\\ No newline at end of file\n"),
        (b"a\n", None, "--- P\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n"),
        (b"1\n2\n3\n", b"1\n2\nx\n3\n", "--- P\n+++ P\n@@ -2,0 +3 @@\n+x\n"),
        (b"1\n2", b"1\n2\nx\n", "--- P\n+++ P\n@@ -2 +2,2 @@\n-2\n\\ No newline at end of file\n+2\n+x\n"),
        (b"1\n2\n3\n4\n", b"0\n2\n3\n", "--- P\n+++ P\n@@ -1 +1 @@\n-1\n+0\n@@ -4 +3,0 @@\n-4\n"),
    ],
)
def test_a_diff_is_written_as_patch_reads_it(
    tmp_path: Path, before: bytes | None, after: bytes | None, shown: str
) -> None:
    path = tmp_path / "file"
    if before is not None:
        path.write_bytes(before)
    said = unified([change(path, after)])
    assert said.replace(str(path), "P") == shown
    done = subprocess.run(
        ["git", "apply", "--unidiff-zero", "--unsafe-paths", "-p0", "--directory", str(tmp_path)],
        input=said.replace(str(path), "file").encode(),
        cwd=tmp_path,
        capture_output=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert (path.read_bytes() if path.exists() else None) == after

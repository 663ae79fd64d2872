"""What a fleet run survives: a scheduler that is killed and started again, a client that is killed or interrupted."""

import os
import shutil
import signal
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack

import psutil
import pytest

from tests.fleet_samples import Cluster, new_cluster, until

pytestmark = pytest.mark.timeout(240)


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    with ExitStack() as stack:
        made = new_cluster(tmp_path_factory.mktemp("cluster"), stack)
        # Every call of a tool but its first hangs for as long as a file is there.
        hang = f"""
mine = sum(line.split()[0] == TOOL and "start" in line for line in open({str(made.calls)!r}))
while mine > 1 and os.path.exists({str(made.base / "hang")!r}): time.sleep(0.05)
"""
        made.start_worker("one", "codex", body=hang)
        made.start_worker("two", "claude", body=hang)
        made.wait_for_workers()
        yield made


@pytest.fixture
def cluster(shared: Cluster) -> Cluster:
    """The cluster, for a run of its own."""
    for path in (shared.calls, shared.base / "hang"):
        path.unlink(missing_ok=True)
    shutil.rmtree(shared.out, ignore_errors=True)
    (shared.base / "client.log").unlink(missing_ok=True)
    return shared


def test_a_scheduler_that_is_killed_and_started_again_costs_no_lane_a_second_call(cluster: Cluster) -> None:
    (cluster.base / "hang").touch()
    cluster.batch([{"id": f"s{n}", "lanes": ["codex", "claude"]} for n in range(3)])
    client = cluster.start_run("--reconnect", "60", "--wait-for-workers", "40")
    until(lambda: len(cluster.noted()) - len(cluster.noted("end")) == 2, 60, "two lanes in flight")
    assert cluster.scheduler is not None
    cluster.scheduler.kill()
    client.wait_for("went away")
    cluster.start_scheduler()
    (cluster.base / "hang").unlink()
    assert client.process.wait(90) == 0, client.log.read_text(encoding="utf-8")
    assert Counter(tool for tool, _, _ in cluster.noted()) == {"codex": 3, "claude": 3}
    assert {one["state"] for one in cluster.outcomes().values()} == {"done"}
    assert len(cluster.outcomes()) == 3


def test_a_client_that_is_killed_is_continued_and_nothing_is_paid_for_twice(cluster: Cluster) -> None:
    (cluster.base / "hang").touch()
    cluster.batch([{"id": f"c{n}", "lanes": ["codex", "claude"]} for n in range(4)])
    client = cluster.start_run()
    until(lambda: len(cluster.records("lane_finished")) >= 2, 60, "two lanes")
    until(lambda: len(cluster.noted("start")) > len(cluster.noted("end")), 60, "a lane in flight")
    client.kill()
    (cluster.base / "hang").unlink()
    ended = cluster.run()
    assert ended.code == 0, ended.err
    assert "continuing: " in ended.err
    assert Counter(tool for tool, _, _ in cluster.noted()) == {"codex": 4, "claude": 4}
    assert {name: one["state"] for name, one in cluster.outcomes().items()} == {
        f"c{n}": "done" for n in range(4)
    }


def test_an_interrupt_ends_what_runs_and_keeps_what_finished(cluster: Cluster) -> None:
    (cluster.base / "hang").touch()
    cluster.batch([{"id": f"p{n}", "lanes": ["codex"]} for n in range(3)])
    client = cluster.start_run()
    until(lambda: len(cluster.records("lane_finished")) >= 1, 60, "a lane")
    until(lambda: len(cluster.noted("start")) > len(cluster.noted("end")), 60, "a lane in flight")
    os.kill(client.process.pid, signal.SIGINT)
    assert client.process.wait(40) == 130, client.log.read_text(encoding="utf-8")
    assert not [one for one in psutil.process_iter(["cmdline"]) if _is_tool(cluster, one.info["cmdline"])]
    (cluster.base / "hang").unlink()
    finished = len(cluster.outcomes())
    ended = cluster.run()
    assert ended.code == 0, ended.err
    assert len(cluster.outcomes()) == 3
    assert len(cluster.noted()) <= 3 + (3 - finished)


def _is_tool(cluster: Cluster, command: list[str] | None) -> bool:
    return bool(command) and any(str(cluster.base / "one" / "bin") in word for word in command or ())


def test_a_batch_that_changed_is_refused_and_one_that_grew_goes_on(cluster: Cluster) -> None:
    batch = cluster.batch([{"id": "g1", "lanes": ["codex"]}])
    assert cluster.run().code == 0
    text = batch.read_text(encoding="utf-8")
    batch.write_text(text.replace("g1", "g9"), encoding="utf-8")
    ended = cluster.run()
    assert (ended.code, "is not the batch that" in ended.err) == (2, True)
    batch.write_text(text + text.replace("g1", "g2"), encoding="utf-8")
    assert cluster.run().code == 0
    assert sorted(cluster.outcomes()) == ["g1", "g2"]
    assert len(cluster.noted()) == 2


def test_a_scheduler_that_does_not_come_back_ends_the_run_with_the_way_to_continue(cluster: Cluster) -> None:
    (cluster.base / "hang").touch()
    cluster.batch([{"id": f"n{n}", "lanes": ["codex"]} for n in range(3)])
    client = cluster.start_run("--reconnect", "2")
    until(lambda: len(cluster.noted("start")) > len(cluster.noted("end")), 60, "a lane in flight")
    assert cluster.scheduler is not None
    cluster.scheduler.kill()
    assert client.process.wait(60) == 3, client.log.read_text(encoding="utf-8")
    told = client.log.read_text(encoding="utf-8")
    assert f"msd: error: no scheduler answers at {cluster.address}; what finished is kept" in told
    assert "hint: run the same command again to continue" in told
    (cluster.base / "hang").unlink()
    cluster.start_scheduler()
    until(
        lambda: cluster.workers["one"].log.read_text(encoding="utf-8").count("serving") == 2, 60, "its worker"
    )
    assert cluster.run("--wait-for-workers", "40").code == 0
    assert len(cluster.noted()) == 3

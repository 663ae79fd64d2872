"""A real scheduler and three workers with different tools: where lanes run, and what becomes of them when one dies."""

from collections.abc import Iterator
from contextlib import ExitStack

import pytest

from tests.fleet_samples import Cluster, new_cluster, until

pytestmark = pytest.mark.timeout(240)


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    with ExitStack() as stack:
        made = new_cluster(tmp_path_factory.mktemp("cluster"), stack)
        # One of the two codex workers hangs for as long as a file is there.
        hang = f"\nwhile os.path.exists({str(made.base / 'hang')!r}): time.sleep(0.05)\ntime.sleep(0.2)"
        made.start_worker("one", "codex", body=hang)
        made.start_worker("two", "claude", body="time.sleep(0.2)")
        made.start_worker("three", "codex", body="time.sleep(0.2)")
        made.wait_for_workers()
        yield made


def test_each_lane_runs_where_its_tool_is_and_a_lane_that_no_worker_has_ends_as_unavailable(
    cluster: Cluster,
) -> None:
    cluster.batch([{"id": f"i{n}", "lanes": ["codex", "claude"]} for n in range(4)])
    ended = cluster.run("--per-provider", "2")
    assert ended.code == 0, ended.err
    outcomes = cluster.outcomes()
    assert {one["state"] for one in outcomes.values()} == {"done"}
    ran = {(lane["slug"], lane["worker"]) for one in outcomes.values() for lane in one["lanes"]}
    assert ("claude", "two") in ran
    assert {worker for slug, worker in ran if slug == "codex"} <= {"one", "three"}
    assert len(cluster.noted()) == 8
    _at_most(cluster, "codex", 2)
    _at_most(cluster, "claude", 2)


def _at_most(cluster: Cluster, tool: str, most: int) -> None:
    """No more than `most` of a tool ran at the same time, on all workers together."""
    times = [(at, 1) for name, _, at in cluster.noted("start") if name == tool]
    times += [(at, -1) for name, _, at in cluster.noted("end") if name == tool]
    running = highest = 0
    for _, change in sorted(times, key=lambda one: (one[0], one[1])):
        running += change
        highest = max(highest, running)
    assert 1 <= highest <= most


def test_a_lane_that_no_worker_has_is_unavailable_and_the_rest_is_delivered(cluster: Cluster) -> None:
    cluster.batch([{"id": "x1", "lanes": ["codex", "gemini"]}])
    out = str(cluster.base / "out-2")
    ended = cluster.desk.run(*cluster.arguments("--out", out, "--lane", "gemini"))
    assert ended.code == 3, ended.err
    journal = (cluster.base / "out-2" / "journal.jsonl").read_text(encoding="utf-8")
    assert '"slug":"gemini","outcome":"unavailable"' in journal
    assert (cluster.base / "out-2" / "items" / "x1" / "REVIEWS.json").is_file()


def test_a_worker_that_is_killed_in_mid_lane_costs_that_lane_alone_and_it_runs_elsewhere(
    cluster: Cluster,
) -> None:
    (cluster.base / "hang").touch()
    cluster.batch([{"id": f"k{n}", "lanes": ["codex"]} for n in range(2)])
    out = cluster.base / "out-3"
    before = len(cluster.noted())
    client = cluster.start_run("--out", str(out), "--per-provider", "2")
    until(lambda: any(worker == "one" for _, worker, _ in cluster.noted()[before:]), 60, "a start on one")
    cluster.workers["one"].kill()
    assert client.process.wait(60) == 0, client.log.read_text(encoding="utf-8")
    journal = (out / "journal.jsonl").read_text(encoding="utf-8")
    assert '"event":"lane_lost"' in journal
    assert journal.count('"state":"done"') == 2
    assert [worker for _, worker, _ in cluster.noted()[before:]].count("three") == 2

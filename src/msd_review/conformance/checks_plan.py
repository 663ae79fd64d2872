"""Can the lane be planned and found at all? Everything else stands on it."""

from msd_review.conformance.bench import Bench
from msd_review.conformance.model import Seen, fails, holds
from msd_review.manifest.model import CommandCapability, CommandExists, Probe, SpawnInvoke


async def plan(bench: Bench) -> Seen:
    """msd knows the exact invocation."""
    desk = bench.desk("plan")
    ran = await bench.msd(desk, "lane", "plan", "--lane", bench.slug, "--json")
    rows = ran.document.get("lanes")
    row = rows[0] if isinstance(rows, list) and rows else {}
    if not row.get("ok"):
        told = f"{row.get('reason')}: {row.get('detail')}" if row else ran.told
        return fails(
            f"it cannot be planned: {told}", pointer="/reviewer/invoke", mend="see msd capability validate"
        )
    if not isinstance(bench.subject.lane.invoke, SpawnInvoke):
        return holds(f"POST {row['url']}")
    return holds(" ".join(row["argv"])[:300] + (" < prompt" if row["stdin"] else ""))


async def found(bench: Bench) -> Seen:
    """The probe finds the tool or the server."""
    desk = bench.desk("probe")
    if isinstance(bench.subject.lane.invoke, SpawnInvoke):
        bench.play(desk)
    ran = await bench.msd(desk, "lane", "select", "--lane", bench.slug, "--json")
    selected = ran.document.get("selected")
    if isinstance(selected, list) and bench.slug in selected:
        return holds(f"the probe {probe_kind(bench.subject.lane.probe)} finds it")
    skipped = ran.document.get("skipped")
    row = skipped[0] if isinstance(skipped, list) and skipped else {}
    told = f"{row.get('reason')}: {row.get('detail')}" if row else ran.told
    return fails(
        f"it is not available: {told}",
        pointer="/reviewer/probe",
        mend="see that the probe asks for what is there",
    )


def probe_kind(probe: Probe) -> str:
    """The probe's `kind` as its manifest writes it."""
    if isinstance(probe, CommandExists):
        return "command-exists"
    return "command-capability" if isinstance(probe, CommandCapability) else "http-reachable"

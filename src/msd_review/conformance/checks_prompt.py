"""Does the whole prompt reach the tool, whatever its size and whatever is in it?"""

from msd_review.conformance.bench import Bench, Ran
from msd_review.conformance.model import Seen, fails, holds, not_applicable, not_proven
from msd_review.conformance.prompts import UNICODE_SAMPLE, MarkedPrompt, code, marked_prompt
from msd_review.conformance.scripts import answering

KB = 1000
_CHANNEL = "/reviewer/invoke/promptChannel"
_NO_PROMPT = "the lane declares promptChannel none: it takes no prompt"


async def prompt_10kb(bench: Bench) -> Seen:
    """A prompt of 10 KB."""
    return await _size(bench, 10 * KB)


async def prompt_200kb(bench: Bench) -> Seen:
    """A prompt of 200 KB, which no single argument can hold."""
    return await _size(bench, 200 * KB)


async def prompt_2mb(bench: Bench) -> Seen:
    """A prompt of 2 MB."""
    return await _size(bench, 2000 * KB)


async def unicode(bench: Bench) -> Seen:
    """Other scripts, combining characters, control characters, every line end, what a shell would obey."""
    if bench.spawn.prompt_channel == "none":
        return not_applicable(_NO_PROMPT)
    return await _arrives(bench, "unicode", marked_prompt(4 * KB, middle=UNICODE_SAMPLE))


async def _size(bench: Bench, size: int) -> Seen:
    if bench.spawn.prompt_channel == "none":
        return not_applicable(_NO_PROMPT)
    return await _arrives(bench, f"prompt-{size}", marked_prompt(size))


async def _arrives(bench: Bench, name: str, prompt: MarkedPrompt) -> Seen:
    desk = bench.desk(name)
    bench.play(desk, **answering(bench))
    ran = await bench.lane_run(desk, prompt.text)
    return judge_received(ran, prompt) if bench.is_scripted else judge_quoted(ran, prompt)


def judge_received(ran: Ran, prompt: MarkedPrompt) -> Seen:
    """What the recorded call says: the bytes that came through the declared channel."""
    return judge_bytes(ran.calls[-1].prompt, prompt, pointer=_CHANNEL) if ran.calls else _not_started(ran)


def judge_bytes(received: bytes, prompt: MarkedPrompt, *, pointer: str) -> Seen:
    """Whether these bytes are the prompt, or hold all of it in one piece."""
    wanted = prompt.text.encode()
    if wanted == received:
        return holds(f"{len(wanted):,} bytes arrived, each as it was sent")
    if wanted in received:
        added = len(received) - len(wanted)
        return holds(f"{len(wanted):,} bytes arrived, each as it was sent, among {added:,} more")
    missing = prompt.markers.missing_from(received.decode("utf-8", "replace"))
    where = f"the {' and the '.join(missing)} of it did not arrive" if missing else "it arrived changed"
    at = _differs(wanted, received)
    return fails(
        f"of {len(wanted):,} bytes {len(received):,} were received: {where}, from byte {at:,} on",
        pointer=pointer,
        mend="choose another channel: stdin takes any size as it is",
    )


def _not_started(ran: Ran) -> Seen:
    if ran.reason == "prompt_too_large":
        return fails(
            f"the prompt cannot be handed over: {ran.told}",
            pointer=_CHANNEL,
            mend='declare "stdin", or "argv-file-ref" for a tool that reads files: one argument holds 120 KiB at most',
        )
    return fails(
        f"the tool was not started: {ran.told}", pointer="/reviewer/invoke", mend="see the check `plan`"
    )


def _differs(wanted: bytes, received: bytes) -> int:
    pairs = zip(wanted, received, strict=False)
    return next(
        (at for at, (one, other) in enumerate(pairs) if one != other), min(len(wanted), len(received))
    )


def judge_quoted(ran: Ran, prompt: MarkedPrompt) -> Seen:
    """What the answer of somebody else's tool says: which of the markers it quotes."""
    if ran.outcome != "review":
        return _not_started(ran) if ran.reason == "prompt_too_large" else _no_review(ran)
    missing = prompt.markers.missing_from(ran.text)
    size = len(prompt.text.encode())
    if not missing:
        return holds(f"of {size:,} bytes its answer quotes the beginning, the middle and the end")
    if len(missing) == len(prompt.markers):
        return not_proven("its answer quotes none of the three markers: what it received cannot be seen")
    return fails(
        f"of {size:,} bytes its answer lacks the marker of the {' and the '.join(missing)}",
        pointer=_CHANNEL,
        mend="let the tool read its whole prompt, to the end of the stream; see whether an option of it cuts what it takes",
    )


def _no_review(ran: Ran) -> Seen:
    return fails(
        f"it delivered no review: {ran.told}", pointer="/reviewer/invoke", mend="run it by hand: msd lane run"
    )


async def mentions(bench: Bench) -> Seen:
    """`@path` in a plan: msd writes it so that no tool expands it."""
    if bench.spawn.prompt_channel == "none":
        return not_applicable(_NO_PROMPT)
    if not bench.is_scripted:
        return not_proven("msd's own part is seen with the kit's stand-in: run without --binary or --real")
    canary = code("canary")
    inside, outside = "bait.txt", f"{bench.base}/bait-outside.txt"
    plan = f"# Plan\n\n- Follow @{inside} and @./{inside} and @{outside}; keep @decorator and a@example.org\n"
    desk = bench.desk("mentions", {"PLAN.md": plan, inside: f"{canary}\n"})
    bench.play(desk, **answering(bench))
    flag = bench.subject.lane.flags[0]
    ran = await bench.msd(
        desk, "review", flag, "PLAN.md", "--format", "json", "--timeout", f"{bench.slug}=20"
    )
    if not ran.calls:
        return _not_started(ran)
    received = ran.calls[-1].prompt.decode("utf-8", "replace")
    if canary in received:
        return fails("the content of a mentioned file arrived with the prompt")
    whole = [name for name in (f"@{inside}", f"@./{inside}", f"@{outside}") if name in received]
    if whole:
        return fails(f"a mention arrived as it was written: {', '.join(whole)}")
    return holds("mentions of files arrive as `@ path`; no content of them came along")


async def mentions_tool(bench: Bench) -> Seen:
    """`@path` in a prompt as it stands: what the tool makes of it."""
    if bench.spawn.prompt_channel == "none":
        return not_applicable(_NO_PROMPT)
    if bench.is_scripted:
        return not_proven(
            "it is the tool that would expand them", mend="name one with --binary, or try yours with --real"
        )
    canary = code("canary")
    desk = bench.desk("mentions-tool", {"PLAN.md": "# Plan\n", "bait.txt": f"{canary}\n"})
    bench.play(desk, **answering(bench))
    prompt = marked_prompt(
        2 * KB, middle=f"Mentioned and not to be opened: @bait.txt @./bait.txt @{desk.project}/bait.txt"
    )
    ran = await bench.lane_run(desk, prompt.text)
    if canary in ran.text:
        return fails(
            "it put the content of a file that the prompt mentions as @path into what it read",
            pointer="/reviewer/invoke/args",
            mend="switch that off with an option or a variable (`env`); in a plan msd writes `@ path`, `lane run` does not",
        )
    if ran.outcome != "review":
        return _no_review(ran)
    if prompt.markers.missing_from(ran.text):
        return not_proven("its answer does not quote what it read: whether a file came along cannot be seen")
    return holds("its answer quotes the prompt, and nothing of the mentioned file")

"""What the tool answers, and what must never be taken for an answer."""

from msd_review.config.schema import budget_key
from msd_review.conformance.bench import Bench, Desk, Ran, printed
from msd_review.conformance.model import Seen, fails, holds, not_applicable, not_proven
from msd_review.conformance.prompts import asking, marked_prompt
from msd_review.conformance.sample import ERROR_TEXT, MODEL, empty_output, error_output, review_output
from msd_review.conformance.scripts import answering, printing, review_text
from msd_review.run.reading import read_output

FLOOD_BYTES = 40 * 1024 * 1024
NEEDS_STAND_IN = "it takes a tool that does as it is told: run without --binary or --real"
_OUTPUT = "/reviewer/invoke/outputMap"


async def answer(bench: Bench) -> Seen:
    """The review comes through the declared channel, read as declared."""
    text = review_text()
    output = review_output(bench.subject.lane, text) if bench.is_scripted else None
    if bench.is_scripted and output is None:
        return not_proven(
            "no output that the outputMap reads could be derived from it",
            mend="name a tool that answers: --binary PATH",
        )
    desk = bench.desk("answer")
    bench.play(desk, **(printing(output) if output is not None else {}))
    ran = await bench.lane_run(desk, asking("The plan: move the parser."))
    if ran.outcome != "review":
        return _unread(bench, ran)
    if not bench.is_scripted:
        return _read_from_tool(bench, desk, ran)
    if ran.text.strip() != text.strip():
        return fails(f"of {len(text)} characters {len(ran.text)} were read", pointer=_OUTPUT)
    return holds(f"the review came through {_channel(bench)} whole{_model_told(ran)}")


def _read_from_tool(bench: Bench, desk: Desk, ran: Ran) -> Seen:
    """A text that came without the declared structure is taken as plain text: the declaration is wrong then."""
    shape = bench.spawn.output_format
    stdout = printed(desk)
    if shape != "text" and bench.spawn.output_channel == "stdout" and stdout is not None:
        reading = read_output(bench.subject.lane, stdout=stdout, stderr=b"")
        if not reading.structured:
            return fails(
                f"it is declared to print {shape}, and nothing of that was read: its output was taken as plain text",
                pointer=_OUTPUT,
                mend="compare the pointers with what the tool prints, or leave outputFormat and outputMap out",
            )
    return holds(f"{len(ran.text):,} characters came through {_channel(bench)}")


def _model_told(ran: Ran) -> str:
    return f"; the model that answered is read ({MODEL})" if ran.document.get("model") == MODEL else ""


def _channel(bench: Bench) -> str:
    invoke = bench.spawn
    channel = "stdout" if invoke.output_channel == "stdout" else f"the file of {invoke.output_arg}"
    shape = "" if invoke.output_format == "text" else f" as {invoke.output_format}"
    by = f", read by the handler {bench.subject.lane.handler}" if bench.subject.lane.handler else ""
    return channel + shape + by


def _unread(bench: Bench, ran: Ran) -> Seen:
    invoke = bench.spawn
    if invoke.output_channel == "file-arg":
        return fails(
            f"no review was read from {_channel(bench)}: {ran.told}",
            pointer="/reviewer/invoke/outputArg",
            mend="see that the tool writes to the file that follows this argument, or declare outputChannel stdout",
        )
    pointer = _OUTPUT if invoke.output_map is not None else "/reviewer/invoke/outputChannel"
    return fails(
        f"no review was read from {_channel(bench)}: {ran.told}",
        pointer=pointer,
        mend="compare what it prints",
    )


async def empty_answer(bench: Bench) -> Seen:
    """A tool that ends in peace and says nothing has not found nothing."""
    if not bench.is_scripted:
        return not_proven(NEEDS_STAND_IN)
    desk = bench.desk("empty")
    bench.play(desk, **printing(empty_output(bench.subject.lane)))
    ran = await bench.lane_run(desk, asking("The plan: move the parser."))
    return _must_fail(ran, "an empty answer", also="")


async def error_at_exit_0(bench: Bench) -> Seen:
    """A tool that tells a failure on stdout and exits 0."""
    if not bench.is_scripted:
        return not_proven(NEEDS_STAND_IN)
    output, is_declared = error_output(bench.subject.lane)
    desk = bench.desk("error")
    bench.play(desk, **printing(output))
    ran = await bench.lane_run(desk, asking("The plan: move the parser."))
    how = "in the shape that its error selectors read" if is_declared else "in words"
    return _must_fail(
        ran, f'"{ERROR_TEXT}" on stdout at exit 0, {how},', also=", as auth_required", reason="auth_required"
    )


async def error_at_exit_1(bench: Bench) -> Seen:
    """A tool that fails with a message on stderr."""
    if not bench.is_scripted:
        return not_proven(NEEDS_STAND_IN)
    desk = bench.desk("exit")
    bench.play(desk, stderr="acme: cannot open the index of the project\n", exit=3)
    ran = await bench.lane_run(desk, asking("The plan: move the parser."))
    if ran.outcome == "failed" and ran.reason:
        return holds(f"reported as {ran.told}")
    return fails(f"exit status 3 with a message on stderr came out as {ran.told}", pointer="/reviewer/invoke")


def _must_fail(ran: Ran, what: str, *, also: str, reason: str = "") -> Seen:
    if ran.outcome == "failed" and ran.reason:
        named = "" if not reason or ran.reason == reason else f" (as {ran.reason}, not {reason})"
        return holds(f"reported as {ran.told}{named}")
    return fails(f"{what} came out as {ran.told}; it must be reported as failed{also}", pointer=_OUTPUT)


async def flood(bench: Bench) -> Seen:
    """A tool that does not stop printing."""
    if not bench.is_scripted:
        return not_proven(NEEDS_STAND_IN)
    desk = bench.desk("flood")
    bench.play(desk, flood=FLOOD_BYTES)
    ran = await bench.lane_run(desk, asking("The plan: move the parser."))
    if ran.outcome in {"failed", "partial"} and ran.reason == "output_limit":
        return holds(f"ended and reported as {ran.told}")
    return fails(f"a flood of output came out as {ran.told}", pointer="/reviewer/invoke/outputChannel")


async def model(bench: Bench) -> Seen:
    """A chosen model enters the arguments; a lane that takes none refuses one."""
    invoke = bench.spawn
    takes = invoke.model_arg is not None and "{{model}}" in invoke.args
    return await _option(
        bench,
        "--model",
        "conformance/model-1",
        takes=takes,
        wanted=(invoke.model_arg or "", "conformance/model-1"),
    )


async def effort(bench: Bench) -> Seen:
    """A chosen effort enters the arguments or the environment; a lane that takes none refuses one."""
    invoke = bench.spawn
    takes = invoke.effort_channel == "env" or (
        invoke.effort_channel == "argv" and "{{effort}}" in invoke.args
    )
    wanted = (
        tuple(arg.replace("{{level}}", "high") for arg in invoke.effort_args)
        if invoke.effort_channel == "argv"
        else ()
    )
    return await _option(bench, "--effort", "high", takes=takes, wanted=wanted)


async def _option(bench: Bench, option: str, value: str, *, takes: bool, wanted: tuple[str, ...]) -> Seen:
    if not takes and not bench.is_scripted:
        return not_applicable(f"the lane takes no {option}")
    if takes and bench.driver == "tool":
        return not_proven(
            "a level or model that was made up would be refused by a real service: run without --real"
        )
    desk = bench.desk(option.removeprefix("--"))
    bench.play(desk, **answering(bench))
    ran = await bench.lane_run(desk, asking("The plan: move the parser."), option, f"{bench.slug}={value}")
    if not takes:
        if ran.code == 2 and not ran.calls:
            return not_applicable(f"the lane takes none, and {option} is refused: {ran.told}")
        return fails(
            f"the lane takes none, and {option} was not refused: {ran.told}", pointer="/reviewer/invoke"
        )
    return _entered(bench, ran, option, wanted=wanted)


def _entered(bench: Bench, ran: Ran, option: str, *, wanted: tuple[str, ...]) -> Seen:
    if not ran.calls:
        return fails(f"the tool was not started: {ran.told}", pointer="/reviewer/invoke/args")
    call = ran.calls[-1]
    if not wanted:
        found = call.env.get("MSD_EFFORT") == "high"
        shown = "MSD_EFFORT=high in its environment"
    else:
        found = any(call.argv[at : at + len(wanted)] == wanted for at in range(len(call.argv)))
        shown = " ".join(wanted)
    if not found:
        return fails(
            f"{shown} did not reach the tool: {' '.join(call.argv)[:300]}", pointer="/reviewer/invoke/args"
        )
    if ran.outcome != "review":
        pointer = "/reviewer/invoke/modelArg" if option == "--model" else "/reviewer/invoke/effortArgs"
        return fails(
            f"with {shown} the tool delivered no review: {ran.told}",
            pointer=pointer,
            mend="see what it takes",
        )
    return holds(f"{shown}")


async def budget(bench: Bench) -> Seen:
    """A prompt that cannot be made to fit its budget: the tool is not started, and the reason is told."""
    if bench.spawn.prompt_channel == "none":
        return not_applicable("the lane declares promptChannel none: it takes no prompt")
    desk = bench.desk("budget", {"PLAN.md": marked_prompt(60_000).text})
    bench.play(desk, **answering(bench))
    key = budget_key(bench.subject.lane)
    set_up = await bench.msd(desk, "config", "set", key, "200")
    if set_up.code != 0:
        return fails(f"{key} cannot be set: {set_up.told}", pointer="/reviewer/promptBudgetKey")
    ran = await bench.msd(
        desk, "review", bench.subject.lane.flags[0], "PLAN.md", "--json", "--format", "json"
    )
    return judge_budget(ran, key, slug=bench.slug, is_started=bool(ran.calls))


def judge_budget(ran: Ran, key: str, *, slug: str, is_started: bool) -> Seen:
    """Whether a review with too small a budget says so and starts nothing."""
    summary = ran.document.get("summary")
    not_run = summary.get("not_run") if isinstance(summary, dict) else None
    reason = not_run.get(slug) if isinstance(not_run, dict) else None
    if reason == "budget_too_small" and not is_started:
        return holds(f"{key} = 200: nothing is started or sent, reported as budget_too_small")
    return fails(f"{key} = 200 came out as {reason or ran.told}", pointer="/reviewer/promptBudgetKey")

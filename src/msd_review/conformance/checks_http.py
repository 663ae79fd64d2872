"""The checks of a lane that asks a server: what the server is sent, and what is made of its answers."""

from collections.abc import Awaitable, Callable, Sequence
from typing import NamedTuple

from msd_review.config.schema import budget_key
from msd_review.conformance.bench import Bench, Ran
from msd_review.conformance.checks_answer import judge_budget
from msd_review.conformance.checks_prompt import judge_bytes, judge_quoted
from msd_review.conformance.model import Seen, fails, holds, not_proven
from msd_review.conformance.prompts import UNICODE_SAMPLE, asking, code, marked_prompt
from msd_review.conformance.sample import ERROR_TEXT
from msd_review.conformance.scripts import review_text
from msd_review.conformance.server import ELSEWHERE, EMBEDDING, MODEL, Part, Server, completion
from msd_review.manifest.model import HttpInvoke

_NEEDS_STAND_IN = "it takes a server that does as it is told: run without --real"
_PROMPT = asking("The plan: move the parser.")
_SHORT_S = 2.0


class HttpCheck(NamedTuple):
    """One row of the table for servers."""

    id: str
    title: str
    look: Callable[[Bench], Awaitable[Seen]]
    is_costly: bool = False


async def _ask(
    bench: Bench, name: str, part: Part, *options: str, timeout_s: float | None = None, prompt: str = _PROMPT
) -> Ran:
    if bench.server is not None:
        bench.server.play(part)
    return await bench.lane_run(bench.desk(name), prompt, *options, timeout_s=timeout_s)


def _answers(text: str | None = None) -> Part:
    return Part(body=completion(text if text is not None else review_text()))


async def _whole(bench: Bench, size: int, *, middle: str = "") -> Seen:
    prompt = marked_prompt(size, middle=middle)
    ran = await _ask(bench, f"prompt-{size}", _answers(), prompt=prompt.text)
    if bench.server is None:
        return judge_quoted(ran, prompt)
    sent = _sent_prompt(bench.server)
    if sent is None:
        return fails(f"no request reached the server: {ran.told}", pointer="/reviewer/invoke")
    return judge_bytes(sent.encode("utf-8", "surrogatepass"), prompt, pointer="/reviewer/handler")


def _sent_prompt(server: Server) -> str | None:
    """The text of the one user message of the last request."""
    requests = server.completions()
    messages = requests[-1].document.get("messages") if requests else None
    if not isinstance(messages, list) or not messages or not isinstance(messages[-1], dict):
        return None
    content = messages[-1].get("content")
    return content if isinstance(content, str) else None


async def _prompt_10kb(bench: Bench) -> Seen:
    return await _whole(bench, 10_000)


async def _prompt_200kb(bench: Bench) -> Seen:
    return await _whole(bench, 200_000)


async def _prompt_2mb(bench: Bench) -> Seen:
    return await _whole(bench, 2_000_000)


async def _unicode(bench: Bench) -> Seen:
    return await _whole(bench, 4000, middle=UNICODE_SAMPLE)


async def _mentions(bench: Bench) -> Seen:
    if bench.server is None:
        return not_proven(_NEEDS_STAND_IN)
    canary = code("canary")
    plan = "# Plan\n\n- Follow @bait.txt and @./bait.txt; keep @decorator\n"
    desk = bench.desk("mentions", {"PLAN.md": plan, "bait.txt": f"{canary}\n"})
    bench.server.play(_answers())
    ran = await bench.msd(desk, "review", bench.subject.lane.flags[0], "PLAN.md", "--format", "json")
    sent = _sent_prompt(bench.server)
    if sent is None:
        return fails(f"no request reached the server: {ran.told}", pointer="/reviewer/invoke")
    if canary in sent or "@bait.txt" in sent or "@./bait.txt" in sent:
        return fails("a mention arrived as it was written, or with the file's content")
    return holds("mentions of files arrive as `@ path`; no content of them came along")


async def _answer(bench: Bench) -> Seen:
    text = review_text()
    ran = await _ask(bench, "answer", _answers(text))
    if ran.outcome != "review":
        return fails(f"no review was read: {ran.told}", pointer="/reviewer/invoke/path")
    if bench.server is not None and ran.text.strip() != text.strip():
        return fails(f"of {len(text)} characters {len(ran.text)} were read", pointer="/reviewer/handler")
    return holds("the review is read from the first choice's message")


async def _model(bench: Bench) -> Seen:
    """A configured model is asked for; without one, the first that the server lists, or the fallback."""
    if bench.server is None:
        return not_proven(_NEEDS_STAND_IN)
    found = await _ask(bench, "discovered", _answers())
    discovered = _asked_model(bench.server)
    if not isinstance(bench.subject.lane.invoke, HttpInvoke) or found.outcome != "review":
        return fails(
            f"without a chosen model it came out as {found.told}", pointer="/reviewer/invoke/modelDiscovery"
        )
    invoke = bench.subject.lane.invoke
    wanted = MODEL if invoke.model_discovery == "first-from-models-endpoint" else invoke.fallback_model
    wanted = bench.subject.model or wanted
    if discovered != wanted:
        return fails(
            f"without a chosen model it asked for {discovered}, not {wanted}",
            pointer="/reviewer/invoke/fallbackModel",
        )
    chosen = await _ask(bench, "chosen", _answers(), "--model", f"{bench.slug}=chosen-model")
    if _asked_model(bench.server) != "chosen-model":
        return fails(f"a chosen model was not asked for: {chosen.told}", pointer="/reviewer/modelConfigKey")
    return holds(f"a chosen model is asked for; without one {wanted}, never {EMBEDDING}")


def _asked_model(server: Server) -> object:
    requests = server.completions()
    return requests[-1].document.get("model") if requests else None


async def _effort(bench: Bench) -> Seen:
    if bench.server is None:
        return not_proven(_NEEDS_STAND_IN)
    ran = await _ask(bench, "effort", _answers(), "--effort", f"{bench.slug}=high")
    if ran.code == 2 and not bench.server.completions():
        return holds(f"a server takes no effort, and it is refused: {ran.told}")
    return fails(f"an effort, which no server takes, was not refused: {ran.told}")


async def _budget(bench: Bench) -> Seen:
    if bench.server is None:
        return not_proven(_NEEDS_STAND_IN)
    desk = bench.desk("budget", {"PLAN.md": marked_prompt(60_000).text})
    key = budget_key(bench.subject.lane)
    await bench.msd(desk, "config", "set", key, "200")
    bench.server.play(_answers())
    ran = await bench.msd(
        desk, "review", bench.subject.lane.flags[0], "PLAN.md", "--json", "--format", "json"
    )
    return judge_budget(ran, key, slug=bench.slug, is_started=bool(bench.server.completions()))


async def _no_key(bench: Bench) -> Seen:
    """No credential goes along that the user did not name for this lane."""
    if bench.server is None:
        return not_proven(_NEEDS_STAND_IN)
    await _ask(bench, "headers", _answers())
    names = {name for request in bench.server.requests for name in request.headers}
    sent = sorted(names & {"authorization", "cookie", "proxy-authorization", "x-api-key"})
    if sent or not names:
        return fails(f"{', '.join(sent) or 'no request'} was sent")
    return holds("no authorization and no cookie was sent")


def _failing(
    name: str, part: Part, *, reasons: tuple[str, ...], timeout_s: float | None = None
) -> Callable[[Bench], Awaitable[Seen]]:
    """A check that an answer of the server is told as a failure, for one of these reasons."""

    async def look(bench: Bench) -> Seen:
        if bench.server is None:
            return not_proven(_NEEDS_STAND_IN)
        ran = await _ask(bench, name, part, timeout_s=timeout_s)
        if not bench.server.completions():
            return fails(f"no request reached the server: {ran.told}", pointer="/reviewer/invoke")
        if ran.outcome in {"failed", "blocked", "partial"} and ran.reason in reasons:
            return holds(f"reported as {ran.told}")
        return fails(
            f"it came out as {ran.told}; it must be reported as {' or '.join(reasons)}",
            pointer="/reviewer/handler",
        )

    return look


async def _redirect(bench: Bench) -> Seen:
    if bench.server is None:
        return not_proven(_NEEDS_STAND_IN)
    ran = await _ask(bench, "redirect", Part(mode="redirect"))
    if any(ELSEWHERE in request.path for request in bench.server.requests):
        return fails("the redirect was followed")
    if ran.reason != "egress_refused":
        return fails(f"a redirect came out as {ran.told}, not as egress_refused")
    return holds(f"not followed, reported as {ran.told}")


def _error(status: int, message: str, kind: str = "error") -> Part:
    return Part(status=status, body={"error": {"message": message, "type": kind, "code": status}})


CHECKS: Sequence[HttpCheck] = (
    HttpCheck("answer", "the review is read from the answer", _answer),
    HttpCheck("prompt-10kb", "a prompt of 10 KB arrives whole", _prompt_10kb),
    HttpCheck("prompt-200kb", "a prompt of 200 KB arrives whole", _prompt_200kb, is_costly=True),
    HttpCheck("prompt-2mb", "a prompt of 2 MB arrives whole", _prompt_2mb, is_costly=True),
    HttpCheck("unicode", "scripts, combining and control characters arrive", _unicode),
    HttpCheck("mentions", "@path in a plan is written apart", _mentions),
    HttpCheck("model", "the model is chosen, discovered or fallen back to", _model),
    HttpCheck("effort", "an effort is refused", _effort),
    HttpCheck("budget", "a prompt over its budget is refused clearly", _budget),
    HttpCheck("no-credentials", "no credential goes along unasked", _no_key),
    HttpCheck(
        "empty-answer",
        "an empty answer is a failure",
        _failing("empty", Part(body=completion("")), reasons=("empty_output",)),
    ),
    HttpCheck(
        "no-choices",
        "an answer without choices is a failure",
        _failing("no-choices", Part(body=completion(None)), reasons=("malformed_response", "empty_output")),
    ),
    HttpCheck(
        "error-at-200",
        "an error in the body of a 200 is a failure",
        _failing("error-200", _error(200, ERROR_TEXT), reasons=("auth_required", "server_error")),
    ),
    HttpCheck(
        "unauthorized",
        "a 401 is told as auth_required",
        _failing("status-401", _error(401, ERROR_TEXT), reasons=("auth_required",)),
    ),
    HttpCheck(
        "rate-limited",
        "a 429 is told as rate_limited",
        _failing("status-429", _error(429, "rate limit reached"), reasons=("rate_limited",), timeout_s=8),
    ),
    HttpCheck(
        "server-error",
        "a 500 is told as server_error",
        _failing("status-500", _error(500, "internal error"), reasons=("server_error",)),
    ),
    HttpCheck("redirect", "a redirect is not followed", _redirect),
    HttpCheck(
        "drop",
        "an answer that breaks off is a failure",
        _failing(
            "drop",
            Part(mode="drop", body=completion(review_text())),
            reasons=("malformed_response", "server_error", "http_error", "host_unreachable"),
        ),
    ),
    HttpCheck(
        "flood",
        "a flood of output is ended",
        _failing("flood", Part(mode="flood"), reasons=("output_limit", "malformed_response")),
    ),
    HttpCheck(
        "hang",
        "a server that hangs is given up",
        _failing("hang", Part(mode="hang"), reasons=("timeout", "idle_timeout"), timeout_s=_SHORT_S),
    ),
)
REAL = frozenset(
    {"answer", "prompt-10kb", "prompt-200kb", "prompt-2mb", "unicode"}
)  # what asks a real server

"""How tools and servers word their refusals, as a table: the first row that matches names the reason.

Words count only in a message that a tool announced as a failure, on its stderr, or in a text too short and
without the shape of a review; never in a review. The order matters where one message fits two rows: a full
context window is often reported as a bad request, a spent quota as too many requests.
"""

import re
from dataclasses import dataclass

from msd_review.outcomes import Reason


@dataclass(frozen=True, slots=True)
class Pattern:
    """One way to say one thing. `quiet` rows are common in logs, so they do not count on stderr of a tool that exited 0."""

    reason: Reason
    words: re.Pattern[str]
    quiet: bool = False


def _row(reason: Reason, words: str, *, quiet: bool = False) -> Pattern:
    return Pattern(reason, re.compile(words, re.IGNORECASE), quiet)


PATTERNS: tuple[Pattern, ...] = (
    _row(
        Reason.CONTEXT_OVERFLOW,
        r"prompt is too long|context[_ -]?(?:length|window|size)[^\n]{0,60}(?:exceed|overflow|of only)"
        r"|exceeds?[^\n]{0,40}context|context_length_exceeded|exceed_context_size|ContextOverflow"
        r"|maximum context|context the overflows|too many (?:input )?tokens|input[^\n]{0,30}too (?:long|large)",
    ),
    _row(
        Reason.WORKSPACE_UNTRUSTED,
        r"not running in a trusted directory|workspace trust required|--skip-trust|TRUST_WORKSPACE"
        r"|untrusted (?:workspace|folder|directory)|(?:workspace|folder|directory) is not trusted",
    ),
    _row(
        Reason.PERMISSION_DENIED,
        r"auto-denied|headless mode cannot prompt|permission[^\n]{0,80}(?:cannot|could not) prompt"
        r"|(?:tool|command)[^\n]{0,40}permission (?:was )?(?:denied|rejected)|requires approval",
    ),
    _row(
        Reason.MODEL_NOT_FOUND,
        r"ProviderModelNotFound|model[^\n]{0,80}(?:not found|does ?n[o']t exist|is not (?:supported|available)|no such)"
        r"|(?:unknown|invalid|unsupported|no such) model|model_not_found|try pulling it first",
    ),
    _row(
        Reason.BAD_ARGUMENTS,
        r"unexpected argument|unknown (?:argument|option|flag|command)s?\b|unrecognized (?:argument|option)s?"
        r"|invalid (?:option|argument|value for)|missing unit in duration|flag provided but not defined"
        r"|requires a value|no such option",
    ),
    _row(
        Reason.QUOTA,
        r"insufficient[_ ]quota|usage limit|exceeded your (?:current )?quota|quota (?:exceeded|exhausted|reached)"
        r"|out of credits?|credit balance|billing (?:hard )?limit|payment required|daily limit",
    ),
    _row(
        Reason.RATE_LIMITED,
        r"rate[ _-]?limit|too many requests|RESOURCE_EXHAUSTED|\b(?:status|error|code|API Error)[^\n]{0,20}\b429\b|^\s*429\b"
        r"|last status: 429|throttl",
    ),
    _row(
        Reason.AUTH_REQUIRED,
        r"unauthenticated|unauthorized|authentication[_ ](?:error|failed|required|page)|failed to authenticate"
        r"|(?:incorrect|invalid|missing|no|expired)[^\n]{0,30}(?:api[ _-]?key|auth|credential|token\b)|auth_error"
        r"|invalid auth method|not logged in|(?:please )?(?:log|sign) ?in\b[^\n]{0,60}(?:continue|first|required|with|to)"
        r"|please run [^\n]{0,40}login|PERMISSION_DENIED|(?:api key|account)[^\n]{0,40}(?:not allowed|forbidden)|\bforbidden\b"
        r"|\b(?:status|error|code|API Error)[^\n]{0,20}\b40[13]\b|^\s*40[13]\b|do you want to continue\?? ?\[y/n\]",
    ),
    _row(
        Reason.RESOURCES,
        r"more system memory|out of memory|cannot allocate memory|ENOMEM|heap out of memory|no space left"
        r"|CUDA error: out of|insufficient (?:memory|vram)",
    ),
    _row(
        Reason.HTTP_ERROR,
        r"non-SSE response|unexpected endpoint|text/html|<html|bad gateway|not a valid (?:api|openai)",
    ),
    _row(
        Reason.MALFORMED_RESPONSE,
        r"malformed response|incomplete JSON|unexpected (?:token|end)[^\n]{0,60}JSON|invalid JSON|failed to parse[^\n]{0,40}(?:response|JSON)",
    ),
    _row(
        Reason.EMPTY_OUTPUT, r"empty (?:response|completion|reply)|no last agent message|no output produced"
    ),
    _row(
        Reason.TIMEOUT,
        r"wall-clock budget|(?:request|run|operation|connection) timed? ?out|\btimeout exceeded|ETIMEDOUT",
    ),
    _row(
        Reason.SERVER_ERROR,
        r"internal server error|unexpected server error|service unavailable|overloaded|server_error|api_error"
        r"|stream disconnected|other side closed|ECONNRESET|ECONNREFUSED|connection (?:refused|reset|error|closed)"
        r"|socket hang up|network error|fetch failed|terminated|\b(?:status|error|code|API Error)[^\n]{0,20}\b5\d\d\b|^\s*5\d\d\b",
        quiet=True,
    ),
)

STATUS_REASONS: dict[int, Reason] = {
    401: Reason.AUTH_REQUIRED,
    402: Reason.QUOTA,
    403: Reason.AUTH_REQUIRED,
    404: Reason.HTTP_ERROR,
    408: Reason.TIMEOUT,
    413: Reason.CONTEXT_OVERFLOW,
    429: Reason.RATE_LIMITED,
}


def reason_in(text: str, *, loud_only: bool = False) -> Reason | None:
    """The reason that a message's words give; `loud_only` leaves out what is common in harmless logs."""
    for pattern in PATTERNS:
        if not (loud_only and pattern.quiet) and pattern.words.search(text):
            return pattern.reason
    return None


def reason_of_error(message: str, status: int | None) -> Reason:
    """The reason of an announced failure: its words where they are telling, else its status, else a server error."""
    worded = reason_in(message)
    by_status = None
    if status is not None:
        by_status = STATUS_REASONS.get(status, Reason.SERVER_ERROR if status >= 500 else None)
    vague = worded in {None, Reason.SERVER_ERROR, Reason.HTTP_ERROR}
    return (by_status or worded or Reason.SERVER_ERROR) if vague else (worded or Reason.SERVER_ERROR)

"""How tools and servers say that they will not review: rows of data, tried in order, the specific before the general.

A row's words count in the places that it names:
message   what a tool's own structure calls a failure, or a server's error body
stderr    the lines of stderr (and of stdout beside a structure) of a run that delivered nothing
text      a text too short, and without the shape of a review, that opens with the words

A number alone never makes a failure outside a message: reviews speak of 401 and of rate limits too.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from msd_review.lazy import regex
from msd_review.outcomes import Reason

Place = Literal["message", "stderr", "text"]
EVERYWHERE: frozenset[Place] = frozenset({"message", "stderr", "text"})
ANNOUNCED: frozenset[Place] = frozenset({"message", "stderr"})
IN_MESSAGE: frozenset[Place] = frozenset({"message"})


@dataclass(frozen=True, slots=True)
class Pattern:
    """Words that mean a reason, and where they may count."""

    reason: Reason
    words: re.Pattern[str]
    places: frozenset[Place]


def _row(reason: Reason, words: str, places: frozenset[Place] = EVERYWHERE) -> Pattern:
    return Pattern(reason, re.compile(words, re.IGNORECASE), places)


PATTERNS: tuple[Pattern, ...] = (
    # Broken answers come first: their sentences quote other failures.
    _row(
        Reason.MALFORMED_RESPONSE,
        r"malformed response|non-SSE response|incomplete JSON|unexpected token .{1,40} in JSON|invalid JSON (?:response|body)"
        r"|failed to (?:parse|decode) (?:the )?(?:response|JSON|stream)|StreamNoEventsError|body is an HTML page|<!doctype html|<html\b",
        ANNOUNCED,
    ),
    _row(
        Reason.EMPTY_OUTPUT,
        r"(?:empty|no) (?:response|output|content|completion|message|text)\b.{0,60}(?:from|returned|with no|received|text|produced|content)?"
        r"|APIEmptyResponseError|no last agent message|INVALID_STREAM",
        IN_MESSAGE,
    ),
    _row(
        Reason.WORKSPACE_UNTRUSTED,
        r"workspace trust required|not (?:running )?(?:in|inside) a trusted (?:directory|folder|workspace)|untrusted (?:workspace|folder|directory)"
        r"|(?:directory|folder|workspace) is not trusted|\bpass --trust\b|--skip-trust\b|trust this (?:folder|workspace|directory)",
    ),
    _row(
        Reason.PERMISSION_DENIED,
        r"headless mode cannot prompt|auto-denied|required the \"?\w+\"? permission|permission (?:request )?(?:was )?(?:denied|rejected|auto-rejected)"
        r"|requires (?:your )?(?:approval|permission)|tool (?:call|use|execution) (?:was )?(?:denied|rejected|not (?:allowed|permitted))"
        r"|cannot be launched inside another|user rejected permission|waiting for (?:tool )?(?:approval|permission|confirmation)",
    ),
    _row(
        Reason.RESOURCES,
        r"requires more (?:system )?memory|out of memory|cannot allocate memory|insufficient (?:memory|vram|resources)|no space left on device|ENOSPC\b|ENOMEM\b"
        r"|JavaScript heap|CUDA error|disk quota exceeded|too many open files|EMFILE\b",
    ),
    _row(
        Reason.CONTEXT_OVERFLOW,
        r"prompt is too long|context[ _-]?(?:length|window|size)?[ _-]?(?:exceed|overflow)|exceed(?:s|ed|ing)?(?:_| )?(?:the )?(?:available |maximum |model'?s? )*context"
        r"|maximum context length|context the overflows|context (?:length|size|window) of only|too many (?:input )?tokens|input (?:is )?too (?:long|large)|request (?:is )?too large"
        r"|payload too large|(?:token|input) (?:count|length|limit) .{0,40}exceed|exceeds? the (?:maximum|limit).{0,30}(?:tokens|characters)|ContextOverflow|prompt[_ ]too[_ ]long"
        r"|reduce the length of the (?:messages|prompt)",
    ),
    _row(
        Reason.QUOTA,
        r"insufficient[ _]quota|exceeded your current quota|quota[ _](?:has been |was )?(?:exceeded|reached|exhausted|used up)|(?:daily|monthly|weekly|free)[ -](?:tier )?(?:quota|limit)"
        r"|usage limit|credit balance|out of (?:credits|tokens)|(?:insufficient|no|not enough) (?:credits?|balance|funds)|billing (?:hard )?(?:limit|issue|not)|payment required"
        r"|you(?:'|\u2019)?ve (?:hit|reached) your (?:\S+ ){0,3}limit|\d-hour limit reached|upgrade (?:to|your) (?:\S+ ){0,3}(?:plan|pro|tier)|plan limit",
    ),
    _row(
        Reason.RATE_LIMITED,
        r"rate[ _-]?limit(?:s|ed|ing)?[ _-]?(?:\W{0,3}(?:reached|exceeded|hit|error|exceed)|\b)|too many requests|RESOURCE_EXHAUSTED|\bthrottl(?:ed|ing)|retry after \d|try again (?:in|after) \d+ ?(?:s|m|h)",
        ANNOUNCED,
    ),
    _row(
        Reason.RATE_LIMITED,
        r"rate[ -]?limit(?:ed)?\W{0,3}(?:is |was |has been )?(?:reached|exceeded|hit)|(?:you (?:are|have been)|request was|being) rate[ -]?limited|too many requests|RESOURCE_EXHAUSTED"
        r"|\"?(?:type|error|status|code)\"?\s*[:=]\s*\"?rate_limit",
        frozenset({"text"}),
    ),
    _row(
        Reason.MODEL_NOT_FOUND,
        r"model[ _]?not[ _]?found|ProviderModelNotFound|unknown model|no such model|invalid model(?: name| id|:|\b)|model\b.{0,80}(?:does not exist|is not (?:available|supported|found)|was not found|not found)"
        r"|not_found_error.{0,80}model|Publisher model|no models? (?:is |are )?loaded|failed to load model|don(?:'|\u2019)t have access to (?:the )?model|may not exist or you may not have access",
    ),
    _row(
        Reason.AUTH_REQUIRED,
        r"(?:in(?:correct|valid)|missing|expired|bad|no|unset|revoked) (?:\S+ ){0,3}?(?:api[ _-]?key|auth(?:entication)? (?:method|token)|access token|credentials?|bearer token|x-api-key|token provided)"
        r"|api[ _-]?key (?:not (?:found|set|valid|provided)|is (?:missing|invalid|required|not)|(?:has )?expired|required)|(?:not|aren(?:'|\u2019)t) (?:logged|signed) in|please (?:run \S+ ?login|log ?in|sign ?in|authenticate)"
        r"|run [`'\"]?\S{0,40}\s?/?(?:auth )?login\b|opening authentication page|authentication (?:required|failed|error|page|expired|is required)|failed to authenticate|auth(?:entication)?[_ ]error"
        r"|unauthori[sz]ed|unauthenticated|permission_error|session (?:has )?expired|oauth (?:token|session).{0,30}(?:expired|revoked|invalid)|set an auth method|log ?in (?:is )?required|could not (?:authenticate|log in)"
        r"|you must (?:log|sign) in|(?:need|have) to (?:log|sign) in",
    ),
    _row(
        Reason.BAD_ARGUMENTS,
        r"(?:unexpected|unknown|unrecogni[sz]ed|invalid|unsupported|ambiguous) (?:command[- ]line )?(?:argument|option|flag|subcommand|command|switch)s?\b|missing unit in duration"
        r"|flag provided but not defined|unknown shorthand flag|no such (?:option|subcommand)|requires (?:an argument|a value)|the following required arguments|missing required (?:argument|option)"
        r"|invalid choice:|invalid value .{1,80} for|argument .{1,60} (?:is|was) (?:missing|required)|cannot be used with|not enough arguments|too many arguments",
    ),
    _row(
        Reason.TIMEOUT,
        r"wall-clock budget|max(?:imum)?[- ]wall[- ]time|timed? ?out waiting for|request timed out|deadline exceeded|operation timed out|response timed? ?out|gateway time-?out|ETIMEDOUT",
        EVERYWHERE,
    ),
    _row(
        Reason.HTTP_ERROR,
        r"unexpected endpoint or method|unsupported protocol|self[- ]signed certificate|certificate (?:verify failed|has expired)|unable to verify the first certificate",
        ANNOUNCED,
    ),
    _row(
        Reason.SERVER_ERROR,
        r"internal server error|server[ _]error|server-side (?:issue|error)|bad gateway|service (?:is )?(?:temporarily )?unavailable|overloaded|high demand|temporar(?:y|ily) (?:errors?|unavailable)"
        r"|upstream connect error|stream (?:disconnected|closed|ended|error)|other side closed|socket hang up|connection (?:error|refused|reset|closed|aborted|lost)|network (?:error|connection)"
        r"|ECONNRESET|ECONNREFUSED|ENOTFOUND|EAI_AGAIN|UND_ERR|fetch failed|\bterminated\b|unable to connect|could not resolve|APIConnectionError|APIStatusError|exceeded retry limit",
    ),
    _row(Reason.AUTH_REQUIRED, r"\bforbidden\b|access denied", ANNOUNCED),
)  # fmt: skip

# A number that a tool or server gave for an HTTP status.
STATUS_REASONS: Mapping[int, Reason] = {
    401: Reason.AUTH_REQUIRED,
    402: Reason.QUOTA,
    403: Reason.AUTH_REQUIRED,
    407: Reason.AUTH_REQUIRED,
    408: Reason.TIMEOUT,
    413: Reason.CONTEXT_OVERFLOW,
    429: Reason.RATE_LIMITED,
    529: Reason.SERVER_ERROR,
}

# What a lane that declares no hint of its own is given.
HINTS: Mapping[Reason, str] = {
    Reason.AUTH_REQUIRED: "log in with the tool itself, then run again with --retry-failed",
    Reason.QUOTA: "wait until the quota resets, or choose another model with --model",
    Reason.RATE_LIMITED: "wait a moment, then run again with --retry-failed",
    Reason.WORKSPACE_UNTRUSTED: "trust this folder in the tool itself",
    Reason.PERMISSION_DENIED: "the tool wanted a permission that nobody can give while it runs unattended",
    Reason.MODEL_NOT_FOUND: "choose a model that the tool offers, with --model",
    Reason.BAD_ARGUMENTS: "update the tool: this version of it does not know our arguments",
    Reason.CONTEXT_OVERFLOW: "set a smaller budget: msd config set review.max_prompt_tokens TOKENS",
    Reason.TIMEOUT: "give it more time with --timeout",
    Reason.IDLE_TIMEOUT: "it printed nothing for too long; see its stderr in the run's folder",
    Reason.OUTPUT_LIMIT: "it printed more than any review has; see its output in the run's folder",
}

# Text that came and is no review, whatever its words: what it is instead, and the reason that fits.
_USAGE = r"\A\W{0,4}(?:usage|synopsis|aufruf)\s?:|\A[^\n]{0,200}\n+\s{0,4}usage:"
_QUESTION = r"[\[(]\s?y(?:es)?\s?/\s?n(?:o)?\s?[\])]\s*[:?>]?\s*\Z"
NOT_REVIEWS: tuple[tuple[str, Reason, re.Pattern[str]], ...] = (
    ("a usage hint", Reason.BAD_ARGUMENTS, regex(_USAGE, re.IGNORECASE)),
    ("a question for a person", Reason.PERMISSION_DENIED, regex(_QUESTION, re.IGNORECASE)),
    (
        "a web page",
        Reason.MALFORMED_RESPONSE,
        regex(r"\A\s*(?:<!doctype html|<html\b)", re.IGNORECASE),
    ),
    (
        "a pointer to a file elsewhere",
        Reason.MALFORMED_RESPONSE,
        regex(
            r"\A\W{0,8}(?:i(?:'|\u2019)?(?:ve| have)? |the |my |full |complete |a )*(?:\w+ )?(?:wrote|written|saved|stored|created|placed|put|see|open|read|review|report|findings|analysis)\b"
            r"[^\n]{0,160}?[\s(\[`\"'](?:file://|/|~/|[A-Za-z]:[\\/])[^\n]{0,300}\s*\Z",
            re.IGNORECASE,
        ),
    ),
    (
        "a note that output was cut",
        Reason.MALFORMED_RESPONSE,
        regex(r"\A[^\n]{0,60}\b(?:output|response|text) (?:was |has been |is )?(?:truncated|cut)\b[^\n]{0,80}\s*\Z", re.IGNORECASE),
    ),
    (
        "a refusal of the model",
        Reason.MALFORMED_RESPONSE,
        regex(r"\AI(?:'|\u2019)?m(?: very)? sorry,? (?:but )?I (?:can(?:'|\u2019)?t|cannot|am unable|won(?:'|\u2019)?t)[^\n]{0,200}\s*\Z", re.IGNORECASE),
    ),
)  # fmt: skip

# A sentence by which an agent tells what it is about to do, or a tool how far it is.
NARRATION = regex(
    r"\A\W{0,4}(?:i(?:'|\u2019)?(?:ll| will| am going to|'m going to|\u2019m going to| need to| should| can)\b|let me\b|let(?:'|\u2019)s\b|now,? (?:i|let)\b|first,? (?:i|let)\b|next,? (?:i|let)\b"
    r"|(?:okay|ok|sure|alright|great|perfect)\b[,.!]?|(?:reading|searching|looking|checking|examining|analy[sz]ing|exploring|opening|running|starting|started|loading|loaded|connecting|connected|setting up"
    r"|summari[sz]ing|reviewing|preparing|initiali[sz]ing|fetching|scanning|waiting)\b)",
    re.IGNORECASE,
)

# How a line begins that announces a failure of the tool, not of the plan.
MARKER = regex(
    r"\A[\s>*_`#|\[(\u2715\u2716\u2717\u274c\u26a0\ufe0f\u00d7!-]*(?:(?:api |fatal |execution |request |unexpected |auth(?:entication)? |\w{1,20}\.)?(?:error|err)\b[\w.]{0,20}\]?\s?[:\u00b7(\[-]|fatal:|failure:|exception:|panic:"
    r"|\w+(?:Error|Exception)\b|error\s*\Z|\[api error)",
    re.IGNORECASE,
)
# A tool begins so, and so does a reviewer.
SOFT_MARKER = regex(
    r"\A[\s>*_`#|\[(\u2715\u2716\u2717\u274c\u26a0\ufe0f\u00d7!-]*(?:failed to|unable to|could not|cannot|can(?:'|\u2019)t)\b",
    re.IGNORECASE,
)

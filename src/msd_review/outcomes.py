"""What can become of a lane: three closed lists, the same in every output."""

from enum import StrEnum


class Outcome(StrEnum):
    """What became of a lane in a run."""

    REVIEW = "review"
    PARTIAL = "partial"  # text came, the lane did not finish; shown, never counted
    FAILED = "failed"  # ran, delivered nothing usable
    UNAVAILABLE = "unavailable"  # cannot run here
    BLOCKED = "blocked"  # trust
    SKIPPED = "skipped"  # choice
    CANCELLED = "cancelled"


class Reason(StrEnum):
    """Why a lane's outcome is not `review`."""

    MALFORMED_LANE = "malformed_lane"
    UNKNOWN_TRANSPORT = "unknown_transport"
    UNKNOWN_HANDLER = "unknown_handler"
    MISSING_BINARY = "missing_binary"
    MISSING_REQUIRED_BINARY = "missing_required_binary"
    PROBE_FAILED = "probe_failed"
    PROBE_TIMEOUT = "probe_timeout"
    HOST_UNREACHABLE = "host_unreachable"
    NOT_CONSENTED = "not_consented"
    EGRESS_HOST_CHANGED = "egress_host_changed"
    EGRESS_REFUSED = "egress_refused"
    EXCLUDED = "excluded"
    SELF_SKIPPED = "self_skipped"
    BUDGET_TOO_SMALL = "budget_too_small"
    PROMPT_TOO_LARGE = "prompt_too_large"
    PROMPT_CHANNEL_UNSUPPORTED = "prompt_channel_unsupported"
    COPY_FAILED = "copy_failed"
    CAPABILITY_INACTIVE = "capability_inactive"

    SPAWN_FAILED = "spawn_failed"
    TIMEOUT = "timeout"
    IDLE_TIMEOUT = "idle_timeout"
    EXIT_STATUS = "exit_status"
    EMPTY_OUTPUT = "empty_output"
    OUTPUT_LIMIT = "output_limit"
    AUTH_REQUIRED = "auth_required"
    QUOTA = "quota"
    RATE_LIMITED = "rate_limited"
    WORKSPACE_UNTRUSTED = "workspace_untrusted"
    PERMISSION_DENIED = "permission_denied"
    MODEL_NOT_FOUND = "model_not_found"
    BAD_ARGUMENTS = "bad_arguments"
    CONTEXT_OVERFLOW = "context_overflow"
    RESOURCES = "resources"
    SERVER_ERROR = "server_error"
    HTTP_ERROR = "http_error"
    MALFORMED_RESPONSE = "malformed_response"
    CANCELLED = "cancelled"


class Mark(StrEnum):
    """What a reader must know about a delivered review."""

    IMPORTED = "imported"
    NONZERO_EXIT = "nonzero_exit"
    KILLED_AFTER_REPLY = "killed_after_reply"
    TRUNCATED_INPUT = "truncated_input"
    TRUNCATED_OUTPUT = "truncated_output"
    MODEL_MISMATCH = "model_mismatch"
    WITHOUT_REPO_ACCESS = "without_repo_access"
    NO_CITATIONS = "no_citations"
    WORKSPACE_CHANGED = "workspace_changed"
    SELF_REVIEW = "self_review"
    DIFF_ONLY = "diff_only"


NOT_RUN_REASONS = frozenset(list(Reason)[: list(Reason).index(Reason.SPAWN_FAILED)])
RUN_REASONS = frozenset(Reason) - NOT_RUN_REASONS

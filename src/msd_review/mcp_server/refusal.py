"""A tool call that is refused: what is wrong, as a code, and the way out."""

from msd_review.errors import (
    ConfigError,
    InputError,
    Interrupted,
    MsdError,
    SecretFound,
    SourceError,
    StoreError,
    TrustError,
    UsageError,
)

SCHEMA = "msd.mcp-error/1"
_CODES: dict[type[MsdError], str] = {
    UsageError: "usage",
    InputError: "input",
    ConfigError: "configuration",
    StoreError: "store",
    SourceError: "source",
    SecretFound: "secret_found",
    TrustError: "not_consented",
    Interrupted: "interrupted",
}
_LIMIT = 2_000  # characters of a message or a hint


class Refused(MsdError):
    """A tool call that cannot be carried out; `commands` are for a person to run, not for the agent."""

    def __init__(
        self, code: str, message: str, *, hint: str | None = None, commands: tuple[str, ...] = ()
    ) -> None:
        super().__init__(message, hint=hint)
        self.code = code
        self.commands = commands


def code_of(problem: MsdError) -> str:
    """The word by which an agent can tell one kind of problem from another."""
    if isinstance(problem, Refused):
        return problem.code
    return next((code for kind, code in _CODES.items() if isinstance(problem, kind)), "failed")


def as_json(problem: MsdError) -> dict[str, object]:
    """The `msd.mcp-error/1` document."""
    return {
        "schema": SCHEMA,
        "error": {
            "code": code_of(problem),
            "message": problem.message[:_LIMIT],
            "hint": problem.hint[:_LIMIT] if problem.hint else None,
            "commands_for_a_person": list(problem.commands) if isinstance(problem, Refused) else [],
        },
    }

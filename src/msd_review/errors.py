"""Every exception that msd raises on purpose, split by who must act.

MsdError                     has a message, an optional hint (the way out) and an exit code
├── UsageError          2    the command line asks for something that cannot be
├── InputError          2    a plan, prompt, manifest or other input file is not usable
├── ConfigError         2    a config file or value is wrong; names the file and the place
├── StoreError          2    a file of ours (consent, ledger, run) cannot be read or written
├── SourceError         2    an install spec cannot be parsed or fetched
├── SecretFound         2    what would be sent holds a secret; nothing was sent
├── TrustError          5    consent is missing, refused or no longer matches
└── Interrupted       130    the person said stop; what finished is kept

A lane that fails is never an exception: it is a value (`run.result.LaneResult`).
Wrong call order inside msd is a RuntimeError: that is our bug, not the user's.
"""


class MsdError(Exception):
    """A problem that a person can act on; shown as one `msd: error:` line and one `hint:` line."""

    exit_code = 2

    def __init__(self, message: str, *, hint: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


class UsageError(MsdError):
    """The command line asks for something that cannot be."""


class InputError(MsdError):
    """A plan, prompt, manifest or another input file is not usable."""


class ConfigError(MsdError):
    """A configuration file or value is wrong."""


class StoreError(MsdError):
    """A file that msd keeps (consent, ledger, run) cannot be read or written."""


class SourceError(MsdError):
    """An install spec cannot be parsed, is not allowed, or cannot be fetched."""


class SecretFound(MsdError):
    """What would be sent holds a secret; nothing was sent."""


class TrustError(MsdError):
    """Consent is missing, refused, or no longer matches what would happen."""

    exit_code = 5


class Interrupted(MsdError):
    """The person said stop; what finished is kept."""

    exit_code = 130

"""The one error boundary: expected trouble is one line and a hint, a fault of ours names the way to the details."""

import os
import sys
from collections.abc import Callable

from msd_review.cli.tables import safe
from msd_review.edges import environ
from msd_review.errors import Interrupted, MsdError

EXIT_BUG = 70  # EX_SOFTWARE: a fault of ours, never of the input
EXIT_PIPE = 141  # what a shell sees of a program that SIGPIPE ended


def report(message: str, hint: str | None) -> None:
    """Writes an error as every command does."""
    print(safe(f"msd: error: {message}"), file=sys.stderr)
    if hint:
        print(safe(f"hint: {hint}"), file=sys.stderr)


def _trace() -> None:
    if environ.get("MSD_DEBUG") is not None:
        import traceback  # only a failing command that was asked for it pays for it

        traceback.print_exc()


def guarded(run: Callable[[], int]) -> int:
    """The exit code of `run`, whatever it raises."""
    try:
        code = run()
        sys.stdout.flush()
    except MsdError as problem:
        _trace()
        report(problem.message, problem.hint)
        return problem.exit_code
    except KeyboardInterrupt:
        report("interrupted", None)
        return Interrupted.exit_code
    except BrokenPipeError:
        # The reader of our output went away (`msd … | head`): nothing is left to tell anyone, and the
        # interpreter's own last flush must not fail over it.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return EXIT_PIPE
    except Exception as bug:  # noqa: BLE001 - the one boundary: a bug must not print a traceback at a person
        _trace()
        report(f"a fault in msd: {type(bug).__name__}: {bug}", "MSD_DEBUG=1 shows where; please report it")
        return EXIT_BUG
    return code

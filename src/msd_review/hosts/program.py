"""How this very msd is started by a tool that knows nothing of the shell it was installed from.

A host that was started from a desktop has another PATH than a shell, so the whole path is registered: the one on PATH
where that is this msd (it outlives an upgrade), else this one's own.
"""

import os
from pathlib import Path

from msd_review.edges import programs
from msd_review.errors import ConfigError

_NAME = "msd"


def server_program(*, called: str, python: str, path: str | None, project: Path | None) -> tuple[str, ...]:
    """The words that start msd. `called` is the program's own first argument, `python` its interpreter.

    Raises ConfigError where the path cannot be written into a settings file.
    """
    own = _own(called, python)
    if own is None:
        # -P: a host starts it in the project, whose own msd_review.py would come first otherwise.
        return _writable((python, "-P", "-m", "msd_review"))
    known = programs.find_binary(_NAME, path=path, repo_root=project)
    is_known = known is not None and os.path.realpath(known) == os.path.realpath(own)
    return _writable((str(known if is_known else own),))


def _own(called: str, python: str) -> Path | None:
    script = Path(called)
    beside = Path(python).with_name(_NAME + ".exe" if os.name == "nt" else _NAME)
    candidates = (script, beside) if script.is_absolute() and script.stem == _NAME else (beside,)
    return next((one for one in candidates if one.is_file()), None)


def _writable(words: tuple[str, ...]) -> tuple[str, ...]:
    try:
        "".join(words).encode()
    except UnicodeEncodeError:
        raise ConfigError(
            f"the path of msd, {words[0]!r}, is not UTF-8: no settings file can hold it"
        ) from None
    return words

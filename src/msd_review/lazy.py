"""Regular expressions that are compiled when they are first used.

Reading reviews, plans and errors takes hundreds of them, and compiling all at import would cost every
command line about three times what a whole dry run needs. A source that does not compile is found at first
use; a test compiles every one.
"""

import re
from typing import Any, AnyStr, cast


class LazyPattern:
    """Stands in for `re.Pattern`; each method asked for is kept as an attribute, so later calls are direct."""

    def __init__(self, source: str | bytes, flags: int) -> None:
        self.pattern = source
        self._flags = flags

    def __getattr__(self, name: str) -> Any:
        value = getattr(re.compile(self.pattern, self._flags), name)
        setattr(self, name, value)
        return value


def regex(source: AnyStr, flags: int = 0) -> re.Pattern[AnyStr]:
    """What `re.compile` returns, compiled at its first use. For module constants; call its methods, do not
    hand it to a function of `re`."""
    return cast("re.Pattern[AnyStr]", LazyPattern(source, flags))

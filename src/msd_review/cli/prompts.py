"""Questions to a person: asked on a terminal alone, never answered for them."""

import sys
from collections.abc import Sequence
from dataclasses import dataclass

import click


@dataclass(frozen=True, slots=True)
class Terminal:
    """Whether a person sits here, and what they answer."""

    may_ask: bool

    @property
    def there(self) -> bool:
        """True when both ends are a terminal and asking is allowed."""
        return self.may_ask and sys.stdin.isatty() and sys.stderr.isatty()

    def ask_who_may_receive(self, receivers: Sequence[str]) -> bool | None:
        """Asks once who may receive plans on this machine; None where nobody can be asked."""
        return self._ask_who("Send this plan to", receivers)

    def ask_who_may_review(self, receivers: Sequence[str]) -> bool | None:
        """The same for the review of a change."""
        return self._ask_who("Let this change be reviewed by", receivers)

    def _ask_who(self, question: str, receivers: Sequence[str]) -> bool | None:
        if not self.there:
            return None
        return click.confirm(f"{question}: {', '.join(receivers)}?", default=True, err=True)

    def ask_no_by_default(self, question: str) -> bool | None:
        """A question whose safe answer is no; None where nobody can be asked."""
        if not self.there:
            return None
        return click.confirm(question, default=False, err=True)

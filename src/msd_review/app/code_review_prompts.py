"""The prompts of a code review: one for each place to work, never cut to fit a budget."""

from msd_review.app.workplaces import Workplace
from msd_review.change.model import Change, Depth
from msd_review.change.prompt import change_prompt
from msd_review.outcomes import Reason
from msd_review.prompt.budget import effective_budget
from msd_review.prompt.model import BudgetTooSmall, Prompt, ReviewSubject

_HERE = "."  # in a copy the root is the folder that the reviewer starts in, whatever it is called


class ChangePrompts:
    """A change's prompts by the root that a reviewer sees. A budget that one does not fit is told, not met by cutting."""

    too_large = Reason.PROMPT_TOO_LARGE

    def __init__(self, *, change: Change, depth: Depth, plan: ReviewSubject | None = None) -> None:
        self.change, self.depth, self.plan = change, depth, plan
        self.by_root: dict[str, Prompt] = {}

    def get(self, budget: int | None, at: Workplace) -> tuple[str, Prompt | BudgetTooSmall]:
        """The prompt's file name and the prompt."""
        root = str(at.folder) if at.copy is None else _HERE
        if root not in self.by_root:
            self.by_root[root] = change_prompt(self.change, depth=self.depth, root=root, plan=self.plan)
        prompt = self.by_root[root]
        name = f"prompt-{list(self.by_root).index(root) + 1}.md"
        if budget is None or prompt.tokens <= effective_budget(budget):
            return name, prompt
        return name, too_large(prompt, budget)


def too_large(prompt: Prompt, budget: int) -> BudgetTooSmall:
    """The refusal of a prompt that a budget has no room for."""
    detail = (
        f"the prompt is about {prompt.tokens:,} tokens, and a budget of {budget:,} leaves room for"
        f" {effective_budget(budget):,}; a source review is never cut"
    )
    return BudgetTooSmall(tokens=prompt.tokens, budget=budget, detail=detail)

"""How plans say things: one claim a line, in many wordings, none of them told apart by the product's own rules."""

PATH = (
    "Update `{path}` to handle empty input.",
    "Modify `{path}` so that failures are logged.",
    "Extend the logic in `{path}` with a second pass.",
    "The current implementation lives in `{path}`.",
    "See `{path}` for the existing pattern.",
    "Follow the conventions of `{path}`.",
    "Refactor `{path}`: the long function becomes two.",
    "In `{path}`, replace the manual loop by a single call.",
    "`{path}` already holds the types that are needed.",
    "Import what is needed from `{path}`.",
    "Read `{path}` before starting.",
    "Fix the off-by-one error in `{path}`.",
    "Mirror the structure of `{path}` here.",
    "Edit {path} and adjust the imports.",
    "Remove the dead branch from `{path}`.",
    "Keep `{path}` backwards compatible.",
    "**{path}**: tighten the error handling of the existing code.",
    "Rename the private helpers of [`{path}`]({path}).",
    "Do the same as `{path}` does today.",
    "Move the constants out of `{path}`.",
)
LINES = (
    "The check at `{path}:{line}` is wrong for empty input.",
    "Look at `{path}:{first}-{last}` for the retry loop.",
    "The loop in `{path}` (lines {first}-{last}) is quadratic.",
    "See lines {first}-{last} of `{path}`.",
    "Replace the branch at {path}:{line} by a guard.",
    "`{path}` line {line} swallows the error.",
    "Delete the code at `{path}:{first}-{last}`.",
    "The bug is in `{path}:{line}`.",
)
SYMBOL = (
    "Call `{symbol}()` from `{path}` here.",
    "Extend `{symbol}` in `{path}` by one more case.",
    "`{path}` defines `{symbol}`, which stays as it is.",
    "Reuse the existing `{symbol}` of `{path}`.",
    "The function `{symbol}()` in `{path}` returns too early.",
    "Use `{symbol}` (defined in `{path}`) for this.",
    "In `{path}`, change `{symbol}()` so that it stops at the first error.",
    "Inside `{path}`, `{symbol}` is called twice.",
    "`{path}::{symbol}` needs a guard.",
    "Wrap `{symbol}` from `{path}` in a retry.",
    "Modify `{symbol}` in `{path}` to accept an empty value.",
    "`{symbol}` in `{path}` is the only caller.",
    "Refactor `{symbol}()` (in `{path}`) into smaller steps.",
    "Rename nothing: `{symbol}` of `{path}` keeps its name.",
    "The existing `{symbol}` in `{path}` already does this.",
    "Follow how `{symbol}` in `{path}` handles errors.",
)
SYMBOL_AT = (
    "`{symbol}` is defined at `{path}:{line}`.",
    "`{symbol}()` (`{path}:{line}`) does the work.",
    "See `{symbol}` at `{path}:{line}`.",
    "The definition of `{symbol}` at {path}:{line} is the one to change.",
    "`{path}:{line}` defines `{symbol}`.",
)
SIGNATURE = (
    "The signature stays `{declared}` in `{path}`.",
    "`{declared}` in `{path}` keeps its signature.",
    "Keep the existing signature `{declared}` of `{path}`.",
)
COMMAND = (
    "`{command}` passes.",
    "Run `{command}` and see that it succeeds.",
    "{command}",
)
# True statements that no check may mistake for a fault.
INNOCENT = (
    "Add a function `{new}` to `{path}`.",
    "Create `{new_path}` with a class `{New}`.",
    "Write tests for `{new}` in `{new_path}`.",
    "Introduce `{new}()` beside `{symbol}` in `{path}`.",
    "Rename `{symbol}` to `{new}` in `{path}`.",
    "There is no `{new}` in `{path}` yet.",
    "Extract `{new}` out of `{symbol}` in `{path}`.",
    "Use `json.dumps()` and `os.replace()` for writing.",
    "If `{new_path}` does not exist, create it.",
    "`{new}(value, limit)` is a new helper that returns a list.",
    "Do not add `{new}` to `{path}`.",
    "Store the result in `~/.cache/app/result.json` and `/tmp/out.txt`.",
    "The new module `{new_path}` exports `{new}` and `{New}`.",
    "Add the option `--{option}` and the key `{new}` to the configuration.",
    'Return HTTP 404 with `{{"error": "not found"}}` for an unknown id.',
    "Generate `dist/bundle.js` with the build.",
)

"""What every HTML page of ours shares: one file that needs no network, whose own style and script alone may run.

Invariant: a template writes whatever it is given as escaped text without control or direction-changing characters;
only `Markup` goes in as it is, and only texts of this package are `Markup`.
"""

import base64
import hashlib
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING

from markupsafe import Markup

from msd_review.report.text import visible

if TYPE_CHECKING:
    from jinja2 import Environment


def policy(style: str, script: str) -> str:
    """The content security policy of a page that runs this style and this script, by their hashes, and nothing else."""
    return (
        "default-src 'none'; base-uri 'none'; form-action 'none'; img-src data:;"
        f" style-src 'sha256-{_digest(style)}'; script-src 'sha256-{_digest(script)}'"
    )


@cache
def asset(package: str, name: str) -> str:
    """The text of a file in a package's `templates` folder."""
    return resources.files(package).joinpath("templates", name).read_text(encoding="utf-8")


@cache
def environment(package: str) -> "Environment":
    """Where the templates of a package are found and filled in."""
    # Loading jinja2 takes longer than most runs of this package; only a page that is written pays for it.
    from jinja2 import Environment, PackageLoader, StrictUndefined

    return Environment(
        loader=PackageLoader(package, "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_visible,
        trim_blocks=True,
        lstrip_blocks=True,
    )


def _digest(text: str) -> str:
    return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def _visible(value: object) -> object:
    """Whatever the template writes, without control and direction-changing characters."""
    return visible(value) if isinstance(value, str) and not isinstance(value, Markup) else value

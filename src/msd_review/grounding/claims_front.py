"""Claims in a plan's front matter and file lists: files it changes, artifacts, links, requirements, dependencies.

Pure. Values of the wrong shape give no claim.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from msd_review.grounding.plan import Plan
from msd_review.lazy import regex
from msd_review.prompt.requirements import FRONT_KEYS, ids_of_front

_NEW = regex(r"\b(?:new|create[sd]?|to be created|add(?:ed)?|generated)\b", re.IGNORECASE)
_CHANGED = regex(
    r"\b(?:modif\w+|existing|update[sd]?|edit(?:ed)?|extend(?:ed)?|change[sd]?|delete[sd]?|remove[sd]?)\b",
    re.I,
)
_MAX_ITEMS = 2_000


@dataclass(frozen=True, slots=True, kw_only=True)
class FileEntry:
    """One entry of `files_modified` or `<files>`; `note` is "new" or "changed" where the entry says so."""

    path: str
    line: int
    task: int | None
    note: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Artifact:
    """One entry of `must_haves.artifacts`."""

    path: str
    line: int
    contains: str = ""
    provides: str = ""
    exports: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyLink:
    """One entry of `must_haves.key_links`."""

    source: str
    target: str
    line: int
    via: str = ""
    pattern: str = ""


def file_entries(plan: Plan) -> tuple[FileEntry, ...]:
    """Every file that the plan lists as its own, front matter first. Globs, folders and notes alone are left out."""
    found = list(_front_files(plan))
    for segment in plan.within("files"):
        found += _listed(plan.said(segment), plan, segment.start, segment.task)
    return tuple(found[:_MAX_ITEMS])


def _front_files(plan: Plan) -> Iterator[FileEntry]:
    for key in ("files_modified", "files_created", "files"):
        value = plan.front.get(key)
        items = value if isinstance(value, list) else [value] if isinstance(value, str) else []
        for item in items[:_MAX_ITEMS]:
            entry = _entry(item) if isinstance(item, str) else None
            if entry is not None:
                note = entry[1] or ("new" if key == "files_created" else "")
                yield FileEntry(path=entry[0], line=plan.front_line(key, entry[0]), task=None, note=note)


def _listed(text: str, plan: Plan, start: int, task: int | None) -> Iterator[FileEntry]:
    for match in re.finditer(r"[^,\n]+(?:\([^()\n]*\))?", text):
        entry = _entry(match.group())
        if entry is not None:
            at = start + match.start() + max(0, match.group().find(entry[0]))
            yield FileEntry(path=entry[0], line=plan.line_at(at), task=task, note=entry[1])


def _entry(text: str) -> tuple[str, str] | None:
    """A path and its note out of `- src/a.py (new)`, `` `src/a.py` — create ``, `NEW: src/a.py`."""
    text = re.sub(r"^(?:\d{1,3}[.)]|\[[ xX]\])\s+", "", text.strip().lstrip("-*+ \t"))
    match = re.match(
        r"(?:(?P<lead>[A-Za-z ]{2,20}):\s+)?[`\"'*]{0,3}(?P<path>[\w./@+~\[\]()$%-]{1,300}?)[`\"'*:]{0,4}(?:\s+(?P<note>.{0,300}))?$",
        text,
    )
    if match is None or not re.search(r"[./]", match["path"]) or re.search(r"[*?{}<>$]", match["path"]):
        return None
    path = match["path"].split(":")[0].strip("()").rstrip(",;")
    if path.endswith("/") or not re.search(r"\w", path):
        return None
    remark = f"{match['lead'] or ''} {match['note'] or ''}"
    note = (
        "new"
        if _NEW.search(remark) and not _CHANGED.search(remark)
        else "changed"
        if _CHANGED.search(remark)
        else ""
    )
    return path.removeprefix("./"), note


def artifacts(plan: Plan) -> tuple[Artifact, ...]:
    """The artifacts that the plan promises."""
    return tuple(
        Artifact(
            path=path.strip().removeprefix("./"),
            line=plan.front_line("artifacts", path),
            contains=_text(item.get("contains")),
            provides=_text(item.get("provides")),
            exports=tuple(_text(name) for name in _list(item.get("exports")) if _text(name)),
        )
        for item in _mappings(plan, "artifacts")
        if (path := _text(item.get("path")))
    )


def key_links(plan: Plan) -> tuple[KeyLink, ...]:
    """The links between files that the plan promises."""
    return tuple(
        KeyLink(
            source=_text(item.get("from")),
            target=_text(item.get("to")),
            line=plan.front_line("key_links", _text(item.get("pattern")) or _text(item.get("from"))),
            via=_text(item.get("via")),
            pattern=_text(item.get("pattern")),
        )
        for item in _mappings(plan, "key_links")
    )


def requirement_ids(plan: Plan) -> tuple[tuple[str, int], ...]:
    """The requirements that the front matter names, with their lines."""
    key = next((key for key in FRONT_KEYS if key in plan.front), FRONT_KEYS[0])
    return tuple((name, plan.front_line(key, name)) for name in ids_of_front(plan.front)[:_MAX_ITEMS])


def dependencies(plan: Plan) -> tuple[tuple[str, int], ...]:
    """What `depends_on` names, as written, with lines; `none`, `[]` and blanks are nothing."""
    value = plan.front.get("depends_on")
    items = value if isinstance(value, list) else re.split(r"[,\s]+", value) if isinstance(value, str) else []
    names = [str(item).strip().strip("\"'") for item in items[:_MAX_ITEMS] if isinstance(item, str)]
    return tuple(
        (name, plan.front_line("depends_on", name))
        for name in names
        if name and name.lower() not in {"none", "null", "n/a", "-", "[]", "~"}
    )


def _mappings(plan: Plan, key: str) -> list[Mapping[str, Any]]:
    must = plan.front.get("must_haves")
    items = must.get(key) if isinstance(must, dict) else None
    return [item for item in _list(items)[:_MAX_ITEMS] if isinstance(item, dict)]


def _list(value: object) -> list[Any]:
    return value if isinstance(value, list) else []


def _text(value: object) -> str:
    return value.strip()[:1_000] if isinstance(value, str) else ""

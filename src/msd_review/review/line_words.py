"""Lines that are told beside a path in words: "lines 12-40", "(line 12)", "Zeilen 4 bis 9", "の42行目", "line=42".

Pure reading of the few characters in front of and behind a path; lines are 1-based, and a line 0 is none.
"""

import re

from msd_review.lazy import regex

LineRange = tuple[int, int | None]

_WORD = r"(?:lines?|ll?\.|L|at line|around line|near line|行|第|строк[аи]|líneas?|linhas?|lignes?|zeilen?|z\.|dòng|줄|라인)"
_LEAD = r"(?:~|at |on |around |about |near |see |ca\. |from |between |starting (?:at|on|from) |beginning (?:at|on|from) |ab |à la |en la |na |auf |in )"
_TO = r"(?:[-–—~〜～]|to|through|thru|until|till|up to|and (?:going )?(?:on )?(?:until|to)|bis|à|au|a|hasta|até|đến|から|至|到)"
_AFTER = regex(
    rf"[`*\])\"'”’]{{0,3}}[,;]?\s{{0,2}}[(（\[|]?\s?(?:\*\*)?{_LEAD}?{_WORD}(?:\*\*)?\s?~?[:：=]?(?:\*\*)?\s?~?(?P<first>\d{{1,7}})(?:\s?{_TO}\s?L?(?P<last>\d{{1,7}}))?(?P<more>(?:\s?(?:,|and|und|et|y|e|&|/|\+)\s?(?:lines? )?\d{{1,7}}(?:[-–]\d{{1,7}})?){{0,12}})(?:\s?(?:行|번째 줄))?\s?[)）\]]?",
    re.IGNORECASE,
)
_BEHIND = regex(
    r"`{0,3}(?:\s?[（(]?\s?(?:の|的|의|,|、)?\s?第?\s?(?P<first>\d{1,7})(?:\s?[-–—~〜～]\s?(?P<last>\d{1,7}))?\s?(?:行目?|번째\s?(?:줄|행)|번\s?줄|줄|행)"
    r"|\s?[@+]\s?(?P<opened>\d{1,7})(?!\w)|\[(?P<indexed>\d{1,7})(?:-(?P<upto>\d{1,7}))?\](?!\()|\((?P<called>\d{1,7})(?:[,-](?P<until>\d{1,7}))?\)|`?:[`~]{1,2}(?P<coded>\d{1,7})(?:[-–](?P<end>\d{1,7}))?`?)"
)
_FIELD = regex(
    r"[\"'`]?\s?[,;|]?\s{0,2}[\"']?(?:start_?line|line_?start|from_?line|line_?number|line_?no|lines?)[\"']?\s?[=:]\s?[\"']?(?P<first>\d{1,7})(?:\s?[-–]\s?(?P<last>\d{1,7}))?[\"']?"
    r"(?:\s?[,;|]?\s?[\"']?(?:end_?line|line_?end|to_?line)[\"']?\s?[=:]\s?[\"']?(?P<end>\d{1,7})[\"']?)?",
    re.IGNORECASE,
)
_BEFORE = regex(
    rf"(?:\b(?:lines?|ll?\.|zeilen?|lignes?|líneas?|linhas?|dòng|строк[аи])\s?(?P<first>\d{{1,7}})(?:\s?{_TO}\s?L?(?P<last>\d{{1,7}}))?\s(?:of|in|from|von|de|du|del|da|do|в|trong|của)|第\s?(?P<at>\d{{1,7}})\s?行[の的]?)\s?(?:(?:the|der|file|le|fichier|datei)\s){{0,2}}[`*\[(\"]{{0,3}}$",
    re.IGNORECASE,
)
_ONE_RANGE = regex(r"(\d{1,7})(?:[-–]L?(\d{1,7}))?")


_FIRSTS = ("first", "called", "coded", "opened", "indexed")
_LASTS = ("last", "until", "end", "upto")


def ranges_in(text: str) -> list[LineRange]:
    """Every "4" and "4-9" of a short text."""
    return [(int(found[1]), int(found[2]) if found[2] else None) for found in _ONE_RANGE.finditer(text)]


def lines_after(text: str) -> tuple[list[LineRange], int] | None:
    """The lines that the text right behind a path gives, and how many characters that takes."""
    found = _AFTER.match(text) or _BEHIND.match(text) or _FIELD.match(text)
    if found is None:
        return None
    groups = found.groupdict()
    first = next((groups[name] for name in _FIRSTS if groups.get(name)), "0")
    last = next((groups[name] for name in _LASTS if groups.get(name)), None)
    if int(first) == 0:
        return None
    if groups.get("called"):
        last = None  # `a.c(42,7)`: a line and a column
    return [range_of(first, last), *ranges_in(groups.get("more") or "")], found.end()


def lines_before(text: str) -> LineRange | None:
    """`lines 12-40 of` in front of a path."""
    found = _BEFORE.search(text)
    first = (found["first"] or found["at"]) if found else None
    if found is None or first is None or int(first) == 0:
        return None
    return range_of(first, found["last"])


def range_of(first: str, last: str | None) -> LineRange:
    """Two written numbers as a range; one that ends before it starts is its start alone."""
    start, end = int(first), int(last) if last else None
    return start, end if end is not None and end >= start else None

"""The summary page: what it says, how large it gets, and that nothing in it leads or runs elsewhere."""

import re
from html.parser import HTMLParser
from typing import Any

import pytest

from msd_review.fleet.summary import LISTED, add, empty
from msd_review.fleet.summary_cells import link, text_beside
from msd_review.fleet.summary_page import page
from tests.fleet_summary_samples import failed_lane, folded, lane, many, not_done, outcome, reviewed


class _Page(HTMLParser):
    """The tables of a page as texts, by id, with every attribute that was met."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tables: dict[str, list[list[str]]] = {}
        self.attributes: list[tuple[str, str, str]] = []
        self.notes: list[str] = []
        self._rows: list[list[str]] = []
        self._in: str = ""
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = {name: value or "" for name, value in attrs}
        self.attributes += [(tag, name, value) for name, value in found.items()]
        if tag == "section":
            self._rows = self.tables.setdefault(found["id"], [])
        if tag == "tr":
            self._rows.append([])
        if tag in {"th", "td"}:
            self._rows[-1].append("")
        if found.get("class") == "note":
            self.notes.append("")
        self._in = "note" if found.get("class") == "note" else tag if tag in {"th", "td"} else self._in

    def handle_endtag(self, tag: str) -> None:
        if tag in {"th", "td", "p"}:
            self._in = ""

    def handle_data(self, data: str) -> None:
        if self._in in {"th", "td"}:
            self._rows[-1][-1] += data
        if self._in == "note":
            self.notes[-1] += data


def shown(*pairs: Any, submitted: int | None = None) -> _Page:
    return _Page(page(folded(*pairs), submitted=submitted))


def test_a_page_has_a_table_for_all_that_there_is_to_say_and_none_for_what_there_is_not() -> None:
    everything = shown(*many(40))
    assert list(everything.tables) == [
        "repositories",
        "agreement",
        "pairs",
        "failures",
        "item-reasons",
        "usage",
        "slowest-items",
        "slowest-lanes",
        "workers",
        "not-done",
        "reports",
    ]
    assert list(shown((outcome("a", lane(seconds=0, worker=None)), None)).tables) == ["repositories", "usage"]


def test_a_page_of_nothing_is_a_page() -> None:
    assert "0 items" in page(empty(), submitted=3)


def test_rates_tokens_and_cost_that_are_not_known_say_so() -> None:
    told = shown((outcome("a", lane("codex", input_tokens=1200), lane("gemini")), reviewed("codex")))
    assert told.tables["agreement"][1] == ["codex", "unknown", "unknown", "1", "0", "0", "1"]
    assert told.tables["usage"][1:] == [
        ["codex", "1", "1", "1,200", "unknown", "unknown", "2.0 s"],
        ["gemini", "1", "1", "unknown", "unknown", "unknown", "2.0 s"],
        ["all", "2", "2", "1,200 (known of 1 of 2)", "unknown", "unknown", "4.0 s"],
    ]


def test_the_matrix_says_of_how_many_concerns_each_share_is() -> None:
    told = shown((outcome("a"), reviewed("codex", "gemini")))
    assert told.tables["pairs"] == [
        ["Reviewer", "codex", "gemini"],
        ["codex", "", "100% of 1"],
        ["gemini", "100% of 1", ""],
    ]


def test_a_repository_without_a_report_shows_dashes_and_not_nought() -> None:
    told = shown((not_done("a"), None))
    assert told.tables["repositories"][1] == ["/srv/app", "–", "–", "–", "–", "0", "0", "1", "0", "1", "0"]


def test_failures_name_the_reviewers_that_met_them() -> None:
    lanes = [failed_lane(f"r{at}") for at in range(10)]
    assert shown((outcome("a", *lanes), None)).tables["failures"][1] == [
        "quota",
        "failed",
        "10",
        "r0 1, r1 1, r2 1, r3 1, r4 1, r5 1, r6 1, r7 1, and 2 more",
    ]


def test_what_waits_and_what_could_not_be_read_is_said() -> None:
    assert shown((outcome("a"), {}), submitted=3).notes == [
        "Not finished: 2 items have not been reviewed yet; start it again with the same folder to go on.",
        "The reports of 1 items could not be read; what they found is not counted here.",
    ]


def test_every_item_links_to_its_own_report() -> None:
    told = shown((outcome("a"), reviewed("codex")))
    links = [
        value for tag, name, value in told.attributes if (tag, name) == ("a", "href") and value[0] != "#"
    ]
    assert set(links) == {"./items/a/REVIEWS.md", "./items/a/REVIEWS.json"}


@pytest.mark.parametrize(
    ("path", "address"),
    [
        ("items/a/REVIEWS.json", "./items/a/REVIEWS.json"),
        ("javascript:alert(1)", "./javascript%3Aalert%281%29"),
        ("items/a b?#/é.json", "./items/a%20b%3F%23/%C3%A9.json"),
        ("items//./x.json", "./items/x.json"),
        ("/etc/passwd", None),
        ("//h.test/x", None),
        ("../x", None),
        ("items/../../x", None),
        ("items\\..\\x", None),
        ("items/\x00", None),
        ("items/\u202ex", None),
        ("", None),
        (None, None),
        (7, None),
    ],
)
def test_a_link_leads_below_the_folder_or_nowhere(path: object, address: str | None) -> None:
    assert link(path) == address


def test_the_markdown_beside_a_report_is_named_like_it() -> None:
    assert (text_beside("items/a/REVIEWS.json"), text_beside("../x.json"), text_beside("items/a/x")) == (
        "./items/a/REVIEWS.md",
        None,
        None,
    )


def test_hostile_words_stay_text() -> None:
    hostile = '"><script>alert(1)</script><img src=x onerror=alert(1)>\x1b[2J\u202e'
    lanes = (lane(hostile, worker=hostile), failed_lane(hostile, hostile))
    one = not_done("a", hostile, repository=hostile, message=hostile, lanes=lanes)
    two = outcome("b", repository=hostile, document=f"items/{hostile}/x.json")
    text = page(folded((one, None), (two, reviewed(hostile, "gemini"))))
    assert text.count("<script>") == 1 and "<img" not in text
    assert "\x1b" not in text and "\u202e" not in text
    assert {tag for tag, name, _ in _Page(text).attributes if name.startswith("on")} == set()


def test_the_policy_lets_only_the_pages_own_style_and_script_run() -> None:
    text = page(empty())
    policy = re.search(r'http-equiv="Content-Security-Policy" content="([^"]+)"', text)
    assert policy is not None
    assert (
        policy[1]
        .replace("&#39;", "'")
        .startswith(
            "default-src 'none'; base-uri 'none'; form-action 'none'; img-src data:; style-src 'sha256-"
        )
    )
    assert "unsafe" not in policy[1] and "http" not in text.replace("http-equiv", "")


def test_the_page_of_two_thousand_items_lists_every_one_and_stays_below_two_megabytes() -> None:
    pairs = list(many(2_000))
    told = page(folded(*pairs), submitted=2_000)
    assert len(told.encode()) < 2_000_000
    parsed = _Page(told)
    listed = [row[0].split()[0] for name in ("not-done", "reports") for row in parsed.tables[name][1:]]
    assert sorted(listed) == [one.item_id for one, _ in pairs]


def test_a_page_of_more_items_is_cut_and_says_so() -> None:
    summary = empty()
    for number in range(LISTED + 10):
        bad = "\U0001f600" * 400
        add(summary, not_done(f"item-{number:05d}", repository=f"/srv/{number}/{bad}", message=bad), None)
    text = page(summary)
    assert len(text.encode()) < 12_000_000
    told = _Page(text)
    assert (len(told.tables["not-done"]), len(told.tables["repositories"])) == (LISTED + 1, 501)
    assert told.notes == [
        "The 500 repositories with the worst concerns are shown; summary.json lists 2,010.",
        "2,000 of 2,010 are listed, those first by id; journal.jsonl names all of them.",
    ]


def test_the_same_summary_gives_the_same_bytes() -> None:
    pairs = list(many(60))
    assert page(folded(*pairs)) == page(folded(*reversed(pairs)))

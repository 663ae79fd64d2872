from collections.abc import Iterator

import pytest

from msd_review.report.html import render_html
from msd_review.report.model import ReviewReport
from msd_review.review.model import Severity
from tests.chromium import Chromium, opened
from tests.report_samples import GOOD, MOVED, cluster, consensus, failed_reviewer, finding, report, reviewer

pytestmark = pytest.mark.needs_browser

HOSTILE = '</pre></script><script>window.hacked = 1</script><img src="http://203.0.113.1/x" onerror="window.hacked = 1">'


def sample() -> ReviewReport:
    codex = reviewer(
        "codex",
        HOSTILE,
        findings=(
            finding("codex", 1, body=HOSTILE, citations=(GOOD,)),
            finding("codex", 2, title="No rollback", severity=Severity.LOW, citations=(MOVED,)),
        ),
    )
    gemini = reviewer("gemini", findings=(finding("gemini", 1, severity=Severity.MEDIUM, title=HOSTILE),))
    clusters = (
        cluster(
            "codex", "gemini", title=HOSTILE, severities={"codex": Severity.HIGH, "gemini": Severity.MEDIUM}
        ),
        cluster("codex", id="C-2", title="No rollback", severity=Severity.LOW, finding_ids=("codex-2",)),
        cluster("gemini", id="C-3", title="Gone", finding_ids=(), status="resolved", closed_in_cycle=2),
    )
    return report(
        codex,
        gemini,
        failed_reviewer(stderr_tail=(HOSTILE,)),
        consensus=consensus(*clusters, identities=("codex", "gemini")),
        sources={"src/app.py:12": f"> 12  {HOSTILE}"},
        cycle=2,
    )


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Chromium]:
    folder = tmp_path_factory.mktemp("browser")
    page = folder / "03 REVIEWS.html"
    page.write_text(render_html(sample()), encoding="utf-8")
    with opened(page, folder) as running:
        yield running


@pytest.fixture(autouse=True)
def everything_is_shown_again(browser: Chromium) -> Iterator[None]:
    yield
    browser.run("document.querySelector('button[type=reset]').click()")
    browser.run("new Promise((done) => setTimeout(done, 20))")
    browser.run("document.querySelectorAll('details').forEach((node) => { node.open = false; })")


def shown(browser: Chromium) -> list[str]:
    names: list[str] = browser.run(
        "[...document.querySelectorAll('article')].filter((n) => n.offsetParent).map((n) => n.id)"
    )
    rows = browser.run(
        "[...document.querySelectorAll('tbody tr')].filter((n) => n.offsetParent).map((n) => n.dataset.for)"
    )
    assert rows == names
    return names


def choose(browser: Chromium, name: str, value: str) -> None:
    browser.run(
        f"(() => {{ const field = document.querySelector('select[name={name}]'); field.value = '{value}';"
        " field.dispatchEvent(new Event('input', {bubbles: true})); })()"
    )


def test_the_page_asks_for_nothing_outside_and_logs_no_error(browser: Chromium) -> None:
    assert {url.split(":")[0] for url in browser.requests} <= {"file", "data"}
    assert browser.problems == []


def test_hostile_text_runs_nothing_and_is_shown(browser: Chromium) -> None:
    assert browser.run("typeof window.hacked") == "undefined"
    assert browser.run("document.images.length") == 0
    assert browser.run("document.querySelector('#c1 h3').textContent").endswith(HOSTILE)


def test_all_concerns_are_shown_at_first(browser: Chromium) -> None:
    assert shown(browser) == ["c1", "c2", "c3"]
    assert browser.run("document.getElementById('shown').textContent") == "3 of 3 shown"


@pytest.mark.parametrize(
    ("name", "value", "left"),
    [
        ("reviewer", "gemini", ["c1", "c3"]),
        ("status", "resolved", ["c3"]),
        ("file", "src/app.py", ["c1", "c2"]),
        ("reviewer", "claude", []),
    ],
)
def test_filters_leave_what_matches(browser: Chromium, name: str, value: str, left: list[str]) -> None:
    choose(browser, name, value)
    assert shown(browser) == left
    assert browser.run("document.getElementById('shown').textContent") == f"{len(left)} of 3 shown"


def test_a_click_on_a_severity_hides_it(browser: Chromium) -> None:
    browser.run("document.querySelector('input[value=high]').click()")
    assert shown(browser) == ["c2"]


def test_the_keyboard_reaches_and_works_the_filters_and_citations(browser: Chromium) -> None:
    browser.run("document.querySelector('input[value=low]').focus()")
    browser.press(" ", 32, " ")
    assert shown(browser) == ["c1", "c3"]
    browser.press("Tab", 9)
    assert browser.run("document.activeElement.value") == "unrated"
    assert browser.run("getComputedStyle(document.activeElement).outlineStyle") == "solid"
    browser.run("document.querySelector('#c1 summary').focus()")
    browser.press("Enter", 13, "\r")
    assert browser.run("document.querySelector('#c1 details').open") is True
    assert browser.run("document.querySelector('#c1 pre').textContent") == f"> 12  {HOSTILE}"


def test_a_link_to_a_hidden_concern_shows_it_again(browser: Chromium) -> None:
    choose(browser, "status", "resolved")
    browser.run("location.hash = '#c1-2'; new Promise((done) => setTimeout(done, 50))")
    assert shown(browser) == ["c1", "c2", "c3"]


def test_dark_mode_turns_the_page_dark(browser: Chromium) -> None:
    background = "getComputedStyle(document.body).backgroundColor"
    light = browser.run(background)
    browser.send("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": "dark"}])
    assert (light, browser.run(background)) == ("rgb(255, 255, 255)", "rgb(22, 24, 29)")
    browser.send("Emulation.setEmulatedMedia", features=[])


def test_print_has_no_filters_and_opens_every_citation(browser: Chromium) -> None:
    browser.run("dispatchEvent(new Event('beforeprint'))")
    browser.send("Emulation.setEmulatedMedia", media="print")
    assert browser.run("document.getElementById('filters').offsetParent === null")
    assert browser.run("[...document.querySelectorAll('details')].every((node) => node.open)")
    browser.send("Emulation.setEmulatedMedia", media="")
    browser.run("dispatchEvent(new Event('afterprint'))")
    assert not browser.run("[...document.querySelectorAll('details')].some((node) => node.open)")
    assert browser.send("Page.printToPDF")["data"]

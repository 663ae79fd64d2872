from collections.abc import Iterator

import pytest

from msd_review.fleet.summary_page import page
from tests.chromium import Chromium, opened
from tests.fleet_summary_samples import failed_lane, folded, lane, not_done, outcome, reviewed

pytestmark = pytest.mark.needs_browser

HOSTILE = '</td></script><script>window.hacked = 1</script><img src="http://203.0.113.1/x" onerror="window.hacked = 1">'


def sample() -> str:
    return page(
        folded(
            (
                outcome("alpha", lane(seconds=3, input_tokens=9), lane("gemini", seconds=20)),
                reviewed("codex", "gemini"),
            ),
            (
                outcome("beta", lane(seconds=100, input_tokens=1000), repository=HOSTILE),
                reviewed("codex", HOSTILE),
            ),
            (
                not_done(
                    "gamma", HOSTILE, message=HOSTILE, lanes=(failed_lane(HOSTILE, HOSTILE, worker=HOSTILE),)
                ),
                None,
            ),
            (outcome("delta", document=f"javascript:{HOSTILE}"), reviewed("codex")),
        ),
        submitted=9,
    )


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Chromium]:
    folder = tmp_path_factory.mktemp("browser")
    written = folder / "summary.html"
    written.write_text(sample(), encoding="utf-8")
    with opened(written, folder) as running:
        yield running


@pytest.fixture(autouse=True)
def everything_is_shown_again(browser: Chromium) -> Iterator[None]:
    yield
    browser.run("document.querySelector('button[type=reset]').click()")
    browser.run("new Promise((done) => setTimeout(done, 20))")


def column(browser: Chromium, table: str, at: int) -> list[str]:
    found: list[str] = browser.run(
        f"[...document.querySelectorAll('#{table} tbody tr')].filter((n) => n.offsetParent)"
        f".map((n) => n.cells[{at}].textContent)"
    )
    return found


def search(browser: Chromium, text: str) -> None:
    browser.run(
        f"(() => {{ const field = document.querySelector('input[name=text]'); field.value = '{text}';"
        " field.dispatchEvent(new Event('input', {bubbles: true})); })()"
    )


def press_heading(browser: Chromium, table: str, at: int) -> str | None:
    browser.run(f"document.querySelectorAll('#{table} thead button')[{at}].focus()")
    browser.press("Enter", 13, "\r")
    sorted_by: str | None = browser.run(
        f"document.querySelectorAll('#{table} thead th')[{at}].getAttribute('aria-sort')"
    )
    return sorted_by


def test_the_page_asks_for_nothing_outside_and_logs_no_error(browser: Chromium) -> None:
    assert {url.split(":")[0] for url in browser.requests} <= {"file", "data"}
    assert browser.problems == []


def test_hostile_text_runs_nothing_and_is_shown(browser: Chromium) -> None:
    assert browser.run("typeof window.hacked") == "undefined"
    assert browser.run("document.images.length") == 0
    assert HOSTILE in column(browser, "repositories", 0)


def test_every_link_stays_below_the_folder_of_the_page(browser: Chromium) -> None:
    links = browser.run("[...document.links].map((n) => n.href)")
    here = browser.run("location.href").rpartition("/")[0]
    assert links and all(one.startswith(f"{here}/") for one in links)
    assert f"{here}/items/alpha/REVIEWS.md" in links


def test_a_search_leaves_the_rows_that_match_and_counts_them(browser: Chromium) -> None:
    search(browser, "ALPHA")
    assert (column(browser, "reports", 0), column(browser, "not-done", 0)) == (["alpha JSON"], [])
    assert browser.run("document.getElementById('not-done').offsetParent === null")
    assert browser.run("document.getElementById('shown').textContent").startswith("4 of ")


def test_the_keyboard_sorts_a_table_by_its_numbers_and_the_total_stays_last(browser: Chromium) -> None:
    assert press_heading(browser, "usage", 3) == "descending"
    first = column(browser, "usage", 0)
    assert (first[0], first[-1]) == ("codex", "all")
    assert press_heading(browser, "slowest-items", 2) == "descending"
    assert column(browser, "slowest-items", 0)[0].startswith("beta")
    assert press_heading(browser, "slowest-items", 2) == "ascending"
    assert column(browser, "slowest-items", 0)[-1].startswith("beta")
    assert browser.run("getComputedStyle(document.activeElement).outlineStyle") == "solid"


def test_dark_mode_turns_the_page_dark(browser: Chromium) -> None:
    background = "getComputedStyle(document.body).backgroundColor"
    light = browser.run(background)
    browser.send("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": "dark"}])
    assert (light, browser.run(background)) == ("rgb(255, 255, 255)", "rgb(22, 24, 29)")
    browser.send("Emulation.setEmulatedMedia", features=[])


def test_print_has_every_table_and_no_filter(browser: Chromium) -> None:
    browser.send("Emulation.setEmulatedMedia", media="print")
    assert browser.run("document.getElementById('filters').offsetParent === null")
    assert browser.run("document.querySelector('#reports tbody').offsetParent !== null")
    assert browser.send("Page.printToPDF")["data"]
    browser.send("Emulation.setEmulatedMedia", media="")


def test_a_narrow_screen_scrolls_tables_and_not_the_page(browser: Chromium) -> None:
    browser.send(
        "Emulation.setDeviceMetricsOverride", width=390, height=800, deviceScaleFactor=1, mobile=False
    )
    assert browser.run("document.documentElement.scrollWidth <= 390")
    browser.send("Emulation.clearDeviceMetricsOverride")

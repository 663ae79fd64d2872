"""The pages hold together: links lead somewhere, headings are there, the locales say the same things."""

import re
from pathlib import Path
from urllib.parse import unquote

import pytest

from tests.docs_pages import DOCS, HOW_TO, ROOT, fences, without_fences

ALL = (*ROOT.glob("*.md"), *sorted(DOCS.rglob("*.md")))
ENGLISH = HOW_TO / "set-up-cross-ai-review.md"
LOCALES = ("ja", "ko", "pt-BR", "zh-CN")
_LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
_GENERATED = re.compile(r"<!-- generated: .*?<!-- end of generated -->", re.DOTALL)


def anchors(text: str) -> set[str]:
    titles = re.findall(r"^#+ (.+)$", without_fences(text), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-") for title in titles}


@pytest.mark.parametrize("page", ALL, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_link_inside_the_repository_leads_somewhere(page: Path) -> None:
    broken = []
    for target in _LINK.findall(without_fences(page.read_text(encoding="utf-8"))):
        if re.match(r"[a-z]+:", target):
            continue
        name, _, anchor = target.partition("#")
        there = (page.parent / unquote(name)).resolve() if name else page
        if not there.exists() or (anchor and anchor not in anchors(there.read_text(encoding="utf-8"))):
            broken.append(target)
    assert broken == []


def test_the_index_names_every_page() -> None:
    text = (DOCS / "README.md").read_text(encoding="utf-8")
    named = {(DOCS / target).resolve() for target in _LINK.findall(text)}
    parts = ("how-to", "reference", "explanation")
    expected = {page.resolve() for part in parts for page in (DOCS / part).glob("*.md")}
    assert expected - named == set()


def test_the_readme_is_short() -> None:
    assert 50 <= len((ROOT / "README.md").read_text(encoding="utf-8").splitlines()) <= 150


@pytest.mark.parametrize("locale", LOCALES)
def test_a_locale_has_the_headings_the_commands_and_the_generated_parts_of_the_english_page(
    locale: str,
) -> None:
    english = ENGLISH.read_text(encoding="utf-8")
    other = HOW_TO.joinpath(f"set-up-cross-ai-review.{locale}.md").read_text(encoding="utf-8")
    headings = [re.findall(r"^(#+) ", without_fences(text), re.MULTILINE) for text in (english, other)]
    assert headings[0] == headings[1]
    assert fences(english) == fences(other)
    assert _GENERATED.findall(english) == _GENERATED.findall(other) != []
    targets = [
        {link for link in _LINK.findall(text) if not link.startswith("set-up-")} for text in (english, other)
    ]
    assert targets[0] == targets[1]
    paragraphs = [len(re.split(r"\n{2,}", _GENERATED.sub("", text))) for text in (english, other)]
    assert paragraphs[0] == paragraphs[1]


@pytest.mark.parametrize("locale", LOCALES)
def test_every_locale_is_linked_from_every_other(locale: str) -> None:
    for name in ("", *(f".{one}" for one in LOCALES if one != locale)):
        page = HOW_TO / f"set-up-cross-ai-review{name}.md"
        assert f"](set-up-cross-ai-review.{locale}.md)" in page.read_text(encoding="utf-8"), page.name


@pytest.mark.parametrize(
    ("locale", "letters"),
    [
        ("ja", r"[\u3041-\u30ff]"),
        ("ko", r"[\uac00-\ud7a3]"),
        ("zh-CN", r"[\u4e00-\u9fff]"),
        ("pt-BR", r"[À-ü]"),
    ],
)
def test_a_locale_is_written_in_its_own_language(locale: str, letters: str) -> None:
    text = HOW_TO.joinpath(f"set-up-cross-ai-review.{locale}.md").read_text(encoding="utf-8")
    sections = re.split(r"^## ", without_fences(_GENERATED.sub("", text)), flags=re.MULTILINE)
    prose = [re.sub(r"\]\([^)]*\)|`[^`]*`", "", section) for section in sections[1:]]
    assert [section for section in prose if len(re.findall(letters, section)) < 2] == []

"""Whatever a person types: a spec whose parts mean one thing, or one named refusal."""

from hypothesis import example, given
from hypothesis import strategies as st

from msd_review.errors import SourceError
from msd_review.sources.policy import is_allowed
from msd_review.sources.spec import host_of, parse_spec

PIECES = st.sampled_from(
    ["https://", "http://", "ssh://", "git+", "git@", "npm:", "file:///", "ext::", "./", "../", "/", "h.test", "@", ":", "#",
     "tag:", "sha:", "main", "-x", "--upload-pack=x", ".git", ".tgz", ".tar.gz", "p", "@s/", "^1", " ", "\\", "[::1]", "%00",
     "\x1b", "\u202e", "\x00", "a" * 40, "?", "..", "//", "~"]
)  # fmt: skip
TYPED = st.lists(PIECES | st.text(max_size=3), max_size=7).map("".join)


@given(TYPED)
@example("https://[::1.tgz")
@example("https://h:99999/a.tgz")
@example("git+https://h:x/r")
def test_every_text_is_a_spec_or_a_refusal(text: str) -> None:
    try:
        spec = parse_spec(text)
    except SourceError as refused:
        assert refused.message.isascii()
        assert refused.message.isprintable()
        return
    assert spec.raw == text
    assert not spec.target.startswith("-")
    assert not any(ord(character) < 32 for character in text)
    if spec.kind == "git":
        assert spec.target.startswith(("https://", "ssh://", "git@")) or spec.target.lower().startswith(
            ("https:", "ssh:")
        )
        assert (spec.ref or "x")[0] not in "-+"
    if spec.kind in {"git", "tarball"}:
        host = host_of(spec)
        assert host
        assert not host.startswith("-")


@given(TYPED, st.lists(st.sampled_from(["h.test", "npm", "", "p", "other"]), max_size=3))
def test_a_policy_never_lets_more_through_than_no_policy_and_an_empty_one_nothing(
    text: str, listed: list[str]
) -> None:
    try:
        spec = parse_spec(text)
    except SourceError:
        return
    assert is_allowed(spec, None)
    assert is_allowed(spec, []) is (spec.kind == "local")
    if is_allowed(spec, listed) and spec.kind in {"git", "tarball"}:
        host = host_of(spec) or ""
        assert any(host == entry or host.endswith(f".{entry}") for entry in listed if entry)

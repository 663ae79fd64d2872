"""Whatever a base URL holds, it is refused as such or has one stable, honest normal form."""

from urllib.parse import urlsplit

from hypothesis import given
from hypothesis import strategies as st

from msd_review.errors import ConfigError
from msd_review.trust.destinations import Destination, is_local, normalise, request_url, same_destination

_PIECES = st.sampled_from(
    [
        "http://", "HTTPS://", "localhost", "127.0.0.1", "0x7f.1", "evil.example", "@", ":", "/", "//", "\\", "?", "#", "[::1]",
        "[", "]", "%2e", "..", ".", "%00", "\t", "\n", "\u200b", "\u202e", "ｌｏｃａｌ", "。", "й", "\ud800", "80", "65536", "xn--", "%25",
        "::ffff:", "/v1", "/api/v0", "/chat/completions", "user:pw",
    ]
)  # fmt: skip
HOSTILE = st.one_of(
    st.lists(_PIECES, max_size=9).map("".join),
    st.text(max_size=40).map(lambda text: f"http://{text}"),
    st.text(max_size=60),
)
ANYTHING = st.one_of(HOSTILE, st.none(), st.integers(), st.binary(max_size=5), st.lists(st.text(max_size=3)))


def _normal(base: object) -> Destination | None:
    try:
        return normalise(base)
    except ConfigError:
        return None


@given(ANYTHING)
def test_anything_is_a_destination_or_a_configuration_error(base: object) -> None:
    found = _normal(base)
    assert found is None or found.url.isascii()


@given(HOSTILE)
def test_normalising_twice_changes_nothing(base: str) -> None:
    found = _normal(base)
    if found is not None:
        again = normalise(found.url)
        assert (again.url, again.host, again.port, again.path) == (
            found.url,
            found.host,
            found.port,
            found.path,
        )
        assert again.warnings == ()


@given(HOSTILE)
def test_a_normal_form_holds_no_user_query_fragment_or_slash_at_its_end(base: str) -> None:
    found = _normal(base)
    if found is not None:
        assert not {"@", "?", "#"} & set(found.url.removesuffix(found.path))
        assert not found.url.endswith("/")
        assert found.url == found.url.strip()


@given(HOSTILE, st.text(max_size=30))
def test_a_request_never_leaves_the_scheme_host_and_port_of_its_base(base: str, path: str) -> None:
    found = _normal(base)
    if found is not None:
        parts = urlsplit(request_url(base, path))
        port = parts.port or {"http": 80, "https": 443}[parts.scheme]
        assert (parts.scheme, parts.hostname, port) == (found.scheme, found.host, found.port)
        assert "@" not in parts.netloc


@given(HOSTILE)
def test_what_is_local_has_a_host_that_a_socket_would_keep_on_this_machine(base: str) -> None:
    if is_local(base):
        host = normalise(base).host
        assert host in {"localhost", "localhost.", "0.0.0.0", "::", "::1"} or host.startswith(
            ("127.", "::ffff:7f")
        )


@given(ANYTHING, ANYTHING)
def test_comparing_anything_with_anything_never_raises(one: object, other: object) -> None:
    assert same_destination(one, other) is same_destination(other, one)

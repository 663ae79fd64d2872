"""Base URLs: one normal form, what is local, what is the same, and where a request goes."""

import pytest

from msd_review.errors import ConfigError
from msd_review.trust.destinations import is_local, normalise, request_url, same_destination


@pytest.mark.parametrize(
    ("base", "normal"),
    [
        ("  http://localhost:11434\n", "http://localhost:11434"),
        ("HTTPS://Example.COM:443/Base/", "https://example.com/Base"),
        ("http://h:", "http://h"),
        ("http://h:080/", "http://h"),
        ("http://h:443", "http://h:443"),
        ("http://h///", "http://h"),
        ("http://h/a//b/", "http://h/a//b"),
        ("http://h/a/../b/./c", "http://h/b/c"),
        ("http://h/%2e%2E/%2e/x", "http://h/x"),
        ("http://h/Bäse", "http://h/B%C3%A4se"),
        ("http://h/%zz", "http://h/%zz"),
        ("http://bücher.example", "http://xn--bcher-kva.example"),
        ("http://faß.example", "http://xn--fa-hia.example"),
        ("http://127.1:9", "http://127.0.0.1:9"),
        ("http://127.0.0.1.", "http://127.0.0.1"),
        ("http://0x7f.0.0.1", "http://127.0.0.1"),
        ("http://0177.1", "http://127.0.0.1"),
        ("http://2130706433", "http://127.0.0.1"),
        ("http://0x7F000001:8080", "http://127.0.0.1:8080"),
        ("http://0", "http://0.0.0.0"),
        ("http://１２７.0.0.1", "http://127.0.0.1"),
        ("http://127。0。0。1", "http://127.0.0.1"),
        ("http://[0:0::0:1]:80", "http://[::1]"),
        ("http://[2001:DB8::A]:8080/v1/", "http://[2001:db8::a]:8080/v1"),
        ("http://[::ffff:127.0.0.1]", "http://[::ffff:7f00:1]"),
        ("http://model_server:8000", "http://model_server:8000"),
        ("http://h.", "http://h."),
    ],
)
def test_a_base_url_has_one_normal_form(base: str, normal: str) -> None:
    assert normalise(base).url == normal
    assert normalise(normal).url == normal


def test_what_is_dropped_is_said_with_the_key() -> None:
    dropped = normalise("http://me:secret@h/base?x=1#top", key="review.ollama_host")
    assert dropped.url == "http://h/base"
    assert dropped.warnings == (
        "review.ollama_host: a user name or password in the URL was dropped; it is never sent",
        "review.ollama_host: a query in the URL was dropped; it is never sent",
        "review.ollama_host: a fragment in the URL was dropped; it is never sent",
    )


@pytest.mark.parametrize(
    ("base", "what"),
    [
        ("", "'' does not start with http:// or https://"),
        ("localhost:11434", "'localhost:11434' does not start with http:// or https://"),
        ("//h/x", "'//h/x' does not start with http:// or https://"),
        ("ftp://h", "'ftp://h' does not start with http:// or https://"),
        ("file:///etc/passwd", "'file:///etc/passwd' does not start with http:// or https://"),
        ("http://", "'http://' has no host"),
        ("http:h", "'http:h' has no host"),
        ("http://:80", "'http://:80' has no host"),
        ("http://h:0", "'http://h:0' names port 0"),
        ("http://h:99999", "'http://h:99999' is no URL"),
        ("http://h:80:90", "'http://h:80:90' is no URL"),
        ("http://h: 80", "'http://h: 80' is no URL"),
        ("http://a b", "'http://a b' is no URL"),
        ("http://h\\.evil", "'http://h\\.evil' is no URL"),
        ("http://h\x00", "'http://h\\x00' is no URL"),
        ("http://h/\u202egnp", "'http://h/\\u202egnp' has a path with characters that nobody can see"),
        ("http://%6cocalhost", "'http://%6cocalhost' has a host that is no valid name or address"),
        ("http://a..b", "'http://a..b' has a host that is no valid name or address"),
        ("http://256.1.1.1", "'http://256.1.1.1' has a host that is no valid name or address"),
        ("http://1.2.3.4.5", "'http://1.2.3.4.5' has a host that is no valid name or address"),
        ("http://09.1.1.1", "'http://09.1.1.1' has a host that is no valid name or address"),
        ("http://[::1", "'http://[::1' is no URL"),
        ("http://[::1]evil", "'http://[::1]evil' has a host that is no valid name or address"),
        ("http://[v1.abc]", "'http://[v1.abc]' has a host that is no valid name or address"),
        ("http://[evil.example]", "'http://[evil.example]' is no URL"),
        (
            "http://[fe80::1%25eth0]",
            "'http://[fe80::1%25eth0]' has an address with a zone, which names one network card",
        ),
        ("http://me:secret@/x", "'http://…@/x' has no host"),
        ("http://\ud800", "'http://\\ud800' has a host that is no valid name"),
        (5, "'5' is no URL"),
        (None, "'None' is no URL"),
    ],
)
def test_an_unusable_base_url_is_an_error_that_names_the_key(base: object, what: str) -> None:
    with pytest.raises(ConfigError) as caught:
        normalise(base, key="review.acme_host")
    assert caught.value.message == f"review.acme_host: {what}"
    assert caught.value.hint == "a base URL looks like http://localhost:11434"


def test_a_long_url_is_refused_and_shown_short() -> None:
    with pytest.raises(ConfigError) as caught:
        normalise("http://h/" + "a" * 5000)
    assert caught.value.message == f"'http://h/{'a' * 191}' is no URL"


@pytest.mark.parametrize(
    "base",
    [
        "http://localhost", "http://LOCALHOST.:80", "https://localhost/v1", "http://127.255.1.9", "http://127.1",
        "http://0x7f.1", "http://[::1]", "http://[::ffff:127.0.0.1]", "http://[::ffff:7f01:203]", "http://0.0.0.0",
        "http://0", "http://[::]", "http://u@localhost", "http://ⓛocalhost",
    ],
)  # fmt: skip
def test_this_machine_is_local_in_every_notation(base: str) -> None:
    assert is_local(base)


@pytest.mark.parametrize(
    "base",
    [
        "http://127.0.0.1.example.com", "http://localhost.example.com", "http://127.example", "http://localhost@evil",
        "http://localhost:80@evil", "http://localhоst", "http://10.0.0.1", "http://192.168.1.1", "http://[::2]",
        "http://[::127.0.0.1]", "http://[::ffff:10.0.0.1]", "http://128.0.0.1", "http://notlocalhost", "localhost", "",
        "http://169.254.169.254", "http://[64:ff9b::7f00:1]", "http://a.localhost",
    ],
)  # fmt: skip
def test_what_only_looks_like_this_machine_is_remote(base: str) -> None:
    assert not is_local(base)


@pytest.mark.parametrize(
    ("consented", "current", "same"),
    [
        ("http://h/", "HTTP://H:80", True),
        ("http://127.1", "http://127.0.0.1", True),
        ("http://bücher.example", "http://xn--bcher-kva.example", True),
        ("http://h/base", "http://h/Base", False),
        ("http://h", "https://h", False),
        ("http://h.", "http://h", False),
        ("http://h/v1", "http://h", False),
        ("http://localhost:1", "http://[::1]:1", False),
        (None, None, False),
        ("", "", False),
        (["http://h"], "http://h", False),
        ({"url": "http://h"}, "http://h", False),
        (True, True, False),
        ("ftp://h", "ftp://h", False),
    ],
)
def test_only_equal_normal_forms_are_the_same_destination(
    consented: object, current: object, same: bool
) -> None:
    assert same_destination(consented, current) is same


@pytest.mark.parametrize(
    ("base", "path", "url"),
    [
        ("http://h", "/v1/chat/completions", "http://h/v1/chat/completions"),
        ("http://h/", "/v1/chat/completions", "http://h/v1/chat/completions"),
        ("http://h/v1", "/v1/chat/completions", "http://h/v1/chat/completions"),
        ("http://h/v1/", "/v1/models", "http://h/v1/models"),
        ("http://h/v1/chat/completions", "/v1/chat/completions", "http://h/v1/chat/completions"),
        ("http://h/chat/completions", "/v1/chat/completions", "http://h/v1/chat/completions"),
        ("http://h/v1/models", "/v1/chat/completions", "http://h/v1/chat/completions"),
        ("http://h:1234/api/v1", "/v1/chat/completions", "http://h:1234/v1/chat/completions"),
        ("http://h:1234/api/v0", "/v1/models", "http://h:1234/v1/models"),
        ("http://h/openai/v1", "/v1/chat/completions", "http://h/openai/v1/chat/completions"),
        ("http://h/proxy", "/v1/chat/completions", "http://h/proxy/v1/chat/completions"),
        ("http://h/v1", "/chat/completions", "http://h/v1/chat/completions"),
        ("http://h/v10", "/v1/models", "http://h/v10/v1/models"),
        ("http://u:p@h?x#y", "/v1/models", "http://h/v1/models"),
        ("http://[::1]:8080", "/v1/models", "http://[::1]:8080/v1/models"),
        ("http://h", "/v1/models?kind=chat", "http://h/v1/models?kind=chat"),
        ("http://h", "v1/models", "http://h/v1/models"),
        ("http://h", "@evil/x", "http://h/@evil/x"),
        ("http://h", "//evil/x", "http://h//evil/x"),
        ("http://h", "/a b\r\nHost: evil", "http://h/a%20b%0D%0AHost:%20evil"),
    ],
)
def test_a_request_url_joins_base_and_path_without_doubling(base: str, path: str, url: str) -> None:
    assert request_url(base, path) == url

"""What a person types, and what they are told when it cannot be used."""

import pytest

from msd_review.errors import SourceError
from msd_review.sources.policy import check_source
from msd_review.sources.spec import FORMS, Spec, host_of, parse_spec


@pytest.mark.parametrize(
    ("text", "kind", "target", "ref"),
    [
        (".", "local", ".", None),
        ("../a b", "local", "../a b", None),
        ("./a#b", "local", "./a#b", None),
        ("git@h.test:o/r.git#tag:v1", "git", "git@h.test:o/r.git", "tag:v1"),
        ("git+ssh://git@h.test/r", "git", "ssh://git@h.test/r", None),
        ("ssh://git@h.test/r.git", "git", "ssh://git@h.test/r.git", None),
        ("HTTPS://h.test/r.git", "git", "HTTPS://h.test/r.git", None),
        ("git+https://h.test/r#release/1.0", "git", "https://h.test/r", "release/1.0"),
        ("https://h.test/r#sha:" + "aB" * 20, "git", "https://h.test/r", "sha:" + "aB" * 20),
        ("https://h.test/a.TGZ", "tarball", "https://h.test/a.TGZ", None),
        ("https://h.test/a.tgz?x=1", "tarball", "https://h.test/a.tgz?x=1", None),
        ("npm:@s/p@^1.2", "npm", "@s/p@^1.2", None),
        ("npm:p@latest", "npm", "p@latest", None),
    ],
)
def test_a_source_is_understood(text: str, kind: str, target: str, ref: str | None) -> None:
    spec = parse_spec(text)
    assert (spec.kind, spec.target, spec.ref, spec.raw) == (kind, target, ref, text)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", '"" names no source'),
        ("acme", '"acme" names no source'),
        ("name@registry", '"name@registry" names no source'),
        ("https://h.test/r", '"https://h.test/r" names no source'),
        ("a/b", '"a/b" names no source'),
        (" ./a", '" ./a" names no source'),
        ("./a\x1b", r'"./a\u{1b}" names no source'),
        ("https://h.test/r.git#a b", '"https://h.test/r.git#a b" names no source'),
        ("git://h.test/r", '"git://h.test/r" names no source'),
        (
            "git+git://h.test/r",
            "git+git://h.test/r is no git address over https or ssh; no other transport is used",
        ),
        ("file:///r.git", '"file:///r.git" names no source'),
        ("https://h.test/r.git#", '"" is no usable git ref'),
        ("https://h.test/r.git#-x", '"-x" is no usable git ref'),
        ("https://h.test/r#sha:12", "sha:12 is no commit id: 40 hexadecimal digits are needed"),
        ("npm:", "npm: names no npm package"),
        ("npm:p@", "npm:p@ names no npm package"),
        ("npm:../p", "npm:../p names no npm package"),
        ("npm:p@npm:other@1", "npm:p@npm:other@1 names no npm package"),
        ("npm:p@https://evil", "npm:p@https://evil names no npm package"),
        ("https://h:0/r.git", "https://h:0/r.git is no usable address"),
        ("https://[::1/r.git", "https://[::1/r.git is no usable address"),
        ("x" * 5000, '"' + "x" * 200 + '…" names no source'),
    ],
)
def test_what_is_no_source_is_refused_with_the_forms_there_are(text: str, message: str) -> None:
    with pytest.raises(SourceError) as raised:
        parse_spec(text)
    assert (raised.value.message, raised.value.hint) == (message, FORMS)


@pytest.mark.parametrize(
    "text", ["http://h.test/r.git", "http://h.test/a.tgz", "git+http://h.test/r", "HTTP://h.test/x"]
)
def test_plain_http_is_an_error_that_says_so(text: str) -> None:
    with pytest.raises(SourceError) as raised:
        parse_spec(text)
    assert raised.value.message == f"{text} is plain http: what is fetched could be changed on its way"
    assert raised.value.hint == "use its https address"


def test_file_addresses_are_for_tests_that_say_so() -> None:
    assert parse_spec("file:///r.git", allow_file=True).kind == "git"
    assert parse_spec("git+file:///r", allow_file=True).target == "file:///r"
    for text in ("git+file:///r", "git+file://host/r"):
        with pytest.raises(SourceError):
            parse_spec(text)


@pytest.mark.parametrize(
    ("text", "host"),
    [
        ("git@H.test:o/r", "h.test"),
        ("https://h.test@evil.test/r.git", "evil.test"),
        ("https://H.TEST:8443/a.tgz", "h.test"),
        ("npm:p", None),
        ("./a", None),
    ],
)
def test_the_host_is_the_one_that_is_contacted(text: str, host: str | None) -> None:
    assert host_of(parse_spec(text)) == host


def test_the_most_narrow_layer_decides() -> None:
    spec = parse_spec("https://a.h.test/r.git")
    check_source(spec, [])
    check_source(spec, [None, ["h.test"], ["A.H.TEST", 5]])
    with pytest.raises(SourceError) as raised:
        check_source(spec, [["h.test"], ["xh.test", "a.h", "\x1b"]])
    assert raised.value.message == (
        "https://a.h.test/r.git comes from a.h.test, and capabilities.strict_known_registries is set, "
        r"which allows xh.test, a.h, \u{1b}"
    )
    check_source(Spec(kind="local", raw="./a", target="./a"), [[], {}, "x"])

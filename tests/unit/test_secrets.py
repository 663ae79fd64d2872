"""Keys and tokens in what would be sent are found; the talk of plans about keys and tokens is not."""

import subprocess
import sys
from pathlib import Path

import pytest

from msd_review.prompt.model import Section
from msd_review.run.secrets import FoundSecret, find_secrets, fingerprint

KEY = b"k" * 32
# Written in halves, so that no scanner takes this file itself for a leak.
SECRETS = [
    ("aws access key", "AKIA" + "QYLPMN5HFIQR7XYA"),
    ("github token", "ghp_" + "wWPw5k4aXcaT4fNP0UcnZwJUVFk6LO0pINUx"),
    ("github token", "github_pat_" + "11ABCDQZI0" + "k3jH9fLq2mN8vXc4bT7yR1wE5uP6oA0sD3gF8hJ2kL5zX9cV4bN7mQ1wE3rT"),
    ("gitlab token", "glpat-" + "sQ7kLm2Nv9Xw4Rt8Yp3Z"),
    ("anthropic key", "sk-ant-" + "api03-" + "Qm9vR2xhbmRXaXRoTm9ucmVndWxhckNoYXJzOTg3NDFhc2Rm_QX"),
    ("openai key", "sk-" + "proj-" + "Jk3nM8qL2vX9cB4tR7yW1eU6oP0aS5dF2gH8jK3lZ6xC9v"),
    ("openai key", "sk-" + "Jk3nM8qL2vX9cB4tR7yWT3BlbkFJ1eU6oP0aS5dF2gH8jK3l"),
    ("google api key", "AIza" + "SyD3kf9Lq2mN8vXc4bT7yR1wE5uP6oA0sDg"),
    ("slack token", "xoxb-" + "2914857163-2918475610-kdJ38fhsLk29fjs8Hs7dKj2s"),
    ("stripe key", "sk_live_" + "4eC39HqLyjWDarjtT1zdp7dc"),
    ("npm token", "npm_" + "kJ8sLq2mN9vXc4bT7yR1wE5uP6oA0sD3gF8h"),
    ("sendgrid key", "SG." + "ngeVfQFYQlKU0ufo8x5d1A." + "TwL2iGABf9DHoTf-09kqeF8tAmbihYzrnopKc-1s5cr"),
    ("web token", "eyJhbGciOiJIUzI1NiJ9." + "eyJ1c2VyIjoiYWxpY2UiLCJyb2xlIjoib3BzIn0." + "4f8Kq2mN9vXc4bT7yR1wE5uP6oA0sD3gF8hJ2kL5zX9"),
    ("address", "postgres://app:" + "Xk29dkf92kd7Q@db7.internal.acme.io:5432/app"),
    ("assignment", "SECRET_KEY = '" + "9f8aKq2mN9vXc4bT7yR1wE5u" + "'"),
    ("assignment", "api_key: " + "c7f3e9a1b2d84f6e9a0b1c2d3e4f5a6b"),
    ("azure key", "AccountKey=" + "kJ8sLq2mN9vXc4bT7yR1wE5uP6oA0sD3gF8hkJ8sLq2mN9vXc4bT7yR1wE5uP6oA0sD3gF8hkJ8sLq2mN9vXc4=="),
]  # fmt: skip
HARMLESS = [
    "See commit 3983832f0a1bb27c4be0d8cdd7ad3ef0f1bb27c4 and sha256-9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08.",
    "integrity: sha512-" + "kJ8sLq2mN9vXc4bT7yR1wE5uP6oA0sD3gF8hkJ8sLq2mN9vXc4bT7yR1wE5uP6oA0sD3gF8hkJ8sLq2mN9vXc4==",
    "id: 7c9e6679-7425-40de-944b-e07fc1f90ae7 (request_token_id 550e8400-e29b-41d4-a716-446655440000)",
    "The documentation's example is AKIA" + "IOSFODNN7EXAMPLE with wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY.",
    "Store the API key in `process.env.OPENAI_API_KEY`; never write api_key = \"your-api-key-goes-here-123\".",
    "password: process.env.DB_PASSWORD_PRODUCTION2",
    "DATABASE_URL=postgres://user:password@localhost:5432/app",
    "redis://default:redispassword123@redis:6379/0 in docker-compose",
    "`token: validateRefreshTokenRotation2` is called from src/auth/token_refresh_v2.py:120-140",
    "max_prompt_tokens_per_reviewer: review.max_prompt_tokens_per_reviewer.acme1",
    "The file starts with -----BEGIN RSA PRIVATE KEY----- and is parsed by `load_pem_private_key()`.",
    "secret_name: projects/acme-prod-1/secrets/billing-webhook/versions/3",
    "const tokenKeyPrefix2 = 'auth.session.refresh-token.v2.user'",
    "eyJ" + "hbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiIxMjM0NTY3ODkwIiwibmFtZSI6IkpvaG4gRG9lIiwiaWF0IjoxNTE2MjM5MDIyfQ.SflKxwRJSMeKKF2QT4fwpMeJf36POk6yJV_adQssw5c",
    "Set STRIPE_KEY=sk_test_xxxxxxxxxxxxxxxxxxxxxxxx and PASSWORD=<generated at install time 2026>",
    "REQ-AUTH-01: a token (HS256, 15 min) is bound to device_key_fingerprint = a1b2c3d4e5f60718293a4b5c6d7e8f90",
    "secretsmanager: arn:aws:secretsmanager:eu-west-1:111122223333:secret:prod/app-Ab12Cd",
    "tests/fixtures/keys/rsa_private_key_2048_pkcs8.pem must be regenerated",
    "APACHELICENSE2 APPLICATION1CONTEXT AP9INTERFACES",
]  # fmt: skip


def section(text: str, name: str = "PLAN.md") -> Section:
    return Section(kind="plan", name=name, text=text, tokens=0)


def found(text: str) -> tuple[FoundSecret, ...]:
    return find_secrets([section(text)], key=KEY)


@pytest.mark.parametrize(
    ("kind", "secret"), SECRETS, ids=[f"{i}-{kind}" for i, (kind, _) in enumerate(SECRETS)]
)
@pytest.mark.parametrize(
    "around", ["{}", "- Use `{}` for staging.", 'export X="{}"', "<action>curl -H {} </action>"]
)
def test_a_secret_is_found_with_its_place(kind: str, secret: str, around: str) -> None:
    hits = found(f"# Plan\n\nSome words.\n{around.format(secret)}\nMore words.\n")
    assert [(one.section, one.line) for one in hits] == [("PLAN.md", 4)], hits


@pytest.mark.parametrize("text", HARMLESS, ids=range(len(HARMLESS)))
def test_what_plans_talk_about_is_no_secret(text: str) -> None:
    assert found(text) == ()


def test_a_private_key_is_found_by_its_body() -> None:
    body = "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQDkf93kLq2mN8vX\n"
    for header in ("-----BEGIN PRIVATE KEY-----", "-----BEGIN OPENSSH PRIVATE KEY-----"):
        hits = found(f"key:\n{header}\n{body}{body}")
        assert [(one.line, one.kind) for one in hits] == [(2, "private key")]
    assert len(found('KEY="-----BEGIN RSA PRIVATE KEY-----\\n' + body.strip() + '\\n"')) == 1


def test_the_same_secret_has_the_same_fingerprint_wherever_it_stands() -> None:
    secret = SECRETS[0][1]
    hits = find_secrets([section(f"a {secret}"), section(f"\n{secret} b {secret}", "CONTEXT.md")], key=KEY)
    assert [(one.section, one.line) for one in hits] == [("PLAN.md", 1), ("CONTEXT.md", 2)]
    assert {one.fingerprint for one in hits} == {fingerprint(secret, key=KEY)}


def test_a_fingerprint_tells_nothing_without_the_users_key() -> None:
    secret = SECRETS[0][1]
    assert fingerprint(secret, key=KEY) != fingerprint(secret, key=b"other")
    assert secret not in repr(found(secret))


def test_a_secret_in_the_middle_of_a_very_long_line_is_found() -> None:
    assert [one.line for one in found("x" * 50_000 + " " + SECRETS[1][1] + " " + "y" * 50_000)] == [1]


def test_odd_text_is_no_trouble() -> None:
    assert found("\ud800 \x00 key=\ud800" + "a1" * 20) is not None
    assert found("") == ()


def test_a_flood_of_secrets_is_bounded() -> None:
    flood = "\n".join(f"{'ghp_' + 'wWPw5k4aXcaT4fNP0UcnZwJUVFk6LO0'}{number:05d}" for number in range(3000))
    hits = found(flood)
    assert len(hits) == 1000
    assert len({one.fingerprint for one in hits}) == 1000


def test_the_example_project_and_our_own_documents_hold_no_secret() -> None:
    root = Path(__file__).parents[2]
    texts = [
        *(root / "examples").rglob("*.md"),
        *(root / "docs").rglob("*.md"),
        *(root / "tests/data/planning").rglob("*.md"),
    ]
    sections = [section(path.read_text(encoding="utf-8", errors="replace"), path.name) for path in texts]
    assert len(sections) > 10
    assert find_secrets(sections, key=KEY) == ()


def test_a_plan_without_anything_like_a_key_does_not_load_the_library() -> None:
    code = (
        "import sys; from msd_review.run.secrets import find_secrets;"
        "from msd_review.prompt.model import Section;"
        "text = 'The token cache: src/auth/token_cache_v2.py:10, see https://example.com/a@b, commit 3983832f0a1bb27c4be0.';"
        "find_secrets([Section(kind='plan', name='n', text=text, tokens=0)], key=b'k');"
        "assert not any(name.startswith(('detect_secrets', 'requests')) for name in sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)

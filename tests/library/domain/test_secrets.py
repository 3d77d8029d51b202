from __future__ import annotations

import json
import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sunrise.domain.secrets import RULES, Redaction, redact
from tests.library.domain.secret_formats import FORMATS, GIVEN

GOLDEN = Path(__file__).parents[4] / "shared/data/openclaw-mem/SECRET_DETECTOR_GOLDEN.v1.json"

# Put together at run time, so that no scanner takes this file for a leak.
R20, R36 = "a1B2c3D4e5F6g7H8i9J0", "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
HEX32 = "0123456789abcdef" * 2
BLOCK = "-----BEGIN {0}-----\nMIIEowIBAAKCAQEA\nabcdefghijklmnop==\n-----END {0}-----"

TOKENS = [
    ("openai-key", "sk-" + R36),
    ("openai-key", "sk-proj-" + R20 + "_-" + R20),
    ("openai-key", "sk-or-v1-" + HEX32),
    ("anthropic-key", "sk-ant-api03-" + R36),
    ("google-key", "AIza" + R36[:35]),
    ("google-key", "GOCSPX-" + R36),
    ("google-key", "ya29." + R36),
    ("aws-access-key", "AKIA" + "ABCDEFGHIJKLMNO7"),
    ("aws-access-key", "ASIA" + "ABCDEFGHIJKLMNO7"),
    *(("github-token", f"gh{letter}_" + R36) for letter in "pousr"),
    ("github-token", "github_pat_" + R36),
    ("gitlab-token", "glpat-" + R20),
    ("slack-token", "xoxb-" + "123456789012-" + R20),
    ("slack-token", "xoxe.xoxp-1-" + R20),
    ("slack-token", "xapp-1-" + R20),
    ("discord-token", "MTk4" + R20 + ".Cl2FMQ." + R36[:30]),
    ("stripe-key", "sk_live_" + R20),
    ("stripe-key", "rk_test_" + R20),
    ("stripe-key", "whsec_" + R36),
    ("npm-token", "npm_" + R36),
    ("pypi-token", "pypi-AgE" + R36),
    ("huggingface-token", "hf_" + R36),
    ("telegram-token", "123456789" + ":AA" + R36[:33]),
    ("twilio-key", "SK" + HEX32),
    ("sendgrid-key", "SG." + R20 + "." + R36),
    ("jwt", "eyJ" + R20 + ".eyJ" + R20 + "." + R20),
    *(
        ("private-key", BLOCK.format(header))
        for header in ("PRIVATE KEY", "RSA PRIVATE KEY", "ENCRYPTED PRIVATE KEY", "PGP PRIVATE KEY BLOCK")
    ),
    ("private-key", "-----BEGIN OPENSSH PRIVATE KEY-----\nabcdefghijklmnopqrstuv\nabcdefghijklmnopqrstuv"),
]


@pytest.mark.parametrize(("kind", "secret"), TOKENS)
def test_a_token_is_known_by_its_own_look(kind: str, secret: str) -> None:
    marked = f"it is [redacted:{kind}], keep it; 記住[redacted:{kind}]。"
    assert redact(f"it is {secret}, keep it; 記住{secret}。") == Redaction(marked, (kind,))
    assert redact(secret) == Redaction(f"[redacted:{kind}]", (kind,))


@pytest.mark.parametrize(
    ("text", "redacted", "kind"),
    [
        ("password: hunter2", "password: [redacted:password]", "password"),
        (
            "Password is set; PASSWORD=swordfish now",
            "Password is set; PASSWORD=[redacted:password] now",
            "password",
        ),
        ("DB_PASSWORD='correct horse'", "DB_PASSWORD='[redacted:password] horse'", "password"),
        ('{"password": "swordfish"}', '{"password": "[redacted:password]"}', "password"),
        ("pwd: CorrectHorse", "pwd: [redacted:password]", "password"),
        ("passphrase = t0psecret!", "passphrase = [redacted:password]", "password"),
        ("密碼：hunter2。", "密碼：[redacted:password]。", "password"),
        ("密码: p@ssw0rd，谢谢", "密码: [redacted:password]，谢谢", "password"),
        ("パスワード：hunter2", "パスワード：[redacted:password]", "password"),
        ("api_key=a1b2c3d4e5", "api_key=[redacted:key]", "key"),
        ("apiKey: 'a1b2c3d4e5'", "apiKey: '[redacted:key]'", "key"),
        ('"api-key": "a1b2c3d4e5"', '"api-key": "[redacted:key]"', "key"),
        ("MAPBOX_KEY=pk1234abcd", "MAPBOX_KEY=[redacted:key]", "key"),
        ("金鑰：a1b2c3d4e5", "金鑰：[redacted:key]", "key"),
        ("OPENCLAW_GATEWAY_TOKEN=a1b2c3d4", "OPENCLAW_GATEWAY_TOKEN=[redacted:token]", "token"),
        ("refresh token: a1b2c3d4", "refresh token: [redacted:token]", "token"),
        ("權杖：a1b2c3d4", "權杖：[redacted:token]", "token"),
        ("client_secret=a1b2c3d4", "client_secret=[redacted:secret]", "secret"),
        (
            "aws_secret_access_key=" + "C" * 40,
            "aws_secret_access_key=[redacted:aws-secret-key]",
            "aws-secret-key",
        ),
        (
            "postgresql+psycopg://app:s3cret@db:5432/x",
            "postgresql+psycopg://app:[redacted:database-password]@db:5432/x",
            "database-password",
        ),
        ("redis://:p@ss@cache:6379", "redis://:[redacted:database-password]@cache:6379", "database-password"),
        (
            "git clone https://me:s3cret@a.io/b",
            "git clone https://me:[redacted:url-password]@a.io/b",
            "url-password",
        ),
        ("Authorization: Bearer abcdefgh", "Authorization: Bearer [redacted:authorization]", "authorization"),
        ("authorization=basic dXNlcjpw", "authorization=basic [redacted:authorization]", "authorization"),
        (f"curl -H 'bearer {R20}'", "curl -H 'bearer [redacted:authorization]'", "authorization"),
        (
            f"https://hooks.slack.com/services/T00000000/B00000000/{R20}",
            "https://hooks.slack.com/services/[redacted:slack-webhook]",
            "slack-webhook",
        ),
        (
            f"https://discord.com/api/webhooks/123456789/{R20}",
            "https://discord.com/api/webhooks/[redacted:discord-webhook]",
            "discord-webhook",
        ),
    ],
)
def test_a_value_is_known_by_what_stands_before_it(text: str, redacted: str, kind: str) -> None:
    assert redact(text) == Redaction(redacted, (kind,))


@pytest.mark.parametrize(
    "text",
    [
        "",
        "a plain note",
        "Stored memory 3f0c9a1e-1111-4222-8333-444455556666: done",
        "commit da39a3ee5e6b4b0d3255bfef95601890afd80709",
        "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
        "2026-11-27T22:10:00.123456Z",
        "call +886 912-345-678 or 0912345678",
        "order 20261127-000123456789",
        "password: see vault",
        "password: required",
        "password=$DB_PASSWORD and password: <your password>",
        "PASSWORD=${DB_PASSWORD} password=*** password=changeme",
        "api_key=os.environ['API_KEY']",
        "the task-oriented, risk-aware disk-cache",
        "sk-estimators-are-named-like-this-in-docs",
        "token: expired; max_tokens=4096; token_count=12345678",
        "PRIMARY_KEY=user_id1 and SESSION_KEY=agent:main:abc123",
        "cache key: user:42",
        "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk",
        "Use bearer tokens for OAuth flows; keep token storage in vault.",
        "Set aws_secret_access_key from environment variables.",
        "BEGIN OPENSSH PRIVATE KEY (redacted)",
        "https://a.io/path?x=1#y and ssh://git@github.com/a/b",
        "Asia/Taipei, ASIA, AKIA and AIza alone",
        "密碼：請看保險箱",
        "a 密碼 was changed: yes",
        "Meeting 10:30, v1.2.3.4, a.b.c",
    ],
)
def test_what_only_resembles_a_secret_stays(text: str) -> None:
    assert redact(text) == Redaction(text, ())


def test_several_secrets_give_each_kind_once_sorted() -> None:
    text = f"npm_{R36} ghp_{R36} ghp_{R36}"
    assert redact(text).kinds == ("github-token", "npm-token")


def test_a_header_in_prose_does_not_swallow_the_sentence() -> None:
    text = "grep for -----BEGIN PRIVATE KEY----- in the repository before a release"
    assert redact(text).text == "grep for [redacted:private-key] in the repository before a release"


def test_what_a_first_mark_uncovers_is_redacted_too() -> None:
    text = "AKIA" + "ABCDEFGHIJKLMNO7" + "/token=a1b2c3d4"
    assert redact(text).text == "[redacted:aws-access-key]/token=[redacted:token]"


def test_every_kind_of_the_table_has_a_case_here() -> None:
    assigned = {"password", "key", "token", "secret", "aws-secret-key", "database-password", "url-password"}
    webhooks = {"authorization", "slack-webhook", "discord-webhook"}
    generated = {*FORMATS, *(kind for kind, *_ in GIVEN)}
    assert {rule.kind for rule in RULES} == {kind for kind, _ in TOKENS} | assigned | webhooks | generated


PIECES = st.one_of(
    st.sampled_from([secret for _, secret in TOKENS]),
    st.sampled_from(["password", "密碼", "token", "api_key", "A_KEY", "bearer", "authorization", "://u:"]),
    st.sampled_from(
        [":", "=", "：", " ", "@", "'", '"', "-", "_", ".", "\n", "[redacted:token]", "[redacted:", "]"]
    ),
    st.text(alphabet="aB1-_@:=./", max_size=10),
    st.text(max_size=4),
)


@settings(max_examples=150, deadline=None)
@given(st.lists(PIECES, max_size=10).map("".join))
def test_redacting_again_changes_nothing(text: str) -> None:
    once = redact(text)
    assert redact(once.text) == Redaction(once.text, ())
    assert (once.text == text) == (not once.kinds)


@pytest.mark.parametrize(
    "unit", ["a:", "-----BEGIN PRIVATE KEY-----", "password", "://", "eyJa.", "bearer ", "A_", "a1"]
)
def test_no_repetition_is_slow(unit: str) -> None:
    started = time.perf_counter()
    redact(unit * (20_000 // len(unit)) + " password: x sk- bearer ://")
    assert time.perf_counter() - started < 1


@pytest.mark.skipif(not GOLDEN.exists(), reason=f"no shared data at {GOLDEN}")
def test_the_golden_secrets_do_not_leak_and_the_benign_texts_stay() -> None:
    for case in json.loads(GOLDEN.read_text(encoding="utf-8"))["cases"]:
        redaction = redact(case["sample"])
        assert bool(redaction.kinds) is case["episodic"]["expectSecretLike"], case["id"]
        assert not any(needle in redaction.text for needle in case["episodic"]["leakNeedles"]), case["id"]

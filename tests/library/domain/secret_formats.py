"""Secrets made by the formats that their providers document, and what only resembles them, in sentences."""

from __future__ import annotations

import base64
import json
import random
import string
import uuid
from collections.abc import Callable
from dataclasses import dataclass

LOWER, UPPER, DIGITS = string.ascii_lowercase, string.ascii_uppercase, string.digits
ALNUM, HEX, URL_SAFE = LOWER + UPPER + DIGITS, "0123456789abcdef", LOWER + UPPER + DIGITS + "-_"
BASE64 = ALNUM + "+/"


@dataclass(frozen=True, slots=True)
class Case:
    """A text and, where it holds one, the bare secret and its kind."""

    text: str
    secret: str = ""
    kind: str = ""


def mixed(draw: random.Random, length: int, letters: str = ALNUM) -> str:
    """Draw letters of which one is small, one a capital and one a digit, as any long token has."""
    rest = [draw.choice(letters) for _ in range(length - 3)]
    drawn = [draw.choice(LOWER), draw.choice(UPPER), draw.choice(DIGITS), *rest]
    draw.shuffle(drawn)
    # A token ends with a letter or a digit here, so that no carrier's own sign is taken for its end.
    return draw.choice(UPPER) + "".join(drawn[1:-1]) + draw.choice(LOWER + DIGITS)


def hexes(draw: random.Random, length: int) -> str:
    return "".join(draw.choice(HEX) for _ in range(length))


def capitals(draw: random.Random, length: int) -> str:
    return "".join(draw.choice(UPPER + "234567") for _ in range(length))


def figures(draw: random.Random, length: int) -> str:
    return draw.choice("123456789") + "".join(draw.choice(DIGITS) for _ in range(length - 1))


def coded(draw: random.Random, length: int) -> str:
    return base64.b64encode(draw.randbytes(length)).decode()


def jwt(draw: random.Random) -> str:
    def part(value: dict[str, str]) -> str:
        return base64.urlsafe_b64encode(json.dumps(value).encode()).decode().rstrip("=")

    head = part({"alg": "HS256", "typ": "JWT"})
    return f"{head}.{part({'sub': figures(draw, 10), 'name': 'Ada'})}.{mixed(draw, 43, URL_SAFE)}"


def pem(draw: random.Random) -> str:
    owner = draw.choice(["RSA ", "EC ", "DSA ", "OPENSSH ", "ENCRYPTED ", "PGP ", ""])
    header = f"{owner}PRIVATE KEY{' BLOCK' if owner == 'PGP ' else ''}"
    end = draw.choice(["\n", "\\n"])
    body = end.join(coded(draw, 48) for _ in range(draw.randint(3, 8)))
    tail = draw.choice([f"{end}-----END {header}-----", ""])
    return f"-----BEGIN {header}-----{end}{body}{tail}"


def card(draw: random.Random) -> str:
    digits = [int(letter) for letter in draw.choice(["4", "51", "37", "62"]) + figures(draw, 14)][:15]
    # Every second digit counts double, from the one before the check digit on.
    total = sum(sum(divmod(digit * 2, 10)) if place % 2 == 0 else digit for place, digit in enumerate(digits))
    number = "".join(map(str, [*digits, -total % 10]))
    join = draw.choice(["", " ", "-"])
    return join.join(number[start : start + 4] for start in range(0, 16, 4))


def ssn(draw: random.Random) -> str:
    return f"{draw.randint(1, 665):03}-{draw.randint(1, 99):02}-{draw.randint(1, 9999):04}"


def password(draw: random.Random) -> str:
    word = draw.choice(["hunter", "Tr0ub4dor", "swordfish", "correcthorse", "letmein"])
    return f"{word}{figures(draw, draw.randint(1, 4))}{draw.choice('!@#$%')}{draw.choice(LOWER)}"


FORMATS: dict[str, list[Callable[[random.Random], str]]] = {
    "openai-key": [lambda d: "sk-" + mixed(d, 48), lambda d: "sk-proj-" + mixed(d, 120, URL_SAFE)],
    "anthropic-key": [lambda d: "sk-ant-api03-" + mixed(d, 95, URL_SAFE)],
    "google-key": [
        lambda d: "AIza" + mixed(d, 35, URL_SAFE),
        lambda d: "GOCSPX-" + mixed(d, 28, URL_SAFE),
        lambda d: "ya29." + mixed(d, 120, URL_SAFE),
    ],
    "aws-access-key": [lambda d: d.choice(["AKIA", "ASIA"]) + capitals(d, 16)],
    "aws-session-token": [lambda d: "IQoJb3JpZ2lu" + mixed(d, 200, BASE64)],
    "azure-client-secret": [lambda d: mixed(d, 3) + "8Q~" + mixed(d, 34, URL_SAFE + "~.")],
    "github-token": [
        lambda d: f"gh{d.choice('pousr')}_" + mixed(d, 36),
        lambda d: f"github_pat_{mixed(d, 22)}_{mixed(d, 59)}",
    ],
    "gitlab-token": [lambda d: d.choice(["glpat-", "gldt-", "glrt-"]) + mixed(d, 20, URL_SAFE)],
    "slack-token": [
        lambda d: f"xox{d.choice('bp')}-{figures(d, 12)}-{figures(d, 12)}-{mixed(d, 24)}",
        lambda d: f"xapp-1-A{capitals(d, 10)}-{figures(d, 13)}-{hexes(d, 64)}",
    ],
    "stripe-key": [
        lambda d: d.choice(["sk_live_", "rk_live_", "sk_test_"]) + mixed(d, 24),
        lambda d: "whsec_" + mixed(d, 32),
    ],
    "npm-token": [lambda d: "npm_" + mixed(d, 36)],
    "pypi-token": [lambda d: "pypi-AgEIcHlwaS5vcmc" + mixed(d, 120, URL_SAFE)],
    "huggingface-token": [lambda d: "hf_" + mixed(d, 34, LOWER + UPPER)],
    "telegram-token": [lambda d: f"{figures(d, 10)}:AA{mixed(d, 33, URL_SAFE)}"],
    "discord-token": [lambda d: f"MT{mixed(d, 24)}.{mixed(d, 6, URL_SAFE)}.{mixed(d, 38, URL_SAFE)}"],
    "twilio-key": [lambda d: "SK" + hexes(d, 32)],
    "sendgrid-key": [lambda d: f"SG.{mixed(d, 22, URL_SAFE)}.{mixed(d, 43, URL_SAFE)}"],
    "jwt": [jwt],
    "private-key": [pem],
    "digitalocean-token": [lambda d: "dop_v1_" + hexes(d, 64)],
    "shopify-token": [lambda d: d.choice(["shpat_", "shpss_"]) + hexes(d, 32)],
    "linear-key": [lambda d: "lin_api_" + mixed(d, 40)],
    "notion-token": [
        lambda d: f"ntn_{figures(d, 11)}{mixed(d, 35)}",
        lambda d: "secret_" + mixed(d, 43),
    ],
    "databricks-token": [lambda d: "dapi" + hexes(d, 32)],
    "grafana-token": [lambda d: f"glsa_{mixed(d, 32)}_{hexes(d, 8)}"],
    "groq-key": [lambda d: "gsk_" + mixed(d, 52)],
    "xai-key": [lambda d: "xai-" + mixed(d, 80)],
    "perplexity-key": [lambda d: "pplx-" + mixed(d, 48)],
    "replicate-token": [lambda d: "r8_" + mixed(d, 37)],
    "docker-token": [lambda d: "dckr_pat_" + mixed(d, 27, URL_SAFE)],
    "supabase-key": [lambda d: "sbp_" + hexes(d, 40)],
    "cloudflare-key": [lambda d: f"v1.0-{hexes(d, 24)}-{hexes(d, 146)}"],
    "mailgun-key": [lambda d: "key-" + hexes(d, 32)],
    "figma-token": [lambda d: "figd_" + mixed(d, 40, URL_SAFE)],
    "postman-key": [lambda d: f"PMAK-{hexes(d, 24)}-{hexes(d, 34)}"],
    "newrelic-key": [lambda d: "NRAK-" + capitals(d, 27)],
    "vault-token": [lambda d: "hvs." + mixed(d, 95, URL_SAFE)],
    "age-key": [lambda d: "AGE-SECRET-KEY-1" + capitals(d, 58)],
    "sentry-token": [lambda d: "sntryu_" + hexes(d, 64)],
    "doppler-token": [lambda d: "dp.pt." + mixed(d, 43)],
    "planetscale-token": [lambda d: "pscale_tkn_" + mixed(d, 43, URL_SAFE)],
    "pulumi-token": [lambda d: "pul-" + hexes(d, 40)],
    "atlassian-token": [lambda d: "ATATT3" + mixed(d, 186, URL_SAFE)],
    "square-token": [lambda d: "sq0atp-" + mixed(d, 22, URL_SAFE)],
    "rubygems-key": [lambda d: "rubygems_" + hexes(d, 48)],
    "prefect-key": [lambda d: "pnu_" + mixed(d, 36)],
    "brevo-key": [lambda d: f"xkeysib-{hexes(d, 64)}-{mixed(d, 16)}"],
    "airtable-token": [lambda d: f"pat{mixed(d, 14)}.{hexes(d, 64)}"],
}
"""Tokens that are known wherever they stand, by kind, as the providers' own pages describe them."""

CARRIERS = [
    "please keep {0} for the deploy on 2026-11-27",
    "請記住 {0}，明天要用",
    '{{"note": "use {0}", "ok": true}}',
    "export SERVICE_CREDENTIAL={0}",
    "curl -s 'https://example.com/x' -H 'X-Thing: {0}'",
    "auth:\n  value: {0}\n  retries: 3",
    "2026-11-27T10:00:01Z WARN gateway: login with {0} failed after 3 tries",
    "<{0}>",
]

GIVEN: list[tuple[str, Callable[[random.Random], str], list[str]]] = [
    ("aws-secret-key", lambda d: mixed(d, 40, BASE64), [
        "AWS_SECRET_ACCESS_KEY={0}", "aws_secret_access_key = {0}", "the secret access key is {0}, keep it",
    ]),
    ("aws-session-token", lambda d: mixed(d, 90, BASE64), ["AWS_SESSION_TOKEN={0}"]),
    ("azure-storage-key", lambda d: coded(d, 64), [
        "DefaultEndpointsProtocol=https;AccountName=a;AccountKey={0};EndpointSuffix=core.windows.net",
    ]),
    ("azure-sas", lambda d: coded(d, 32).replace("+", "%2B").replace("/", "%2F").replace("=", "%3D"), [
        "https://a.blob.core.windows.net/c/f?sv=2022-11-02&sp=r&sig={0}",
    ]),
    ("slack-webhook", lambda d: f"T{capitals(d, 8)}/B{capitals(d, 8)}/{mixed(d, 24)}", [
        "post to https://hooks.slack.com/services/{0} on errors",
    ]),
    ("discord-webhook", lambda d: f"{figures(d, 18)}/{mixed(d, 68, URL_SAFE)}", [
        "https://discord.com/api/webhooks/{0}",
    ]),
    ("twilio-key", lambda d: hexes(d, 32), ["TWILIO_AUTH_TOKEN={0}", "twilio auth token: {0}"]),
    ("database-password", password, [
        "postgres://app:{0}@db.internal:5432/main", "DATABASE_URL=mysql+pymysql://root:{0}@db/x",
        '{{"url": "mongodb://svc:{0}@10.0.0.5/admin"}}',
    ]),
    ("url-password", lambda d: mixed(d, 12), ["git clone https://me:{0}@git.example.com/a/b.git"]),
    ("authorization", lambda d: mixed(d, 40, URL_SAFE), [
        "Authorization: Bearer {0}",
        '{{"Authorization": "Bearer {0}"}}', "curl -H 'authorization: token {0}'",
    ]),
    ("password", password, [
        "password: {0}", "the wifi password is {0}", "DB_PASSWORD={0}", "SMTP_PASS={0}",
        '{{"password": "{0}"}}',
        "密碼：{0}", "密码: {0}", "密碼是 {0}", "口令：{0}", "パスワード：{0}", "비밀번호: {0}", "pwd={0}",
        '{{"body": "{{\\"password\\": \\"{0}\\"}}"}}',
    ]),
    ("key", lambda d: mixed(d, 24), [
        "OPENWEATHER_API_KEY={0}", "the api key we use is {0} for now", "金鑰 {0} 給你", "api_key: {0}",
        "金鑰：{0}", "私鑰是 {0}", '"apiKey": "{0}"', "my api key is {0}",
    ]),
    ("token", lambda d: mixed(d, 32), [
        "GATEWAY_TOKEN={0}", "access token: {0}", "the token for staging was {0}", "令牌：{0}", "權杖 {0}",
    ]),
    ("secret", lambda d: mixed(d, 32), [
        "CLIENT_SECRET={0}", "client_secret: {0}", "our secret for the webhook is {0}", "credentials: {0}",
    ]),
    ("card-number", card, [
        "visa {0} exp 12/27", "my card number is {0}", "信用卡 {0}", "卡號：{0}", "{0} is the company card",
        '{{"card_number": "{0}"}}',
    ]),
    ("ssn", ssn, ["SSN {0}", "social security number: {0}", '{{"ssn": "{0}"}}']),
]  # fmt: skip
"""Secrets that are known by what they stand beside: kind, value and sentences that hold it."""


def secrets(seed: int, number: int = 300) -> list[Case]:
    """Return that many secrets, each in a sentence; every kind comes several times."""
    draw = random.Random(seed)
    tokens = [(kind, make, CARRIERS) for kind, makers in FORMATS.items() for make in makers]
    ways = [*tokens, *((kind, make, carriers) for kind, make, carriers in GIVEN for _ in carriers)]
    cases = []
    for place in range(number):
        kind, make, carriers = ways[place % len(ways)]
        secret = make(draw)
        # A real line's end stands in no line of JSON.
        fit = [carrier for carrier in carriers if "\n" not in secret or "{{" not in carrier]
        cases.append(Case(draw.choice(fit).format(secret), secret, kind))
    return cases


BENIGN: list[Callable[[random.Random], str]] = [
    lambda d: f"Stored memory note: {uuid.UUID(int=d.getrandbits(128))}",
    lambda d: f"commit {hexes(d, d.choice([7, 12, 40, 64]))} fixes the token refresh",
    lambda d: f"the checksum of the key file is {hexes(d, 64)}",
    lambda d: f"meeting on 2026-{d.randint(1, 12):02}-{d.randint(1, 28):02}T10:{d.randint(10, 59)}:00Z",
    lambda d: f"call +886 9{figures(d, 2)}-{figures(d, 3)}-{figures(d, 3)} about order {figures(d, 16)}",
    lambda d: f"<img src='data:image/png;base64,{coded(d, 2400)}'>",
    lambda d: f"the api key screenshot is data:image/png;base64,{coded(d, 900)}",
    lambda d: f'"integrity": "sha512-{coded(d, 64)}"',
    lambda d: f"the lock file has sha512-{coded(d, 64)} beside the token package",
    lambda d: d.choice(["password: see vault", "password: <your password>"]),
    lambda d: f"the password must have {d.randint(8, 20)} characters",
    lambda d: d.choice(["Set aws_secret_access_key from environment variables.", "API_KEY=$API_KEY"]),
    lambda d: d.choice(["token: ${{ secrets.DEPLOY }}", 'key = os.environ["API_KEY"]']),
    lambda d: f"a task-oriented, risk-aware disk-cache of {d.randint(10, 99)} GB",
    lambda d: d.choice(["Use bearer tokens for OAuth flows", "eyJ is no token", "密碼請看保險箱"]),
    lambda d: f"press Ctrl+Shift+{d.choice(UPPER)} for the key settings",
    lambda d: f"max_tokens={figures(d, 4)}, token budget {figures(d, 5)}, passing=100%",
    lambda d: f"primary_key=user_id, cache_key: user:{figures(d, 3)}:profile",
    lambda d: f"monkey=banana{figures(d, 5)}, passport: K{figures(d, 7)}",
    lambda d: f"the key point is Q{d.randint(1, 4)}-2024-roadmap",
    lambda d: f'<li key="item-{figures(d, 3)}" class="token-list-2">',
    lambda d: "Signed-off-by: Ada Lovelace <ada@example.com>",
    lambda d: f"ISBN 978-3-16-{figures(d, 6)}-0 on page {figures(d, 3)}",
    lambda d: f"IBAN GB82 WEST {figures(d, 4)} {figures(d, 4)} {figures(d, 4)}",
    lambda d: f"00:1A:2B:{hexes(d, 2)}:4D:5E at 2001:db8:{hexes(d, 4)}::{hexes(d, 4)}",
    lambda d: f"token service v{d.randint(1, 9)}.2.3-rc.1",
    lambda d: f"ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI{mixed(d, 43, BASE64)} ada@laptop",
    lambda d: f"my ssh key: ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI{mixed(d, 43, BASE64)}",
    lambda d: f"-----BEGIN PUBLIC KEY-----\n{coded(d, 48)}\n{coded(d, 48)}\n-----END PUBLIC KEY-----",
    lambda d: f"-----BEGIN CERTIFICATE-----\n{coded(d, 48)}\n{coded(d, 48)}\n-----END CERTIFICATE-----",
    lambda d: f"the token class is OAuth{d.randint(1, 9)}TokenProviderFactory in src/auth/Provider.tsx",
    lambda d: f"npm install @scope/secret-tools@{d.randint(1, 9)}.4.1 and key-encryption@2",
    lambda d: f"see https://docs.google.com/document/d/1{mixed(d, 43, URL_SAFE)} for the token plan",
    lambda d: f"password is base64-encoded in {d.randint(2, 9)} places, not in 1Password",
]  # fmt: skip
"""What resembles a secret and is none."""


def look_alikes(seed: int, number: int = 300) -> list[Case]:
    """Return that many texts without a secret, of every sort in turn."""
    draw = random.Random(seed)
    return [Case(BENIGN[place % len(BENIGN)](draw)) for place in range(number)]

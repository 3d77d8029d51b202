"""The table of secrets: their kinds, and how each looks."""

from __future__ import annotations

import re

from sunrise.domain.secret_shapes import (
    ASSIGNED_RAW,
    ASSIGNMENT,
    MIXED,
    PASSWORD,
    PLAIN,
    RANDOM,
    REAL,
    SIGN,
    START,
    STATED,
    WORD,
    Rule,
    assigned,
    beside,
    is_no_name,
    looks_random,
    named,
    numbered,
    passes_luhn,
    stated,
    token,
)

# A Discord token begins with its bot's number in base64, and a digit gives one of these.
_DISCORD_STARTS = tuple(first + second for first in "MNO" for second in "DTjz")
_PRIVATE_KEY = r"(?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----"
# Lines of a key may stand each in quotes of its own.
_BETWEEN_LINES = r'(?:\s|\\{1,4}[nr]|"[\s+,\\nr]*")'
_PEM_FIELD = r"(?:Proc-Type|DEK-Info|Version|Comment|Hash|Charset): [^\n\\\"]{0,100}"
_KEY_OWNERS = (
    "api|app|access|secret|private|auth|account|signing|signature|encryption|decryption|master|service|license"
    "|deploy|webhook|client|consumer|admin|storage|shared|ssh|aes|hmac|jwt"
)
# The key is looked for before its owner: that is much quicker than to try every owner at every letter.
_OWNED_KEY = f"(?=[ _-]?key)(?:{'|'.join(f'(?<={owner})' for owner in _KEY_OWNERS.split('|'))})[ _-]?key"
_PASSWORD_NAMES = "(?:password|passwd|passphrase|passcode|pwd)"  # noqa: S105  names, no password
_HAN_PASSWORD = "(?:密碼|密码|口令|通關密語|パスワード|비밀번호)"  # noqa: S105  a name, no password
_HAN_PASSWORD_HINTS = ("密", "口令", "通關", "パス", "비밀")
_HAN_SECRET = "(?:憑證|凭证)"  # noqa: S105  a name, no secret
_HAN_KEY = "(?:金鑰|密鑰|密钥|私鑰|私钥)"
_HAN_TOKEN = "(?:權杖|令牌|トークン|토큰)"  # noqa: S105  a name, no password
_ANY_KEY = "(?<!public )(?<!primary )(?<!foreign )(?<![a-z_-])key"
# One gate for all that has a name: RE2 reads it anew for every batch.
_SECRET_NAMES = "secret(?:[_ -]?access)?(?:[_ -]?key)?|cred(?:ential)?s?"  # noqa: S105  names, no secret
_NAMED_GATE = (
    named(rf"(?:{_PASSWORD_NAMES}|(?:{_KEY_OWNERS})[ _-]?key|token|{_SECRET_NAMES})")
    + f"|key (?:is|was)|{_HAN_PASSWORD}|{_HAN_KEY}|{_HAN_TOKEN}|{_HAN_SECRET}"
)
_CARD = "(?:card|visa|amex|american express|unionpay|信用卡|卡號|卡号|カード|카드)"
_CARD_HINTS = (
    "card",
    "visa",
    "amex",
    "american express",
    "unionpay",
    "信用卡",
    "卡號",
    "卡号",
    "カード",
    "카드",
)
_CARD_NUMBER = r"(?<![0-9.-])[2-6][0-9]{3}(?:[ -]?[0-9]){8,15}(?![ -]?[0-9])"
_SSN = r"(?<![0-9.-])(?!000|666|9)[0-9]{3}(?P<dash>[ -]?)(?!00)[0-9]{2}(?P=dash)(?!0000)[0-9]{4}(?![0-9-])"

_PROVIDERS = (
    token("anthropic-key", r"sk-ant-[\w-]{16,}", "sk-ant-"),
    token("openai-key", r"sk-(?:(?:proj|svcacct|admin|None|or-v1)-[\w-]{16,}|[A-Za-z0-9]{20,})", "sk-"),
    token("google-key", r"AIza[\w-]{30,}|GOCSPX-[\w-]{20,}|ya29\.[\w-]{20,}", "AIza", "GOCSPX-", "ya29."),
    token("aws-access-key", r"(?:AKIA|ASIA)[A-Z0-9]{16}(?![A-Za-z0-9])", "AKIA", "ASIA"),
    token("aws-session-token", r"(?:IQoJb3JpZ2lu|FwoGZXIvYXdz)[\w/+=-]{40,}", "IQoJb3JpZ2lu", "FwoGZXIvYXdz"),
    token("azure-client-secret", r"[\w~.-]{3}\dQ~[\w~.-]{31,40}", "Q~", signs=("~",)),
    token(
        "github-token",
        r"gh[pousr]_[A-Za-z0-9]{20,}|github_pat_\w{20,}",
        *("ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_"),
    ),
    token(
        "gitlab-token",
        r"gl(?:pat|dt|rt|ptt|cbt|ft|imt|agent|oas|soat)-[\w.-]{16,}",
        *("glpat-", "gldt-", "glrt-", "glptt-", "glcbt-", "glft-", "glimt-", "glagent-", "gloas-", "glsoat-"),
    ),
    token("slack-token", r"xox[a-z](?:\.xox[a-z])?-[\w-]{10,}|xapp-\d-[\w-]{10,}", "xox", "xapp-"),
    token(
        "discord-token",
        r"[MNO][DTjz][\w-]{21,26}\.[\w-]{6}\.[\w-]{27,40}",
        *_DISCORD_STARTS,
        signs=(".",),
        gate="[MNO][DTjz][A-Za-z0-9_-]{21}",
    ),
    token(
        "stripe-key",
        r"[sr]k_(?:live|test|prod)_[A-Za-z0-9]{10,}|whsec_[\w+/=]{20,}",
        *("k_live_", "k_test_", "k_prod_", "whsec_"),
    ),
    token("npm-token", r"npm_[A-Za-z0-9]{30,}", "npm_"),
    token("pypi-token", r"pypi-AgE[\w-]{16,}", "pypi-"),
    token("huggingface-token", r"(?:hf|api_org)_[A-Za-z0-9]{30,}", "hf_", "api_org_"),
    token("telegram-token", r"\d{8,10}:AA[\w-]{30,}", ":AA"),
    token("twilio-key", r"SK[0-9a-f]{32}(?![A-Za-z0-9])", "SK"),
    token("sendgrid-key", r"SG\.[\w-]{16,}\.[\w-]{16,}", "SG."),
    token("digitalocean-token", r"do[opr]_v1_[0-9a-f]{40,}", "doo_v1_", "dop_v1_", "dor_v1_"),
    token(
        "shopify-token",
        r"shp(?:at|ca|pa|ss)_[0-9A-Fa-f]{32}",
        *("shpat_", "shpca_", "shppa_", "shpss_"),
    ),
    token("linear-key", r"lin_(?:api|oauth)_[A-Za-z0-9]{32,}", "lin_api_", "lin_oauth_"),
    token("notion-token", r"ntn_[A-Za-z0-9]{40,}|secret_[A-Za-z0-9]{43}(?!\w)", "ntn_", "secret_"),
    token("databricks-token", r"dapi[0-9a-f]{32}(?:-\d)?(?![A-Za-z0-9])", "dapi"),
    token("grafana-token", r"glsa_[A-Za-z0-9]{32}_[0-9a-f]{8}|glc_[\w+/=-]{32,}", "glsa_", "glc_"),
    token("groq-key", r"gsk_[A-Za-z0-9]{40,}", "gsk_"),
    token("xai-key", r"xai-[A-Za-z0-9]{60,}", "xai-"),
    token("perplexity-key", r"pplx-[A-Za-z0-9]{40,}", "pplx-"),
    token("replicate-token", r"r8_[A-Za-z0-9]{37,}", "r8_"),
    token("docker-token", r"dckr_[po]at_[\w-]{20,}", "dckr_"),
    token("supabase-key", r"sbp_(?:v0_)?[0-9a-f]{40}|sb_secret_[\w-]{20,}", "sbp_", "sb_secret_"),
    token("cloudflare-key", r"v1\.0-[0-9a-f]{24}-[0-9a-f]{140,}", "v1.0-", gate=r"v1\.0-[0-9a-f]{8}"),
    token("mailgun-key", r"key-[0-9a-f]{32}(?![A-Za-z0-9])", "key-", gate="key-[0-9a-f]{8}"),
    token("figma-token", r"fig[dou]_[\w-]{30,}", "figd_", "figo_", "figu_"),
    token("postman-key", r"PMAK-[0-9a-f]{24}-[0-9a-f]{34}", "PMAK-"),
    token("newrelic-key", r"NRAK-[A-Z0-9]{27}", "NRAK-"),
    token("vault-token", r"hv[sbr]\.[\w-]{24,}", "hvs.", "hvb.", "hvr."),
    token("age-key", r"AGE-SECRET-KEY-1[A-Z0-9]{50,}", "AGE-SECRET-KEY-1"),
    token("sentry-token", r"sntry[su]_[\w+/=-]{40,}", "sntrys_", "sntryu_"),
    token("doppler-token", r"dp\.(?:pt|st|sa|ct)\.(?:[\w-]{2,35}\.)?[A-Za-z0-9]{40,}", "dp."),
    token("planetscale-token", r"pscale_(?:tkn|oauth|pw)_[\w.=-]{32,}", "pscale_"),
    token("pulumi-token", r"pul-[0-9a-f]{40}(?![A-Za-z0-9])", "pul-"),
    token("atlassian-token", r"AT[AC]TT3[\w=-]{60,}", "ATATT3", "ATCTT3"),
    token("square-token", r"sq0(?:atp|csp)-[\w-]{22,}", "sq0"),
    token("rubygems-key", r"rubygems_[0-9a-f]{48}", "rubygems_"),
    token("prefect-key", r"pn[ub]_[A-Za-z0-9]{36}", "pnu_", "pnb_"),
    token("brevo-key", r"xkeysib-[0-9a-f]{64}-[A-Za-z0-9]{16}", "xkeysib-"),
    token(
        "airtable-token",
        r"pat[A-Za-z0-9]{14}\.[0-9a-f]{64}",
        "pat",
        signs=(".",),
        gate=r"pat[A-Za-z0-9]{8,}\.",
    ),
    token("jwt", r"eyJ[\w-]{8,}\.eyJ[\w-]{8,}\.[\w-]{8,}", "eyJ", signs=(".",)),
)

_PLACES = (
    Rule(
        "slack-webhook",
        ("hooks.slack.com/",),
        re.compile(r"hooks\.slack\.com/(?:services|workflows|triggers)/(?P<secret>[\w/-]{20,})", re.ASCII),
    ),
    Rule(
        "discord-webhook",
        ("/api/webhooks/",),
        re.compile(r"discord(?:app)?\.com/api/(?:v\d+/)?webhooks/(?P<secret>\d{5,}/[\w-]{20,})", re.ASCII),
        gate="api/(?:v[0-9]+/)?webhooks",
    ),
    Rule(
        "azure-storage-key",
        ("AccountKey=", "SharedAccessKey="),
        re.compile(r"(?:AccountKey|SharedAccessKey)=(?P<secret>[A-Za-z0-9+/]{40,}={0,2})"),
    ),
    Rule("azure-sas", ("sig=",), re.compile(r"[?&]sig=(?P<secret>[A-Za-z0-9%+/=]{30,})"), ("=",), "sig="),
    Rule(
        "database-password",
        ("://",),
        re.compile(
            rf"{START}(?:postgres(?:ql)?|mysql|mariadb|mongodb|rediss?|amqps?|mssql|clickhouse|cockroachdb|oracle)"
            rf"(?:\+\w+)?://[^\s:/@]*:(?P<secret>{REAL}(?!\*+@)[^\s/\"'<>]+)(?=@)",
            re.IGNORECASE,
        ),
    ),
    Rule(
        "url-password",
        ("://",),
        re.compile(
            rf"{START}[a-z][a-z0-9+.-]{{1,20}}://[^\s:/@]*:(?P<secret>{REAL}(?!\*+@)[^\s/\"'<>]+)(?=@)",
            re.IGNORECASE,
        ),
    ),
    Rule(
        "authorization",
        ("authorization",),
        re.compile(
            rf"authorization{SIGN}(?:(?:bearer|basic|token|apikey|digest)\s+(?P<secret>[\w.~+/=-]{{8,}}))",
            re.IGNORECASE,
        ),
        ASSIGNMENT,
    ),
    Rule(
        "authorization",
        ("authorization",),
        re.compile(
            rf"authorization{SIGN}(?P<secret>(?=[a-z.~+/=_-]{{0,100}}\d)[\w.~+/=-]{{20,}})", re.IGNORECASE
        ),
        ASSIGNMENT,
    ),
    Rule(
        "authorization",
        ("bearer",),
        re.compile(
            rf"{START}bearer\s+(?P<secret>(?=[a-z.~+/=_-]{{0,100}}\d)[\w.~+/=-]{{20,}})", re.IGNORECASE
        ),
    ),
)

_NAMED = (
    assigned(
        "aws-secret-key",
        r"aws[_-]?secret[_-]?(?:access[_-]?)?key",
        r"[\w/+=]{16,}",
        "secret",
        gate=_NAMED_GATE,
    ),
    beside(
        "aws-secret-key",
        "secret[ _-]access[ _-]key",
        r"(?<![A-Za-z0-9/+])[a-z0-9/+]{40}(?![a-z0-9/+=])",
        "secret",
        gate=_NAMED_GATE,
        holds=is_no_name,
    ),
    assigned("aws-session-token", r"aws[_-]?session[_-]?token", r"[\w/+=]{16,}", "token", gate=_NAMED_GATE),
    assigned("twilio-key", r"twilio[\w ]{0,20}token", r"[0-9a-f]{32}(?![\w])", "twilio", gate=_NAMED_GATE),
    # password=swordfish: after "=" any word will do, after ":" it must not look like prose.
    Rule(
        "password",
        ("pass", "pwd"),
        re.compile(
            rf"{_PASSWORD_NAMES}(?:\\{{0,3}}[\"'`])?(?:=|\s?[:=]\s?(?=\\{{0,3}}[\"'`]))(?:\\{{0,3}}[\"'`])?"
            rf"(?P<secret>{REAL}{PLAIN})",
            re.IGNORECASE,
        ),
        ASSIGNMENT,
        _NAMED_GATE,
    ),
    assigned("password", _PASSWORD_NAMES, PASSWORD, "pass", "pwd", gate=_NAMED_GATE),
    stated("password", _PASSWORD_NAMES, PASSWORD, "pass", "pwd", gate=_NAMED_GATE),
    assigned(
        "password",
        r"(?:db|user|smtp|imap|ftp|mysql|redis|root|admin|mail|login|ssh|wifi)_?pass",
        PASSWORD,
        "pass",
        gate="pass" + ASSIGNED_RAW,
    ),
    Rule(
        "password",
        ("_PASS",),
        re.compile(rf"_PASS(?:\\{{0,3}}[\"'])?\s?[=:]\s?(?:\\{{0,3}}[\"'])?(?P<secret>{REAL}(?i:{PLAIN}))"),
        ASSIGNMENT,
        "_PASS" + ASSIGNED_RAW,
    ),
    assigned("password", _HAN_PASSWORD, PASSWORD, *_HAN_PASSWORD_HINTS, gate=_NAMED_GATE),
    stated("password", _HAN_PASSWORD, PASSWORD, *_HAN_PASSWORD_HINTS, gate=_NAMED_GATE),
    assigned("key", _OWNED_KEY, RANDOM, "key", gate=_NAMED_GATE),
    # In capitals it is an environment variable; keys of tables, caches and sorts are no secrets.
    Rule(
        "key",
        ("_KEY",),
        re.compile(
            r"(?<![A-Z0-9_])(?![A-Z0-9_]{0,40}(?:PRIMARY|FOREIGN|PUBLIC|SORT|CACHE|SESSION|IDEMPOTENCY|PARTITION"
            r"|GROUP)_KEY)"
            rf"[A-Z0-9_]{{1,60}}_KEY(?:\\{{0,3}}[\"'])?\s?[=:]\s?(?:\\{{0,3}}[\"'])?(?P<secret>{REAL}(?i:{RANDOM}))"
        ),
    ),
    assigned("token", "token", RANDOM, "token", gate=_NAMED_GATE),
    assigned("secret", "secret", RANDOM, "secret", gate=_NAMED_GATE),
    # An environment variable may hold a secret without a figure.
    Rule(
        "token",
        ("TOKEN=",),
        re.compile(rf"TOKEN=(?:\\{{0,3}}[\"'])?(?P<secret>{REAL}(?i:{WORD}{{16,}}))"),
    ),
    Rule(
        "secret",
        ("SECRET=",),
        re.compile(rf"SECRET=(?:\\{{0,3}}[\"'])?(?P<secret>{REAL}(?i:{WORD}{{8,}}))"),
    ),
    assigned("key", _HAN_KEY, RANDOM, "鑰", "钥", gate=_NAMED_GATE),
    assigned("token", _HAN_TOKEN, RANDOM, "權杖", "令牌", "トークン", "토큰", gate=_NAMED_GATE),
    stated(
        "key",
        rf"(?:{_OWNED_KEY}|{_HAN_KEY})",
        STATED,
        *("key", "鑰", "钥"),
        gate=_NAMED_GATE,
        holds=is_no_name,
    ),
    stated(
        "token",
        rf"(?:(?:access|auth|api|bot|refresh|bearer)[ _-]?token|{_HAN_TOKEN})",
        STATED,
        *("token", "權杖", "令牌", "トークン", "토큰"),
        gate=_NAMED_GATE,
        holds=is_no_name,
    ),
)

_NEAR = (
    beside(
        "key",
        rf"(?:(?:{_KEY_OWNERS})[ _-]?keys?|{_ANY_KEY} (?:is|was)|{_HAN_KEY})",
        MIXED,
        *("key", "鑰", "钥"),
        gate=_NAMED_GATE,
        holds=looks_random,
    ),
    beside(
        "token",
        f"(?:tokens?|{_HAN_TOKEN})",
        MIXED,
        *("token", "權杖", "令牌", "トークン", "토큰"),
        gate=_NAMED_GATE,
        holds=looks_random,
    ),
    beside(
        "secret",
        "(?:secrets?|credentials?|creds|" + _HAN_SECRET + ")",
        MIXED,
        *("secret", "cred", "憑證", "凭证"),
        gate=_NAMED_GATE,
        holds=looks_random,
    ),
    beside(
        "password",
        f"(?:{_PASSWORD_NAMES}s?|{_HAN_PASSWORD})",
        MIXED,
        *("pass", "pwd", *_HAN_PASSWORD_HINTS),
        gate=_NAMED_GATE,
        holds=looks_random,
    ),
    *numbered("card-number", _CARD, _CARD_NUMBER, *_CARD_HINTS, holds=passes_luhn),
    *numbered(
        "ssn",
        "(?:ssn|social security|社會安全|社会安全)",
        _SSN,
        *("ssn", "social security", "社會安全", "社会安全"),
    ),
)

RULES = (
    Rule(
        "private-key",
        ("-----BEGIN ",),
        # Without its end, the lines that can only be key material go with the header.
        re.compile(
            rf"(?P<secret>-----BEGIN {_PRIVATE_KEY}"
            rf"(?:(?:[^-\"]|-(?!----BEGIN )|\"[\s+,\\nr]*\"){{0,20000}}?-----END {_PRIVATE_KEY}"
            rf"|(?:{_BETWEEN_LINES}*{_PEM_FIELD})*"
            rf"(?:{_BETWEEN_LINES}*[A-Za-z0-9+/=]{{16,}})*(?:{_BETWEEN_LINES}+[A-Za-z0-9+/]{{0,15}}={{1,2}})?))"
        ),
    ),
    *_PROVIDERS,
    *_PLACES,
    *_NAMED,
    *_NEAR,
)
"""Tried in this order: what a token is called by its own look says more than what it was given to."""

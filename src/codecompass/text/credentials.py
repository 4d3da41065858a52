"""Credential detection: finds and masks keys and tokens in text by their format, in any file.

A detector is a row: its name, literals that such a credential always contains, and a pattern whose group `secret` is
masked. The text before that group remains, so that a reader sees what kind of credential it was.
"""

import re
from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

import re2

from codecompass.model.secrecy import MASK

MASKED_NOTE = "masked_secrets"
"""The note on a text with masked credentials."""
_MIN_DISTINCT = 7
"""A token with fewer distinct characters than this is a placeholder such as `ghp_xxxxxxxx`."""
_PLACEHOLDER = re.compile(
    rb"(?i)example|placeholder|changeme|redacted|dummy|your[_-]?|xxxxx|\*\*\*|(0123456789|1234567890|abcdefghij){2}"
)


class Credential(NamedTuple):
    """One credential in a text, as byte offsets."""

    start: int
    end: int
    kind: str


class CredentialDetector(NamedTuple):
    kind: str
    letters: tuple[bytes, ...]
    pattern: re.Pattern[bytes]


def _make_detector(kind: str, letters: str, pattern: str) -> CredentialDetector:
    return CredentialDetector(kind, tuple(letters.encode().split()), re.compile(pattern.encode()))


def _make_token_detector(kind: str, prefix: str, body: str) -> CredentialDetector:
    """Build a detector for tokens with one of the space-separated prefixes."""
    heads = "|".join(re.escape(head) for head in prefix.split())
    return _make_detector(kind, prefix, rf"(?<![A-Za-z0-9_])(?:{heads})(?P<secret>{body})(?![A-Za-z0-9])")


DETECTORS: tuple[CredentialDetector, ...] = (
    # The body of a key in PEM or OpenPGP armour, also with `\n` written out as it is in JSON.
    _make_detector(
        "private key",
        "PRIVATE",
        r"-----BEGIN (?:[A-Z0-9]{1,12} ){0,3}PRIVATE KEY(?: BLOCK)?-----(?P<secret>[^-]{40,20000})(?:-----END|\Z)",
    ),
    _make_detector(
        "PuTTY private key", "Private-Lines:", r"Private-Lines: ?[0-9]+\r?\n(?P<secret>[A-Za-z0-9+/=\s]{40,20000})"
    ),
    _make_token_detector("age key", "AGE-SECRET-KEY-1", "[0-9A-Z]{50,60}"),
    _make_token_detector("GitHub token", "ghp_ gho_ ghu_ ghs_ ghr_", "[A-Za-z0-9]{36,251}"),
    _make_token_detector("GitHub token", "github_pat_", "[A-Za-z0-9_]{60,120}"),
    _make_token_detector(
        "GitLab token",
        "glpat- gldt- glptt- glrt- glft- glimt- glagent- gloas- glcbt- glsoat- glffct-",
        "[A-Za-z0-9_.-]{18,300}",
    ),
    _make_token_detector("AWS access key", "AKIA ASIA ABIA ACCA", "[A-Z2-7]{16}"),
    _make_detector(
        "AWS secret key",
        "ecret",
        r"(?i:aws|secret)_?(?i:secret|access)?_?(?i:access)?_?(?i:key)[\"']?\s{0,5}[:=]{1,2}>?\s{0,5}[\"']?"
        r"(?P<secret>(?=[A-Za-z0-9/+]{0,39}[0-9])(?=[A-Za-z0-9/+]{0,39}[A-Z])[A-Za-z0-9/+]{40})(?![A-Za-z0-9/+=])",
    ),
    _make_token_detector("Amazon Bedrock key", "ABSK", "[A-Za-z0-9+/]{100,270}={0,2}"),
    _make_token_detector("Google API key", "AIza", "[A-Za-z0-9_-]{35}"),
    _make_token_detector("Google OAuth secret", "GOCSPX-", "[A-Za-z0-9_-]{20,40}"),
    _make_token_detector("Google OAuth token", "ya29.", "[A-Za-z0-9_-]{30,300}"),
    _make_detector("Azure storage key", "AccountKey=", r"AccountKey=(?P<secret>[A-Za-z0-9+/]{86}==)"),
    _make_detector(
        "Azure client secret", "Q~", r"(?<![A-Za-z0-9_~.])[A-Za-z0-9_~.]{3}[0-9]Q~(?P<secret>[A-Za-z0-9_~.-]{31,34})"
    ),
    _make_token_detector("Slack token", "xoxb- xoxp- xoxa- xoxr- xoxs- xoxe- xoxo- xapp-", "[A-Za-z0-9-]{16,260}"),
    _make_detector("Slack webhook", "hooks.slack.com", r"hooks\.slack\.com/[a-z]{5,10}/(?P<secret>[\w/+-]{24,80})"),
    _make_detector("Discord webhook", "/api/webhooks/", r"/api/webhooks/[0-9]{15,22}/(?P<secret>[\w-]{40,90})"),
    _make_detector(
        "Telegram bot token", ":AA", r"(?<![0-9])[0-9]{8,10}:(?P<secret>AA[A-Za-z0-9_-]{33})(?![A-Za-z0-9_-])"
    ),
    _make_token_detector("Stripe key", "sk_live_ rk_live_ sk_test_ rk_test_ whsec_", "[A-Za-z0-9]{20,120}"),
    _make_token_detector("OpenAI key", "sk-proj- sk-svcacct- sk-admin-", "[A-Za-z0-9_-]{40,220}"),
    _make_detector("OpenAI key", "T3BlbkFJ", r"(?<![A-Za-z0-9])sk-(?P<secret>[A-Za-z0-9]{20}T3BlbkFJ[A-Za-z0-9]{20})"),
    _make_token_detector("Anthropic key", "sk-ant-api03- sk-ant-admin01- sk-ant-oat01-", "[A-Za-z0-9_-]{60,140}"),
    _make_token_detector("Hugging Face token", "hf_ api_org_", "[A-Za-z]{34}"),
    _make_token_detector("npm token", "npm_", "[A-Za-z0-9]{36}"),
    _make_token_detector("PyPI token", "pypi-AgE", "[A-Za-z0-9_-]{50,1000}"),
    _make_token_detector("RubyGems key", "rubygems_", "[a-f0-9]{48}"),
    _make_token_detector("Docker Hub token", "dckr_pat_ dckr_oat_", "[A-Za-z0-9_-]{27,40}"),
    _make_token_detector("SendGrid key", "SG.", r"[A-Za-z0-9_-]{16,32}\.[A-Za-z0-9_-]{16,64}"),
    _make_token_detector("Mailgun key", "key-", "[a-f0-9]{32}"),
    _make_token_detector("Shopify token", "shpat_ shpca_ shppa_ shpss_", "[A-Fa-f0-9]{32}"),
    _make_token_detector("Square token", "sq0atp- sq0csp-", "[A-Za-z0-9_-]{22,64}"),
    _make_token_detector("DigitalOcean token", "dop_v1_ doo_v1_ dor_v1_", "[a-f0-9]{64}"),
    _make_token_detector("Databricks token", "dapi", "[a-f0-9]{32}(?:-[0-9])?"),
    _make_token_detector("HashiCorp Vault token", "hvs. hvb. hvr.", "[A-Za-z0-9_-]{24,300}"),
    _make_detector(
        "Terraform Cloud token", ".atlasv1.", r"[A-Za-z0-9]{14}\.atlasv1\.(?P<secret>[A-Za-z0-9=_-]{60,70})"
    ),
    _make_token_detector("Doppler token", "dp.pt. dp.st. dp.ct.", r"[A-Za-z0-9._-]{40,60}"),
    _make_token_detector("Grafana token", "glsa_ glc_", "[A-Za-z0-9_+/=]{32,400}"),
    _make_token_detector("Linear key", "lin_api_ lin_oauth_", "[A-Za-z0-9]{40,64}"),
    _make_token_detector("Notion token", "ntn_ secret_", "[A-Za-z0-9]{43,50}"),
    _make_token_detector("New Relic key", "NRAK- NRJS- NRII-", "[A-Za-z0-9_-]{19,40}"),
    _make_token_detector("Sentry token", "sntrys_ sntryu_", "[A-Za-z0-9+/=_-]{40,300}"),
    _make_token_detector("Postman key", "PMAK-", "[a-f0-9]{24}-[a-f0-9]{34}"),
    _make_token_detector("Fly.io token", "fm2_ fo1_", "[A-Za-z0-9+/=_-]{40,600}"),
    _make_token_detector("Heroku key", "HRKU-", "[A-Za-z0-9_-]{36,70}"),
    _make_token_detector("Supabase key", "sbp_ sb_secret_", "[A-Za-z0-9_-]{30,60}"),
    _make_token_detector("Groq key", "gsk_", "[A-Za-z0-9]{48,56}"),
    _make_token_detector("Pulumi token", "pul-", "[a-f0-9]{40}"),
    # A signed web token: header and claims are public, the signature proves who may act.
    _make_detector(
        "JSON web token", "eyJ", r"(?<![\w-])eyJ[\w-]{10,2000}\.(?P<secret>eyJ[\w-]{10,4000}\.[\w-]{20,1200})"
    ),
)


_LOOKAROUND = re.compile(r"\(\?<?[!=][^()]*\)")
_RANGE = re.compile(r"\{(\d+)(?:,(\d+))?\}")
_MOST_REPEATS = 16
"""Repetitions that the combined pattern counts: RE2 expands them all."""
_SPACES = r" \t\n\r\f\v"


def _relax(pattern: str) -> str:
    """Relax a pattern for RE2: what it matches includes every match of the original."""
    pattern = _LOOKAROUND.sub("", pattern).replace("(?P<secret>", "(?:").replace(r"\Z", r"\z")
    pattern = pattern.replace(r"\s]", _SPACES + "]").replace(r"\s", f"[{_SPACES}]")
    return _RANGE.sub(_relax_range, pattern)


def _relax_range(found: re.Match[str]) -> str:
    least, most = int(found[1]), int(found[2] or found[1])
    return found[0] if most <= _MOST_REPEATS else f"{{{min(least, _MOST_REPEATS)},}}"


@cache
def compile_any() -> re.Pattern[bytes]:
    """Compile one pattern that matches in every text with a credential: a pass in linear time rules out the others."""
    compiled: re.Pattern[bytes] = re2.compile(
        "|".join(_relax(row.pattern.pattern.decode()) for row in DETECTORS).encode()
    )
    return compiled


def find_credentials(text: bytes) -> Iterator[Credential]:
    """Yield every credential of a text, by detector, without placeholders and documented examples."""
    if compile_any().search(text) is None:
        return
    for detector in DETECTORS:
        if not any(letters in text for letters in detector.letters):
            continue
        for match in detector.pattern.finditer(text):
            if not _is_placeholder(match["secret"]):
                yield Credential(*match.span("secret"), detector.kind)


def mask_credentials(text: bytes) -> bytes:
    """Mask every credential, preserving length and line breaks; return the same object if there is none."""
    masked: bytearray | None = None
    for found in find_credentials(text):
        masked = masked if masked is not None else bytearray(text)
        masked[found.start : found.end] = _mask(text[found.start : found.end])
    return text if masked is None else bytes(masked)


def describe_credentials(text: str) -> Iterator[str]:
    """Yield the kind and line of each credential in a text, without revealing any part of it."""
    raw = text.encode("utf-8", "replace")
    for found in sorted(find_credentials(raw)):
        line = raw.count(b"\n", 0, found.start) + 1
        yield f"{found.kind} in line {line}"


def _mask(secret: bytes) -> bytes:
    """Return a mask of the same length. Line breaks are preserved, so that line numbers do not change."""
    stars = (MASK + b"*" * len(secret))[: len(secret)]
    if b"\n" not in secret and b"\r" not in secret:
        return stars
    lines = re.split(rb"(\r?\n|\r)", secret)
    kept = [line if line[:1] in (b"\n", b"\r") else b"*" * len(line) for line in lines]
    longest = max(range(len(kept)), key=lambda at: len(kept[at]))
    first = next((at for at, line in enumerate(kept) if len(line) > len(MASK)), longest)
    kept[first] = (MASK + kept[first])[: len(kept[first])]
    return b"".join(kept)


def _is_placeholder(secret: bytes) -> bool:
    return len(set(secret)) < _MIN_DISTINCT or _PLACEHOLDER.search(secret) is not None

"""Secret redaction and escaping of invisible characters, for log lines and for captured memory."""

import re

REDACTED = "[redacted]"
MASK = b"[secret masked]"
"""Start of a credential that is masked in place; asterisks fill the rest, so that no offset changes."""
MASK_NOTE = (
    "Credentials in the source are masked: '[secret masked]' stands in their place, not in the file. "
    "Before you edit such a line, read the file with read_file."
)
_NAMES = (
    r"authorization|proxy-authorization|cookie|set-cookie|x-api-key|api[-_ ]?key|access[-_ ]?key|token|[a-z]+[-_]token"
    r"|secret|[a-z]+[-_]secret|passwd|password|passphrase|pwd|credentials?|private[-_ ]?key"
)
SENSITIVE = re.compile(rf"(?:{_NAMES})", re.IGNORECASE)
_RULES: tuple[tuple[re.Pattern[str], str, tuple[str, ...]], ...] = (
    (
        re.compile(r"-----BEGIN [A-Z ]*PRIVATE KEY-----.*?(?:-----END [A-Z ]*PRIVATE KEY-----|\Z)", re.DOTALL),
        REDACTED,
        ("private key-----",),
    ),
    # user:password@ in a URL.
    (re.compile(r"(?i)\b([a-z][a-z0-9+.-]{0,20}://)[^/\s@'\"]{1,500}@"), rf"\1{REDACTED}@", ("://",)),
    (re.compile(r"(?i)\b(bearer)\s+(?!(?:tokens?|auth\w*|schemes?|headers?"
    r"|credentials?)\b)[^\s'\",;]{4,}"), rf"\1 {REDACTED}", ("bearer",)),
    (
        # What is encoded has digits, signs or capitals inside; "basic documentation" is prose.
        re.compile(
            r"(?i)\b(basic|digest|negotiate)\s+(?=[A-Za-z0-9+/=._~-]*(?:[0-9+/=]|(?-i:[a-z][A-Z])))[A-Za-z0-9+/=._~-]{8,}"
        ),
        rf"\1 {REDACTED}",
        ("basic", "digest", "negotiate"),
    ),
    # name: value, name=value, "name": "value"; the rest of the line for headers, one word otherwise.
    (
        re.compile(r"(?im)\b((?:proxy-)?authorization|(?:set-)?cookie)([\"']?\s*[:=]\s*)[^\r\n]+"),
        rf"\1\2{REDACTED}",
        ("authorization", "cookie"),
    ),
    (
        re.compile(rf"(?i)(?<![a-z0-9])({_NAMES})([\"']?\s*[:=]\s*[\"']?)(?!{re.escape(REDACTED)})[^\s\"',;&}}\])]+"),
        rf"\1\2{REDACTED}",
        ("authorization", "cookie", "key", "token", "secret", "passwd", "password", "passphrase", "pwd", "credential"),
    ),
    # Tokens with a known prefix.
    (
        re.compile(
            r"\b(?:gh[pousr]_|github_pat_|glpat-|xox[abprs]-|sk-|pk_live_|sk_live_|AKIA|ASIA|AIza|npm_|pypi-|hf_)"
            r"[A-Za-z0-9_\-]{8,}|\beyJ[A-Za-z0-9_\-]{8,}\.[A-Za-z0-9_\-.]+"
        ),
        REDACTED,
        (
            "ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_", "glpat-", "xox", "sk-", "pk_live_", "sk_live_",
            "akia", "asia", "aiza", "npm_", "pypi-", "hf_", "eyj",
        ),
    ),
)  # fmt: skip
"""(pattern of a secret, its replacement, substrings of which a match contains one: a cheap test before the pattern)."""
# C0, DEL and C1; bidirectional controls; line and paragraph separators; lone surrogates.
_INVISIBLE = re.compile("[\x00-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ud800-\udfff\ufeff]")


def redact_secrets(text: str, home: str = "") -> str:
    """Replace everything that looks like a secret, and write the home directory as `~`."""
    # Case folding beyond ASCII is left to the patterns: skip the substring test.
    plain = text.lower() if text.isascii() else ""
    for pattern, instead, hints in _RULES:
        if not plain or any(hint in plain for hint in hints):
            text = pattern.sub(instead, text)
    return text.replace(home, "~") if len(home) > 1 else text


def escape_invisible(text: str) -> str:
    """Escape characters that could move a cursor, colour a terminal or begin a new line."""
    return _INVISIBLE.sub(_escape_char, text)


def _escape_char(match: re.Match[str]) -> str:
    code = ord(match[0])
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"

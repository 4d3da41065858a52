"""Secrecy: what looks like a secret, and what cannot be seen; for lines of the log and for what memory captures."""

import re

HIDDEN = "[redacted]"
_NAMES = (
    r"authorization|proxy-authorization|cookie|set-cookie|x-api-key|api[-_ ]?key|access[-_ ]?key|token|[a-z]+[-_]token"
    r"|secret|[a-z]+[-_]secret|passwd|password|passphrase|pwd|credentials?|private[-_ ]?key"
)
SENSITIVE = re.compile(rf"(?:{_NAMES})", re.IGNORECASE)
_RULES: tuple[tuple[re.Pattern[str], str], ...] = (
    (re.compile(r"-----BEGIN [A-Z ]*PRIVATE KEY-----.*?(?:-----END [A-Z ]*PRIVATE KEY-----|\Z)", re.DOTALL), HIDDEN),
    # user:password@ in an address.
    (re.compile(r"(?i)\b([a-z][a-z0-9+.-]{0,20}://)[^/\s@'\"]{1,500}@"), rf"\1{HIDDEN}@"),
    (re.compile(r"(?i)\b(bearer)\s+[^\s'\",;]{4,}"), rf"\1 {HIDDEN}"),
    (re.compile(r"(?i)\b(basic|digest|negotiate)\s+[A-Za-z0-9+/=._~-]{8,}"), rf"\1 {HIDDEN}"),
    # name: value, name=value, "name": "value"; the rest of the line for headers, one word otherwise.
    (re.compile(r"(?im)\b((?:proxy-)?authorization|(?:set-)?cookie)([\"']?\s*[:=]\s*)[^\r\n]+"), rf"\1\2{HIDDEN}"),
    (re.compile(rf"(?i)(?<![a-z0-9])({_NAMES})([\"']?\s*[:=]\s*[\"']?)[^\s\"',;&}}\])]+"), rf"\1\2{HIDDEN}"),
    # Tokens that tell what they are by their first letters.
    (
        re.compile(
            r"\b(?:gh[pousr]_|github_pat_|glpat-|xox[abprs]-|sk-|pk_live_|sk_live_|AKIA|ASIA|AIza|npm_|pypi-|hf_)"
            r"[A-Za-z0-9_\-]{8,}|\beyJ[A-Za-z0-9_\-]{8,}\.[A-Za-z0-9_\-.]+"
        ),
        HIDDEN,
    ),
)
# C0, DEL and C1; the marks that turn the direction of text around; line and paragraph separators; halves of pairs.
_UNSEEN = re.compile("[\x00-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ud800-\udfff\ufeff]")


def without_secrets(text: str, home: str = "") -> str:
    """Text with everything taken out that looks like a secret, and with the home directory as `~`."""
    for pattern, instead in _RULES:
        text = pattern.sub(instead, text)
    return text.replace(home, "~") if len(home) > 1 else text


def visible(text: str) -> str:
    """Text that cannot move a cursor, colour a terminal or begin a new line."""
    return _UNSEEN.sub(_spelled, text)


def _spelled(match: re.Match[str]) -> str:
    code = ord(match[0])
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"

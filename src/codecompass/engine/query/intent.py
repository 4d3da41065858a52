"""Intent: what kind of question a query is. Rules in order; the first that fits decides."""

import re

_ERROR = re.compile(
    r"\b(?:error|exception|panic|fatal|traceback|errno)\b\s*[:(\[]|\bTraceback \(most recent|\b(?:E|ERR)[-_]?\d{2,}\b"
    r"|\bat line \d+|thread '[^']*' panicked|^\s*File \"|0x[0-9a-fA-F]{4,}|\b[A-Z]\w*(?:Error|Exception)\s*:",
    re.IGNORECASE,
)
_QUOTED = re.compile(r"^\s*(?:\"[^\"]+\"|`[^`]+`|'[^']+')\s*$|\"[^\"]{3,}\"")
_PATHLIKE = re.compile(r"^[\w.@+~-]*(?:[/\\][\w.@+~*-]+)+/?$|^[\w@+~-]+(?:\.[\w-]+)*\.[a-z][a-z0-9]{0,7}$")
_EXTENSION = re.compile(r"\.(?:[a-z]{1,4}|[a-z]{2}[0-9]|json|yaml|toml|lock|scss|html|java|swift|scala|proto)$")
_IDENTIFIER = re.compile(r"^[A-Za-z_$][\w$]*(?:(?:::|\.|#|->)[A-Za-z_$~][\w$]*)*(?:\(\))?[!?]?$")
_KIND_WORDS = frozenset(
    "fn func function def method class struct enum trait interface type const var mod module macro".split()
)


def classify(query: str) -> str:
    """`symbol`, `path`, `error` or `natural_language`."""
    text = query.strip()
    words = text.split()
    if _ERROR.search(text) or _QUOTED.search(text):
        return "error"
    if len(words) == 1:
        return _classify_word(text)
    if len(words) == 2 and words[0].lower() in _KIND_WORDS and _IDENTIFIER.match(words[1]):
        return "symbol"
    return "natural_language"


def _classify_word(word: str) -> str:
    if _PATHLIKE.match(word) and ("/" in word or "\\" in word or _EXTENSION.search(word)):
        # `os.path` and `Foo.bar` look like a name with an ending; only endings that files have make it a path.
        return "path"
    return "symbol" if _IDENTIFIER.match(word) else "natural_language"

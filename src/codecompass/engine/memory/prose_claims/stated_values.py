"""Stated values: find defaults, flags and versions that plain prose states. Pure."""

import re
from collections.abc import Iterator

from codecompass.model.memory_values import Claim

_LITERAL = (
    r"(-?\d[\d_,]*(?:\.\d+)*\s?(?:ms|s|m|h|d|k|kb|mb|gb|kib|mib|gib|%)?(?![\w.]*\w)"
    r"|\"[^\"\n]{1,60}\"|'[^'\n]{1,60}'|``[^`\n]{1,60}``|`[^`\n]{1,60}`|true\b|false\b|null\b|none\b)"
)
_BEHIND = re.compile(
    r"^[`)\s]*(?:(?:environment\s+)?(?:variables?|settings?|options?|flags?|keys?|parameters?|fields?)\b)?"
    r"\s*(?:\([^()\n]{0,20}?|[,:–—|-]\s*|\|[^|\n]{0,20})?\s*(?:\*\*|_)?(?:which "
    r"|that |it |and |or )?(?:by )?(?:the )?"
    r"(?:is\s+|are\s+)?(?:defaults?(?:\s+(?:value|to|is|of))*|set\s+to|is\s+set\s+to|equals)\s*(?:\*\*|_)?[:=]?\s*(?:to\s+|is\s+|of\s+)?"
    + _LITERAL,
    re.IGNORECASE,
)
_CELL = re.compile(r"^[`*\s]*\|\s*" + _LITERAL + r"\s*\|", re.IGNORECASE)
_BEHIND_BY_DEFAULT = re.compile(
    r"^[`)\s]*(?:is|are|of|:|=)\s*" + _LITERAL + r"\s*(?:\w+\s+)?(?:by default|unless)", re.IGNORECASE
)
_PLAIN_DEFAULT = re.compile(
    r"\b(?:the\s+)?(?:default|maximum|minimum|max|min)\s+(?:value\s+(?:of|for)\s+)?(?:the\s+)?([a-z][\w-]*(?:\s+[a-z][\w-]*){0,2}?)\s+"
    r"(?:is|are|of|=|:)\s*(?:set\s+to\s+)?" + _LITERAL,
    re.IGNORECASE,
)
_PLAIN_DEFAULTS_TO = re.compile(
    r"\b([a-z][\w-]*(?:\s+[a-z][\w-]*){0,2})\s+(?:defaults?\s+to|is\s+(?:set|limited|capped)\s+(?:to|at)|(?:is|are)\s+by\s+default)\s*:?\s*"
    + _LITERAL,
    re.IGNORECASE,
)
_PLAIN_NUMBER = re.compile(
    r"\b(?:on|at|uses?|listens?\s+on|after|within|every|up\s+to|at\s+most|of)\s+(?:the\s+)?(port|timeout|ttl|retries|retry|workers|threads|limit|interval)"
    r"\s+(?:of\s+)?(\d[\d_,]*)\b",
    re.IGNORECASE,
)
_FLAG = re.compile(r"(?<![\w-])(--[a-z][a-z0-9]*(?:-[a-z0-9]+)*)(?![\w-])")
_COMMON_WORDS = frozenset(
    "the a an it this that which value default setting option is are be of in to for and"
    " or you we they number there here all"
    " each every any its their one two result method function page file line section example".split()
)
RUNTIMES: dict[str, tuple[str, ...]] = {
    "Python": (
        "requires-python",
        "python_requires",
        "python-version",
        "python_version",
        "python:",
        "python =",
        "python=",
    ),
    "Node.js": ('"node"', "node-version", "node:", "node_version", "nodejs"),
    "Ruby": ("ruby", "required_ruby_version", "ruby-version"),
    "Go": ("go ", "go-version", "golang:"),
    "Java": ("java", "jdk", "sourceCompatibility", "maven.compiler", "jvmToolchain"),
    "Rust": ("rust-version", "msrv", "channel", "toolchain", "rust:"),
    "PHP": ('"php"', "php-version", "php:"),
    "Elixir": ("elixir",),
    ".NET": ("TargetFramework", "dotnet-version", '"version"', "dotnet/sdk"),
    "PostgreSQL": ("postgres:", "postgresql"),
    "Redis": ("redis:",),
}
"""Runtime → words of the lines that state its version in manifests, pipelines and version files."""
RUNTIME_FILES: dict[str, str] = {
    ".python-version": "Python", ".nvmrc": "Node.js", ".node-version": "Node.js", ".ruby-version": "Ruby",
    ".go-version": "Go", ".java-version": "Java", "rust-toolchain": "Rust",
}  # fmt: skip
_ALIASES = {
    "node": "Node.js",
    "nodejs": "Node.js",
    "node.js": "Node.js",
    "golang": "Go",
    "postgres": "PostgreSQL",
    "jdk": "Java",
}
_RUNTIME = re.compile(
    r"\b(Python|Node(?:\.?js)?|Ruby|Go(?:lang)?|Java|JDK|Rust|PHP|Elixir|PostgreSQL|Postgres|Redis)\s*"
    r"(?:version\s*)?[\"'`]?(?:>=|≥|=>|\^|~>?|v)?\s*v?(\d+(?:\.\d+){0,2})(?![\w.]*\w)|(\.NET)\s+(?:SDK\s+|Core\s+)?(\d+(?:\.\d+)?)(?![\w.]*\w)",
)
_RUNTIME_CUE = re.compile(
    r"\b(?:requires?|required|requirements?|needs?|supports?|supported|minimum|min"
    r"|at least|or (?:later|newer|higher|above|greater|up)"
    r"|prerequisites?|install(?:ed)?|runs? (?:on|with)|running|compatible|tested"
    r"|built? (?:on|with)|target(?:s|ing)?|we use|uses|version)\b|\d\+",
    re.IGNORECASE,
)


def parse_stated_value(after: str) -> str:
    """Return the value that the words directly behind a name give it as its default; empty if there is none."""
    found = _BEHIND.match(after) or _BEHIND_BY_DEFAULT.match(after) or _CELL.match(after)
    return _strip_marks(found[1]) if found else ""


def iter_stated_defaults(text: str) -> Iterator[tuple[int, Claim]]:
    """Yield (offset, claim) for each value that plain words are given: "the default port is 8080"."""
    for pattern in (_PLAIN_DEFAULT, _PLAIN_DEFAULTS_TO, _PLAIN_NUMBER):
        for match in pattern.finditer(text):
            words = [word for word in re.split(r"[\s-]+", match[1].casefold()) if word not in _COMMON_WORDS]
            value = _strip_marks(match[2])
            if words and len(value) > 1 or words and value.isdigit():
                yield match.start(1), Claim("default", " ".join(match[0].split()), " ".join(words), value)


def iter_flags(text: str, after: str = "") -> Iterator[tuple[int, Claim]]:
    """Yield (offset, claim) for each option of a command line."""
    for match in _FLAG.finditer(text):
        behind = text[match.end() : match.end() + 60] or after
        given = re.match(r"^=([\w.:/-]+)$", text[match.end() :]) if match.start() == 0 else None
        value = parse_stated_value(behind)
        yield match.start(), Claim("flag", match[0], match[0], value if not given else "")


def iter_runtimes(text: str) -> Iterator[tuple[int, Claim]]:
    """Yield (offset, claim) for each version of a language or database that a sentence asks for."""
    for match in _RUNTIME.finditer(text):
        around = text[max(0, match.start() - 80) : match.end() + 40]
        if _RUNTIME_CUE.search(around):
            name = match[1] or match[3]
            yield match.start(), Claim("version", match[0], _ALIASES.get(name.casefold(), name), match[2] or match[4])


def _strip_marks(value: str) -> str:
    return value.strip().strip("`").strip("'\"").strip()

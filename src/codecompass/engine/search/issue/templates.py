"""Templates: the lines that forms for issues and pull requests add, which say nothing about the problem."""

import re

_HEADING = re.compile(
    r"^\s*(?:#{1,6}\s+(?P<marked>.+?)\s*#*|\*\*(?P<bold>[^*]{3,60})\*\*:?|(?P<plain>[A-Z][\w '/&()-]{2,50}):)\s*$"
)
_FORM_HEADINGS = (
    r"describe the (?:bug|issue|problem)", r"(?:bug )?(?:problem )?description", r"steps? (?:to|for) reproduc\w*",
    r"(?:how )?to reproduce", r"reproduc\w+(?: steps| code| example)?",
    r"(?:minimal|self-contained|complete)[\w ,-]*example", r"code(?: sample| for reproduction)?", r"mcve",
    r"what (?:happened|did you (?:do|expect|see)|is the (?:problem|expected|current))[\w ]*",
    r"(?:expected|actual|current|observed)(?: behaviou?r| results?| outcome| output)?[\w ./-]*",
    r"(?:additional|further) (?:context|info\w*)", r"problem", r"summary", r"motivation", r"solution", r"background",
    r"details?", r"(?:relevant )?(?:error (?:message|log|output)|logs?|output)", r"screenshots?",
    r"possible (?:fix|solution)", r"is your feature[\w ]*", r"what changed",
)  # fmt: skip
_ASIDE_HEADINGS = (
    r"(?:your |system )?environment(?: info\w*)?", r"versions?(?: info\w*)?", r"system (?:details|info\w*)",
    r"platform", r"operating system", r"os", r"setup", r"(?:desktop|smartphone)[\w ]*", r"(?:pre-?)?check ?list",
    r"before submitting[\w ]*", r"(?:installed |python |relevant )?(?:packages|dependencies|versions?)",
    r"\w+ versions?", r"output of \W?\w[\w. ]*show_versions", r"types? of changes?", r"test plan", r"release notes?",
    r"how (?:has|was) this (?:been )?tested",
)  # fmt: skip
_FORM_LINES = (
    r"[-*]\s*\[[ xX]\]", r"(?:thanks?|thank you|cheers|hi|hello|hey|dear)\b.{0,40}$",
    r"(?:fix(?:e[sd])?|close[sd]?|resolve[sd]?|refs?|see|related to|part of|follow-?up to)\W+"
    r"(?:#\d+|https?://\S+|[\w/-]+#\d+)\W*$",
    r"(?:-{3,}|={3,}|\*{3,}|_{3,})\s*$", r"</?\w+>\s*$", r"!\[",
    r"please (?:fill|describe|provide|make sure|read|complete|include)\b",
    r"i(?:'ve| have) (?:searched|checked|read|verified)\b",
)  # fmt: skip
_VERSIONED = (
    r"os", r"operating system", r"platform", r"python", r"node(?:\.?js)?", r"ruby", r"go", r"java", r"rust", r"php",
    r"npm", r"yarn", r"pip", r"browser", r"version", r"\w[\w. -]{0,30}version",
)  # fmt: skip


def _match_any(rows: tuple[str, ...], before: str, after: str) -> re.Pattern[str]:
    return re.compile(f"{before}(?:{'|'.join(rows)}){after}", re.IGNORECASE)


_FORM_HEADING = _match_any(_FORM_HEADINGS, r"^\W*", r"\W*$")
_ASIDE_HEADING = _match_any(_ASIDE_HEADINGS, r"^\W*", r"\W*$")
_FORM_LINE = _match_any(_FORM_LINES, r"^\s*", "")
_VERSION_LINE = _match_any(_VERSIONED, r"^\s*[-*]?\s*\W{0,2}", r"\W{0,3}[:=]\W{0,3}.{0,60}$")
_PINNED_LINE = re.compile(r"^\s*\w[\w.-]+\s*(?:==|: ?)\s*v?\d+(?:\.\d+)+\S*\s*$")
_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)


def drop_comments(text: str) -> str:
    """Drop what a form says to who fills it in; line numbers stay."""
    return _COMMENT.sub(lambda match: "\n" * match[0].count("\n"), text) if "<!--" in text else text


def read_heading(line: str) -> str | None:
    """Return the text of a heading; None for other lines."""
    found = _HEADING.match(line) if len(line) < 300 else None
    return next(filter(None, found.groups()), "").strip() if found is not None else None


def is_form_heading(heading: str) -> bool:
    """Whether a heading only names the part of a form."""
    return _FORM_HEADING.match(heading) is not None


def opens_aside(heading: str) -> bool:
    """Whether what follows a heading describes the machine or the form, not the problem."""
    return _ASIDE_HEADING.match(heading) is not None


def is_form_line(line: str) -> bool:
    """Whether a line belongs to a form: a check box, a greeting, a link to another issue."""
    return _FORM_LINE.match(line) is not None


def is_version_line(line: str) -> bool:
    """Whether a line says which version of something runs."""
    return len(line) < 200 and (_VERSION_LINE.match(line) or _PINNED_LINE.match(line)) is not None

"""Path patterns: a substring, a glob or a `/regex/`, matched by RE2 or plain search in linear time."""

import re
from collections.abc import Callable

import re2

from codecompass.model.path_text import display_path, parse_displayed_path
from codecompass.model.queries.filters import make_invalid_value

PathTest = Callable[[str], bool]
_REGEX = re.compile(r"/(.+)/([a-z]*)", re.DOTALL)
_FLAGS = frozenset("gimsu")
_GLOB = frozenset("*?[{")
_MAX_MEMORY = 8 << 20


def compile_path_test(field: str, pattern: str, *, case: bool) -> PathTest:
    """Compile a path pattern to a test of paths as answers show them; an invalid expression is INVALID_REQUEST."""
    written = _REGEX.fullmatch(pattern)
    if written and _FLAGS.issuperset(written[2]):
        return _compile_regex(field, written[1], case=case, flags=written[2])
    if _GLOB & set(pattern):
        return _compile_regex(field, _glob_to_regex(field, pattern), case=case)
    wanted = parse_displayed_path(pattern).replace("\\", "/").removeprefix("./")
    if case:
        return lambda path: wanted in path
    lowered = wanted.lower()
    return lambda path: lowered in path.lower()


def compile_glob_test(field: str, glob: str, *, case: bool) -> PathTest:
    """Compile a glob to a test; a glob without a slash matches any component of a path."""
    return _compile_regex(field, _glob_to_regex(field, glob), case=case)


def _compile_regex(field: str, expression: str, *, case: bool, flags: str = "") -> PathTest:
    options = re2.Options()
    options.case_sensitive = case and "i" not in flags
    options.dot_nl = "s" in flags
    options.log_errors = False
    options.max_mem = _MAX_MEMORY
    try:
        found = re2.compile(("(?m)" if "m" in flags else "") + display_path(expression), options)
    except re2.error as error:
        message = error.args[0] if error.args else ""
        message = message.decode("utf-8", "replace") if isinstance(message, bytes) else str(message)
        raise make_invalid_value(field, "format", f"is not a valid RE2 regular expression: {message[:120]}") from None

    def matches(path: str) -> bool:
        try:
            return found.search(path) is not None
        except UnicodeEncodeError:
            return found.search(display_path(path)) is not None

    return matches


def _glob_to_regex(field: str, glob: str) -> str:
    """Convert a glob to a regex. Without a slash it matches any component; the match may be a directory."""
    pattern = parse_displayed_path(glob).replace("\\", "/").removeprefix("./").rstrip("/")
    anchored = "/" in pattern
    body = _translate_glob(field, pattern.lstrip("/"))
    return f"^{body}(?:/|$)" if anchored else f"(?:^|/){body}(?:/|$)"


def _translate_glob(field: str, pattern: str) -> str:
    out: list[str] = []
    at = depth = 0
    while at < len(pattern):
        sign = pattern[at]
        if pattern.startswith("**/", at):
            out.append("(?:.*/)?")
            at += 3
            continue
        if pattern.startswith("**", at):
            out.append(".*")
            at += 2
            continue
        end = _class_end(pattern, at) if sign == "[" else 0
        if end:
            inside = pattern[at + 1 : end]
            negated = inside[:1] in ("!", "^")
            chosen = re.sub(r"[\[\]\\^]", r"\\\g<0>", inside[1:] if negated else inside)
            out.append(f"[{'^/' if negated else ''}{chosen}]")
            at = end + 1
            continue
        if sign == "{":
            depth += 1
            out.append("(?:")
        elif sign == "}" and depth:
            depth -= 1
            out.append(")")
        elif sign == "," and depth:
            out.append("|")
        else:
            out.append({"*": "[^/]*", "?": "[^/]"}.get(sign) or re2.escape(display_path(sign)))
        at += 1
    if depth:
        raise make_invalid_value(field, "format", "has an unclosed brace")
    return "".join(out)


def _class_end(pattern: str, at: int) -> int:
    """Return the end of the class that begins at a bracket; 0 if it is not closed, then the bracket is literal."""
    start = at + 2 if pattern[at + 1 : at + 2] in ("!", "^") else at + 1
    return max(pattern.find("]", start + 1), 0)

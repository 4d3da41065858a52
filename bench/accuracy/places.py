"""Places: what the text around a mention says — whether it is a call, and by which shape it reaches its name."""

import re

from bench.accuracy.sources import Place
from bench.accuracy.truth import Truth

_NAME = r"#?[^\W\d][\w$]*|#?\$[\w$]*"
_OPEN = re.compile(rf"(?:{_NAME})\s*(?:!|\?\.)?\s*\(")
_GENERIC = re.compile(rf"(?:{_NAME})\s*(?:\?\.)?<")
_DECORATOR = re.compile(r"^\s*@(?:[\w$]+\s*\.\s*)*$")
_RAISE = re.compile(r"\b(?:raise|from)\s+(?:[\w$]+\s*\.\s*)*$")
_IMPORT = re.compile(r"^\s*(?:from\b|import\b|export\b.*\bfrom\b|export\s*(?:type\s*)?\{)")
_LISTED = re.compile(r"^\s*(?:type\s+)?[\w$]+(?:\s+as\s+[\w$]+)?\s*,?\s*(?:[/#].*)?$")
_HEAD = re.compile(r"^\s*(?:(?:async|get|set|static|public|private|protected|override|readonly|\*)\s*)*$")
_FAR = 2000
_BEFORE = re.compile(r"(?P<close>[\])])?\s*(?:!|\?)?\.\s*$")
_RECEIVER = re.compile(r"([\w$]+)\s*(?:!|\?)?\.\s*$")
_OWN = ("self", "cls", "this", "super")


def is_call(truth: Truth, place: Place) -> bool:
    """Whether the name at a place is called there: brackets follow, after white space and type arguments.

    `new Name` without brackets is a call as well; JSX elements and tagged templates are none.
    """
    text = truth.sources.after(place, _FAR)
    if match := _OPEN.match(text):
        return not _is_definition(truth, place, text[match.end() - 1 :])
    if truth.language == "python":
        return False
    if re.search(r"\bnew\s+(?:[\w$]+\.)*$", truth.sources.before(place)):
        return True
    generic = _GENERIC.match(text)
    return generic is not None and _called_after_generics(text[generic.end() - 1 :])


def _is_definition(truth: Truth, place: Place, brackets: str) -> bool:
    """Whether what looks like a call is the head of a function, or of a method of an object literal."""
    before = truth.sources.before(place)
    if re.search(r"\b(?:def|class|function\*?)\s+$", before):
        return True
    if truth.language == "python" or not _HEAD.match(before):
        return False
    depth = 0
    for at, sign in enumerate(brackets):
        depth += (sign == "(") - (sign == ")")
        if depth == 0:
            return brackets[at + 1 :].lstrip()[:1] in ("{", ":")
    return False


def _called_after_generics(text: str) -> bool:
    """Whether `<…>` at the beginning ends before an opening bracket."""
    depth = braces = 0
    for at, sign in enumerate(text):
        braces += (sign == "{") - (sign == "}")
        if sign == "<":
            depth += 1
        elif sign == ">" and text[at - 1] != "=":
            depth -= 1
            if depth == 0:
                return text[at + 1 :].lstrip().startswith("(")
        elif braces == 0 and (sign == ";" or text.startswith(("&&", "||"), at)):
            return False
    return False


def is_implied_call(truth: Truth, place: Place) -> bool:
    """`@name` and `raise Name` without brackets: calls by their meaning, not by their text; left out on both sides."""
    before = truth.sources.before(place)
    implied = _DECORATOR.match(before) or _RAISE.search(before)
    return implied is not None and not _OPEN.match(truth.sources.after(place))


def _is_open(text: bytes) -> bool:
    """Whether brackets are left open."""
    return text.count(b"(") + text.count(b"{") > text.count(b")") + text.count(b"}")


def in_import(truth: Truth, place: Place) -> bool:
    """Whether a place stands in an import or export list, which may run over many lines."""
    lines = truth.sources.lines(place.path)
    for number in range(place.line, max(0, place.line - 60), -1):
        text = lines[number - 1].decode("utf-8", "replace")
        if _IMPORT.match(text):
            return number == place.line or _is_open(b"\n".join(lines[number - 1 : place.line - 1]))
        if number != place.line and not _LISTED.match(text):
            return False
    return False


def shape(truth: Truth, place: Place) -> str:
    """How a mention reaches its name, for grouping what went wrong."""
    if in_import(truth, place):
        return "import"
    before = truth.sources.before(place)
    if _DECORATOR.match(before):
        return "decorator"
    if not (dot := _BEFORE.search(before)):
        return "bare name"
    if dot["close"]:
        return "chain call"
    receiver = _RECEIVER.search(before)
    if receiver is None:
        return "other"
    if receiver[1] in _OWN:
        return "self.x" if before[: receiver.start()].rstrip()[-1:] != "." else "chain name"
    if before[: receiver.start()].rstrip()[-1:] == ".":
        return "self.a.x" if re.search(r"\b(?:self|cls|this)\.[\w$]+\.$", before) else "a.b.x"
    return _by_receiver(truth, receiver[1], place, len(before[: receiver.start()].encode()))


def _by_receiver(truth: Truth, name: str, place: Place, column: int) -> str:
    """What stands before the point: a module, a class, or a variable."""
    known = truth.at.get(Place(place.path, place.line, column), set())
    if any(key.endswith(("/", "/__init__:")) for key in known):
        return "module.x"
    if any(key.endswith("#") for key in known):
        return "Class.x"
    return "var.x"

"""Claim candidates: extract checkable statements from a text; anchors decide whether they name something. Pure."""

import re
from collections.abc import Iterator

from codecompass.engine.memory.prose_claims.assertions import blank_fences, is_denied
from codecompass.engine.memory.prose_claims.stated_values import (
    iter_flags,
    iter_runtimes,
    iter_stated_defaults,
    parse_stated_value,
)
from codecompass.model.memory_values import Claim

MAX_CLAIMS = 60
"""Maximum claims of one text: a longer list is a catalogue and no statement."""
_CODE_SPAN = re.compile(r"``([^`\n]{1,200})``|`([^`\n]{1,200})`")
_PATH = re.compile(
    r"(?<![\w/.@:-])((?:\.{0,2}/)?(?:[\w@+-][\w.@+-]*/)+(?:[\w.@+-]*[\w+-])?/?"
    r"|\.?[\w@+-][\w.@+-]*\.[A-Za-z][\w]{0,7})(?![\w/])"
)
_FILE = re.compile(r"^\.?[\w@+-][\w.@+-]*\.[A-Za-z]\w{0,7}$|^\.[A-Za-z][\w-]+$|^[A-Z][A-Za-z]+file$")
_NAME = re.compile(r"^[A-Za-z_$][\w$]*(?:(?:\.|::|#|->)[A-Za-z_$][\w$]*)*[!?]?(?:\(.*\))?$")
_TYPE_ARGUMENTS = re.compile(r"(?<=\w)(?:::)?<[\w\s,.?<>\[\]&:|']*>")
"""Type arguments behind a name: `Repository<T>`."""
_SETTING = re.compile(r"^[a-z][a-z0-9]*(?:[-.][a-z0-9_]+)+$")
"""A key of a configuration, such as `server.max-age` or `log-level`."""
_NAME_SEPARATOR = re.compile(r"\.|::|#|->")
_ARITY = re.compile(r"(?<=[\w!?])/\d{1,2}$")
"""The arity of a function, which some languages write behind the name."""
_BARE_NAME = re.compile(
    r"(?<![\w./`@-])([A-Za-z_][\w]*(?:(?:\.|::)[A-Za-z_]\w*)*\(\)|[A-Z][a-z0-9]+(?:[A-Z][a-z0-9]*)+"
    r"|[a-z][a-z0-9]*(?:_[a-z0-9]+)+|[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+|[a-z]+(?:[A-Z][a-z0-9]*)+)(?![\w/`])"
)
_RUN_OPTIONS = r"(?:\s+(?:--?(?:filter|prefix|workspace|cwd|dir|directory|C|F|w)[= ]\s*|workspace\s+)\S+|\s+-\S+)*"
"""Options before a script that select the package to run it in."""
_SCRIPT = re.compile(
    rf"\b(?:(?:npm|pnpm|yarn|bun){_RUN_OPTIONS}\s+run(?:-script)?\s+([\w:.-]+)|(?:yarn|pnpm|bun){_RUN_OPTIONS}\s+([a-z][\w:.-]*)"
    rf"|npm{_RUN_OPTIONS}\s+(test|start)\b|(?:make|just){_RUN_OPTIONS}\s+([A-Za-z][\w.-]*)|tox\s+(?:run\s+)?-e\s*([\w.-]+)|nox\s+-s\s*([\w.-]+)"
    r"|composer\s+(?:run\s+)?([a-z][\w:-]*)|(?:poe|pdm\s+run|hatch\s+run|task)\s+([a-z][\w:-]*)"
    r"|gradlew?(?:\s+-\S+)*\s+(?::?[\w.-]+:)*:?([A-Za-z]\w*)|mvnw?\s[^`\n]{0,80}?-P\s?([\w.-]+)"
    r"|sbt\s+[\"']?([A-Za-z]\w*)|mix\s+([a-z][\w.]*)|cmake\s+--build\s+\S+\s+(?:--target|-t)\s+([\w.-]+)"
    r"|(?:dotnet\s+\w+|msbuild)\b[^`\n]{0,80}?\s[-/]t(?:arget)?:(\w+))"
)
_RUNS = re.compile(
    r"^`{0,2},?\s*\(?(?:which\s+)?(?:runs|stands for|is|executes|calls|means|=|:)\s+`{1,2}([^`\n]{1,250})`"
)
_TOOL_WORDS = frozenset(
    "install add remove ci init publish link why list outdated update upgrade exec dlx create global cache login"
    " version up workspace".split()
)
"""Built-in commands of package managers; scripts only behind an explicit `run`."""
_PROSE_WORDS = frozenset("sure it the a an this that sense use them up".split())
"""Words behind `make` in prose, such as `make sure`."""
_EXPLICIT_RUN = re.compile(r"\s(?:run(?:-script)?|-e|-s)\s*")
"""Marks the next word as a script even if the tool has a command of that name."""
_VERSION = re.compile(
    r"^`{0,2}\s*\(?(?:in version|version|at|v|@|[\^~<>=!]{1,2})?\s*v?(\d+(?:\.\w+)*)\b(?!\s*(?:\w+\s+)?times)"
)
_COORDINATES = re.compile(r"^([\w.-]+:[\w.-]+)(?::(\d[\w.-]*))?$")
"""`group:name` and `group:name:version`: coordinates of JVM packages."""
_VERSIONED = re.compile(r"^(@?[A-Za-z][\w./-]*?)(?:@|\s*[\^~<>=!]{1,2}\s*|\s+v?)[\^~]?(\d[\w.]*)$")
_COMMAND = re.compile(r"^(?:\$\s+)?(?:(?:bash|sh|python3?|node|ruby|perl|php)\s+)?(\.?/?(?:[\w.-]+/)+[\w.-]+)(?:\s|$)")
_PLACE = r"(?:\s*\(?(?:(?:in|from|inside|of)\s+)?`{1,2}[^`\n]{1,80}`{1,2}\)?)?"
"""The file of a name, which may stand between it and its value."""
_SAMPLE_COMMAND = re.compile(r"^(?:\$\s+|\./|(?:bash|sh|python3?|node|ruby|perl|php)\s)")
"""The beginning of a line of a sample that is run, and not printed."""
_VALUE = re.compile(
    rf"^[`)]*{_PLACE}\s*(?:=|:=|is(?: set to| now)?|defaults? to|of|equals|was set to|to(?=\s+[\"'\d])|:)\s*`{{0,2}}"
    r"(-?\d[\d_.,]*\w{0,3}|\"[^\"\n]{0,60}\"|'[^'\n]{0,60}'|[Tt]rue|[Ff]alse)"
)
_DEPENDENCY = re.compile(
    r"\b(?:use[sd]?|using|require[sd]?|needs?|depends? on|rel(?:y|ies) on|built (?:on"
    r"|with)|based on|pin(?:ned|s)?(?: to)?)"
    r"\s+(?:the\s+)?(@?[A-Za-z][\w.-]*(?:/[\w.-]+)*)(?=\s+(?:version\s+)?[v^~<>=]{0,2}\d)"
)
"""A package in running prose counts only with a version; one in backticks counts without."""


def extract_claims(text: str, *, mentions: bool = False) -> tuple[Claim, ...]:
    """Return unique candidates in text order; a candidate with an expected value replaces one without.

    With `mentions` also what the text says is not so, or no longer.
    """
    found: dict[tuple[str, str], Claim] = {}
    for start, claim in _iter_candidates(text):
        begin = max(text.find(claim.text, start), start)
        if not mentions and is_denied(text, begin, begin + len(claim.text)):
            continue
        known = found.setdefault((claim.kind, claim.target), claim)
        if claim.expected and not known.expected:
            found[claim.kind, claim.target] = claim
    return tuple(found.values())[: 2 * MAX_CLAIMS]


def _iter_candidates(written: str) -> Iterator[tuple[int, Claim]]:
    """Yield (offset in the text, claim). Of samples in fences only commands count: they are not about the project."""
    covered = 0
    text, samples = blank_fences(written)
    for start, line in samples:
        command = _COMMAND.match(line)
        if command and _SAMPLE_COMMAND.match(line):
            yield start, Claim("command", command[1], normalize_path(command[1]))
        for match in _SCRIPT.finditer(line):
            name = next((group for group in match.groups() if group), "").rstrip(".:")
            if name and not _is_not_script(match.group(), name):
                yield start + match.start(), Claim("script", match.group(), name)
    for match in _SCRIPT.finditer(text):
        name = next((group for group in match.groups() if group), "").rstrip(".:")
        if match.start() < covered or not name or _is_not_script(match.group(), name):
            continue
        runs = _RUNS.match(text[match.end() : match.end() + 300])
        # The stated command is compared as a whole; scripts inside it are not claims of their own.
        covered = match.end() + runs.end() if runs else covered
        yield match.start(), Claim("script", match.group(), name, runs[1].strip() if runs else "")
    for match in _CODE_SPAN.finditer(text):
        code = (match[1] or match[2]).strip()
        for claim in _parse_code_span(code, text[match.end() : match.end() + 140]):
            yield match.start(), claim
    plain = _CODE_SPAN.sub(lambda match: " " * len(match.group()), text)
    for match in _PATH.finditer(plain):
        yield match.start(), Claim("path", match[1], normalize_path(match[1]))
    for match in _BARE_NAME.finditer(plain):
        yield match.start(), _parse_name(match[1], plain[match.end() : match.end() + 140])
    for match in _DEPENDENCY.finditer(plain):
        version = _parse_version(text[match.end() : match.end() + 40])
        yield match.start(), Claim("dependency", match[1], match[1].rstrip("."), version)
    yield from iter_flags(plain)
    yield from iter_runtimes(text)
    yield from iter_stated_defaults(text)


def _is_not_script(call: str, name: str) -> bool:
    if call.startswith(("make", "just")):
        return name in _PROSE_WORDS
    return name in _TOOL_WORDS and not _EXPLICIT_RUN.search(call)


def _parse_code_span(code: str, after: str) -> Iterator[Claim]:
    command = _COMMAND.match(code)
    if command and " " in code:
        yield Claim("command", code, normalize_path(command[1]))
        return
    if code.startswith("--"):
        yield from (claim for _, claim in iter_flags(code, after))
        return
    if "/" in code and " " not in code or _FILE.match(code):
        yield Claim("path", code, normalize_path(code))
    assigned = re.match(r"^([A-Za-z_][\w.]*)\s*(=|:=)\s*(\S.*)$", code)
    if assigned and not code.rstrip().endswith(")"):
        yield Claim("constant", code, assigned[1], assigned[3].strip())
    elif _NAME.match(plain := _TYPE_ARGUMENTS.sub("", _ARITY.sub("", code))):
        yield _parse_name(plain, after, code)
    elif _SETTING.match(code):
        yield Claim("setting", code, code, parse_stated_value(after))
    versioned = _COORDINATES.match(code) or _VERSIONED.match(code)
    if versioned:
        yield Claim("dependency", code, versioned[1], versioned[2] or _parse_version(after))
    elif re.match(r"^@?[A-Za-z][\w.-]*(?:/[\w.-]+)*$", code):
        yield Claim("dependency", code, code, _parse_version(after))


def _parse_version(after: str) -> str:
    """Parse the version directly behind a package name."""
    found = _VERSION.match(after)
    return found[1] if found else ""


def _parse_name(text: str, after: str, written: str = "") -> Claim:
    """Parse a name with the value directly behind it, or with the signature that the text gives."""
    name = re.sub(r"\(.*\)?$", "", text) or text
    value = _VALUE.match(after)
    if value:
        return Claim("constant", written or text, name, value[1].rstrip(".,"))
    stated = parse_stated_value(after)
    if stated:
        return Claim("constant", written or text, name, stated)
    signature = text[len(name) :]
    return Claim("symbol", written or text, name, signature if signature.strip("() .…") else "")


def split_name(target: str) -> list[str]:
    """Split a qualified name at any separator."""
    return [part for part in _NAME_SEPARATOR.split(target) if part]


def normalize_path(text: str) -> str:
    """Normalize a path: no leading `./`, line number or fragment."""
    plain = re.sub(r"(?::\d+(?:[-:]\d+)?|#L?\d*.*)$", "", text).removeprefix("./").lstrip("/")
    return plain.rstrip(".,;:)")

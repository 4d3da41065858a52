"""Risk rules: sources, sinks and sanitizers as `rules/*.toml` and a user's own files describe them.

A file begins with `languages = […]`, then `[[rule]]` tables. A rule applies to one or more of

    calls     called chains: `subprocess.run`, `*.execute` (any receiver), `?.Cipher` (any receiver or none)
    names     the same for any reference, not only calls
    assigns   assigned chains: `*.innerHTML`
    pairs     keyword arguments or keys of an object literal: `rejectUnauthorized`
    words     tokens of the grammar that act like a call: `echo`, a backtick
    text      a regular expression over the source; its group `name` is the position
    param_annotation, param_decorator, param_function, param_type   parameters of a function

Names are compared after import aliases are resolved. `[[rule.when]]` are conditions that must all hold,
`[[rule.always_when]]` further conditions for the position alone to be a finding.
"""

import re
import tomllib
from collections.abc import Iterable
from dataclasses import dataclass, fields
from hashlib import sha256
from pathlib import Path
from typing import Any, Literal, get_args, get_type_hints

from codecompass.errors import Failure
from codecompass.model.code.risk_facts import CATEGORIES
from codecompass.model.states import SEVERITIES, RuleKind, Severity

RULES_DIRECTORY = Path(__file__).parent / "rules"
RULE_KINDS: tuple[RuleKind, ...] = get_args(RuleKind)
MAX_RULE_FILE = 1_048_576


@dataclass(frozen=True, slots=True)
class RuleCondition:
    """A condition on a call's arguments, or on the assigned value."""

    arg: int = -1
    """The argument at this position, or the one named `keyword`."""
    keyword: str = ""
    matches: str = ""
    """A regular expression that the argument must match; a missing argument does not match."""
    unless: str = ""
    """A regular expression that the argument must not match; a missing argument does not match."""
    absent: bool | None = None
    literal: bool | None = None
    """Whether the argument is a literal, without any names."""
    value: bool = False
    """The condition is about the value of an assignment or pair."""
    near: str = ""
    """A regular expression that the lines of the position or the name of the enclosing function must match."""
    receiver: str = ""
    """A regular expression that the receiver as written must match."""


@dataclass(frozen=True, slots=True)
class RiskRule:
    """One rule; the fields are the keys of its table."""

    id: str
    kind: RuleKind
    name: str
    category: str
    severity: Severity = "critical"
    """For a source: the maximum severity of its flows."""
    tags: tuple[str, ...] = ()
    cwe: int = 0
    confidence: float = 0.7
    calls: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    assigns: tuple[str, ...] = ()
    pairs: tuple[str, ...] = ()
    words: tuple[str, ...] = ()
    text: str = ""
    needs: tuple[str, ...] = ()
    """Lower-case words; `text` is matched only against lines that contain one of them."""
    param_annotation: tuple[str, ...] = ()
    param_decorator: tuple[str, ...] = ()
    param_function: tuple[str, ...] = ()
    param_type: tuple[str, ...] = ()
    imports: tuple[str, ...] = ()
    """Modules of which the file must import one, or a submodule."""
    args: tuple[int, ...] = ()
    """Positions of dangerous arguments; without positions and keywords, all."""
    keywords: tuple[str, ...] = ()
    receiver: bool = False
    """For a sink: the receiver is dangerous too, or alone (with `args = []` and `only_receiver`)."""
    only_receiver: bool = False
    cleans: tuple[str, ...] = ()
    """Categories that a sanitizer neutralizes; `*` means all."""
    always: bool = False
    """The position alone is a finding, if all of `always_when` hold too."""
    alone: Severity | Literal[""] = ""
    """The severity of the position alone, if it differs."""
    opaque: bool = True
    """The result of a sink's call is not tainted by its arguments."""
    flows: bool = True
    """Values that reach the sink are dangerous; else only the position counts."""
    taints: tuple[int, ...] = ()
    """Output arguments of a source's call (`scanf("%s", name)`)."""
    when: tuple[RuleCondition, ...] = ()
    always_when: tuple[RuleCondition, ...] = ()

    @property
    def needs_dynamic_argument(self) -> bool:
        """Whether the first argument must not be a literal."""
        return any(item.arg == 0 and item.literal is False for item in self.when)


class ChainIndex:
    """Index from chains of names to rules."""

    def __init__(self) -> None:
        self.names: set[str] = set()
        """The last names of all chains, for a fast check."""
        self._exact: dict[str, list[RiskRule]] = {}
        self._endings: dict[str, list[tuple[str, bool, RiskRule]]] = {}

    def add(self, chain: str, rule: RiskRule) -> None:
        last = chain.rpartition(".")[2]
        self.names.add(last)
        if chain[:2] in ("*.", "?."):
            self._endings.setdefault(last, []).append((chain[1:], chain[0] == "?", rule))
        else:
            self._exact.setdefault(chain, []).append(rule)

    def find(self, name: str, readings: Iterable[str]) -> list[RiskRule]:
        found: list[RiskRule] = []
        endings = self._endings.get(name, ())
        for reading in readings:
            found += self._exact.get(reading, ())
            found += [rule for end, bare, rule in endings if reading.endswith(end) or (bare and reading == end[1:])]
        return list(dict.fromkeys(found)) if len(found) > 1 else found


class RuleIndex:
    """The rules of one language, indexed by what they match."""

    def __init__(self, rules: Iterable[RiskRule]) -> None:
        self.rules = tuple(rules)
        self.call_chains, self.mention_chains, self.assign_chains, self.sanitizer_chains = (
            ChainIndex(),
            ChainIndex(),
            ChainIndex(),
            ChainIndex(),
        )
        """Sources and sinks by calls, references and assignments; sanitizers separately."""
        self.by_mark: dict[str, list[RiskRule]] = {}
        """Last name of a parameter's annotation or type → rules."""
        self.by_pair: dict[str, list[RiskRule]] = {}
        self.by_word: dict[bytes, list[RiskRule]] = {}
        for rule in self.rules:
            self._add(rule)
        self.names = self.call_chains.names | self.mention_chains.names | self.assign_chains.names | self.by_mark.keys()
        self.decorated = tuple(rule for rule in self.rules if rule.param_decorator)
        self.decorator_names = frozenset(
            name.rpartition(".")[2] for rule in self.decorated for name in rule.param_decorator
        )
        """Last names of decorators in the rules."""
        self.functions = {name: rule for rule in self.rules for name in rule.param_function}
        self.texts = tuple((rule, re.compile(rule.text.encode())) for rule in self.rules if rule.text)
        self.needs = tuple(sorted({word.encode() for rule in self.rules for word in rule.needs}))

    def _add(self, rule: RiskRule) -> None:
        calls, named = (
            (self.sanitizer_chains,) * 2 if rule.kind == "sanitizer" else (self.call_chains, self.mention_chains)
        )
        for chain in rule.calls:
            calls.add(chain, rule)
        for chain in rule.names:
            named.add(chain, rule)
        for chain in rule.assigns:
            self.assign_chains.add(chain, rule)
        for mark in (*rule.param_annotation, *rule.param_type):
            self.by_mark.setdefault(mark.rpartition(".")[2], []).append(rule)
        for pair in rule.pairs:
            self.by_pair.setdefault(pair, []).append(rule)
        for word in rule.words:
            self.by_word.setdefault(word.encode(), []).append(rule)


class RiskRules:
    """The rules of all languages, loaded per language on first use."""

    def __init__(self, extra: Iterable[str] = ()) -> None:
        self.extra = tuple(extra)
        self._indexes: dict[str, RuleIndex | None] = {}

    def get_index(self, language: str) -> RuleIndex | None:
        if language not in self._indexes:
            self._indexes[language] = load_rules(self.extra, language).get(language)
        return self._indexes[language]


def load_rules(extra: Iterable[str] = (), only: str = "") -> dict[str, RuleIndex]:
    """Load the rules by language, or of one with `only`; a later file's rule replaces one with the same id."""
    found: dict[str, dict[str, RiskRule]] = {}
    own = [path for path in sorted(RULES_DIRECTORY.glob("*.toml")) if not only or _covers_language(path, only)]
    for path in (*own, *map(Path, extra)):
        languages, rules = _read_file(path)
        for language in languages:
            found.setdefault(language, {}).update({rule.id: rule for rule in rules})
    return {language: RuleIndex(rules.values()) for language, rules in found.items() if only in ("", language)}


def hash_rules(extra: Iterable[str]) -> str:
    """Return a digest of the user's rule files; empty for none. Raises if a file is invalid."""
    paths = [Path(path) for path in extra]
    for path in paths:
        _read_file(path)
    return sha256(b"\0".join(path.read_bytes() for path in paths)).hexdigest() if paths else ""


def _covers_language(path: Path, language: str) -> bool:
    """Whether a rule file of this package covers a language, by its first line."""
    with path.open(encoding="utf-8") as file:
        return f'"{language}"' in file.readline()


def _read_file(path: Path) -> tuple[list[str], list[RiskRule]]:
    try:
        data = path.read_bytes()
        if len(data) > MAX_RULE_FILE:
            raise _make_failure(path, f"is larger than {MAX_RULE_FILE} bytes")
        raw = tomllib.loads(data.decode())
    except OSError as error:
        raise _make_failure(path, f"cannot be read ({error.strerror})") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as error:
        raise _make_failure(path, f"is not valid TOML: {error}") from None
    for key in raw:
        if key not in ("languages", "rule"):
            raise _make_failure(path, f"has the unknown key '{key}'", "Known keys: languages, rule.")
    languages = raw.get("languages")
    if not isinstance(languages, list) or not languages or not all(isinstance(item, str) for item in languages):
        raise _make_failure(path, "needs 'languages', a list of names")
    tables = raw.get("rule", [])
    if not isinstance(tables, list) or not all(isinstance(table, dict) for table in tables):
        raise _make_failure(path, "needs its rules as [[rule]] tables")
    rules = [_parse_rule(path, number, table) for number, table in enumerate(tables, 1)]
    seen: set[str] = set()
    for rule in rules:
        if rule.id in seen:
            raise _make_failure(path, f"rule {rule.id}: the id is used twice")
        seen.add(rule.id)
    return languages, rules


def _parse_rule(path: Path, number: int, table: dict[str, Any]) -> RiskRule:
    label = f"rule {table.get('id') or number}"
    when, always_when = (_parse_conditions(path, label, key, table.pop(key, [])) for key in ("when", "always_when"))
    values = _check_types(path, label, table, RiskRule)
    for key in ("id", "kind", "name", "category"):
        if not values.get(key):
            raise _make_failure(path, f"{label}: lacks the key '{key}'")
    rule = RiskRule(**values, when=when, always_when=always_when)
    for key, value, known in (
        ("kind", rule.kind, RULE_KINDS),
        ("category", rule.category, CATEGORIES),
        ("severity", rule.severity, SEVERITIES),
        ("alone", rule.alone or rule.severity, SEVERITIES),
    ):
        if value not in known:
            raise _make_failure(path, f"{label}: '{key}' is {value!r}", f"Known: {', '.join(known)}.")
    if not 0 < rule.confidence <= 1:
        raise _make_failure(path, f"{label}: 'confidence' must lie above 0 and at most at 1")
    if rule.kind == "sanitizer" and not rule.cleans:
        raise _make_failure(path, f"{label}: a sanitizer needs 'cleans'", "Name categories, or '*' for all.")
    _check_pattern(path, label, rule.text)
    if rule.text and (not rule.needs or "(?P<name>" not in rule.text):
        raise _make_failure(path, f"{label}: 'text' needs a group '(?P<name>…)' and the key 'needs'")
    if not any(getattr(rule, key) for key in _MATCH_KEYS):
        raise _make_failure(
            path, f"{label}: applies to nothing", "Give calls, names, assigns, pairs, words, text or param_…."
        )
    return rule


_MATCH_KEYS = ("calls", "names", "assigns", "pairs", "words", "text", "param_annotation", "param_decorator",
            "param_function", "param_type")  # fmt: skip


def _parse_conditions(path: Path, label: str, key: str, tables: object) -> tuple[RuleCondition, ...]:
    if not isinstance(tables, list) or not all(isinstance(item, dict) for item in tables):
        raise _make_failure(path, f"{label}: '{key}' must be [[rule.{key}]] tables")
    found = tuple(RuleCondition(**_check_types(path, f"{label}: {key}", item, RuleCondition)) for item in tables)
    for item in found:
        for pattern in (item.matches, item.unless, item.near, item.receiver):
            _check_pattern(path, label, pattern)
    return found


def _check_pattern(path: Path, label: str, pattern: str) -> None:
    try:
        re.compile(pattern)
    except re.error as error:
        raise _make_failure(path, f"{label}: {pattern!r} is not a valid regular expression: {error}") from None


def _check_types(path: Path, label: str, table: dict[str, Any], shape: type) -> dict[str, Any]:
    """Check keys and types of a table, and convert its lists to tuples."""
    hints = get_type_hints(shape)
    known = [item.name for item in fields(shape) if item.name not in ("when", "always_when")]
    found: dict[str, Any] = {}
    for key, value in table.items():
        if key not in known:
            raise _make_failure(path, f"{label}: unknown key '{key}'", f"Known keys: {', '.join(known)}.")
        hint = hints[key]
        if hint in (tuple[str, ...], tuple[int, ...]):
            inner: type = str if hint == tuple[str, ...] else int
            if not isinstance(value, list) or not all(type(item) is inner for item in value):
                raise _make_failure(
                    path, f"{label}: '{key}' must be a list of {'strings' if inner is str else 'numbers'}"
                )
            found[key] = tuple(value)
            continue
        wanted = _FIELD_TYPES.get(hint, (bool,))
        if type(value) not in wanted:
            raise _make_failure(path, f"{label}: '{key}' must be {_TYPE_WORDS[wanted[-1]]}")
        found[key] = value
    return found


_FIELD_TYPES: dict[object, tuple[type, ...]] = {
    **dict.fromkeys((str, RuleKind, Severity, Severity | Literal[""]), (str,)),
    int: (int,),
    float: (int, float),
}
"""Types of values in a file by the type of the field; any other field is a switch."""
_TYPE_WORDS = {str: "a string", int: "a whole number", float: "a number", bool: "true or false"}


def _make_failure(path: Path, message: str, hint: str = "") -> Failure:
    return Failure("INVALID_REQUEST", f"Risk rules {path.name}: {message}.", {"file": str(path)}, hint=hint)

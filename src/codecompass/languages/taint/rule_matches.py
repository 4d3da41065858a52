"""Rule matches: rules that apply to a file by its names, before arguments and values are analyzed."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

from tree_sitter import Tree

from codecompass.languages.extraction.name_chains import LOCAL
from codecompass.languages.extraction.nesting import Nesting
from codecompass.languages.taint.risk_rules import RiskRule, RuleIndex
from codecompass.model.code.facts import Definition, Import, Reference

MAX_MATCHES = 3_000
_CALLED = frozenset({"call", "instance", "throw"})
_PARTS = re.compile(r"[./:\\]+")
_TOP_LEVEL_KINDS = frozenset({"fn", "class"})
_TEXT_NODES = ("comment", "string_content", "string_fragment", "text", "heredoc", "regex")
_WORD_END = re.compile(r"[(\s\]]")
MAX_LINE = 2_000
_TEXT = (
    rb"(?:[bruBRU]{0,2}(?:\"\"\"(?:[^\"\\]|\"(?!\"\")|\\.)*\"\"\""
    rb"|\"(?:[^\"\\\n$#]|\\.|\$(?![\w{])|#(?!\{))*\"|'(?:[^'\\\n]|\\.)*')\s*)+"
)
_PLAIN = _TEXT + rb"|\d[\w.]*|[Tt]rue|[Ff]alse|None|null|nil"
_ALL_LITERALS = re.compile(rb"\s*\(\s*(?:(?:\w+\s*[=:]\s*)?(?:" + _PLAIN + rb")\s*,?\s*)*\)", re.DOTALL)
"""Call arguments that are all literals, without names or interpolation."""
_FIRST_LITERAL = re.compile(rb"\s*\(\s*(?:" + _PLAIN + rb")\s*[,)]", re.DOTALL)
_WEAK_SEVERITIES = frozenset({"low", "medium"})


class RuleMatch(NamedTuple):
    """A rule that applies at a position, judging by names only."""

    rule: RiskRule
    start: int
    end: int
    owner: int


@dataclass
class RuleMatches:
    """All matches of one file."""

    named: list[RuleMatch] = field(default_factory=list)
    """Calls, references and assignments matched by name."""
    texts: list[RuleMatch] = field(default_factory=list)
    places: list[tuple[int, int]] = field(default_factory=list)
    """(offset, owner) of candidates that need the tree: pairs, tokens, parameters."""
    statement_places: list[tuple[int, int]] = field(default_factory=list)
    """The same, if one statement is enough to decide."""
    sanitizers: list[RuleMatch] = field(default_factory=list)
    """Sanitizers, which matter only together with other matches."""
    literal_only: list[RuleMatch] = field(default_factory=list)
    """Sinks with literal arguments only."""
    weak: list[RuleMatch] = field(default_factory=list)
    """Sinks of low severity and trusted sources, tracked only together with other matches."""
    decorated: tuple[RiskRule, ...] = ()
    """Rules about decorated functions whose imports the file has."""
    capped: bool = False

    def __bool__(self) -> bool:
        return bool(self.named or self.texts or self.places or self.statement_places or self.literal_only or self.weak)


class ChainMatcher:
    """Matches names against rule chains, with the imports of one file resolved."""

    def __init__(self, definitions: Sequence[Definition], imports: Iterable[Import]) -> None:
        self._definitions = definitions
        self._imports: list[str] = []
        self._bound: dict[str, str] = {}
        for item in imports:
            module = item.module.removeprefix("node:")
            whole = f"{module}.{item.name}" if item.name and item.name not in ("*", "default") else module
            self._imports.append(whole)
            if item.name and item.name != "*":
                self._bound[item.alias or item.name] = whole
            elif item.alias:
                self._bound[item.alias] = module
            elif "/" in module:
                self._bound[module.rpartition("/")[2]] = module
        self._allowed: dict[str, bool] = {}

    @cached_property
    def _own_names(self) -> frozenset[str]:
        return frozenset(item.name for item in self._definitions if item.parent < 0 and item.kind in _TOP_LEVEL_KINDS)

    @cached_property
    def _modules(self) -> frozenset[str]:
        return frozenset(part for module in set(self._imports) for part in _iter_prefixes(module))

    def allows(self, rule: RiskRule) -> bool:
        """Whether the file has the imports that the rule requires."""
        if not rule.imports:
            return True
        known = self._allowed.get(rule.id)
        if known is None:
            known = self._allowed[rule.id] = any(
                _PARTS.sub(".", name).strip(".") in self._modules for name in rule.imports
            )
        return known

    def resolve_chains(self, name: str, receiver: str) -> tuple[str, ...]:
        """Return the chain of a name as written, or resolved if an import binds its first part."""
        if receiver == LOCAL:
            return ()
        local = receiver.startswith(LOCAL)
        chain = f"{receiver.lstrip(LOCAL)}.{name}" if receiver else name
        head, dot, rest = chain.partition(".")
        bare = head.rstrip("()[]")
        bound = None if local else self._bound.get(bare)
        if bound is None:
            return () if not receiver and name in self._own_names else (chain,)
        whole = bound + head[len(bare) :] + dot + rest
        last = whole.rpartition("/")[2]
        # A type imported under its own name also matches by that name alone.
        own = (chain,) if dot and bound.endswith("." + bare) else ()
        return (whole, *own) if last == whole else (whole, last, *own)


def _iter_prefixes(module: str) -> Iterator[str]:
    """Yield every prefix of a module name, with dots between the parts."""
    text = _PARTS.sub(".", module.strip("\"'<>")).strip(".")
    while text:
        yield text
        text = text.rpartition(".")[0]


def find_rule_matches(
    book: RuleIndex,
    source: bytes,
    tree: Tree,
    nesting: Nesting,
    imports: tuple[Import, ...],
    references: tuple[Reference, ...],
    line_starts: Sequence[int],
) -> RuleMatches:
    """Find candidates of the rules. Most files contain none of the names and cost one lookup per reference."""
    hits = RuleMatches()
    names = book.names
    found = [item for item in references if item.name in names]
    matcher = ChainMatcher(nesting.definitions, imports) if found else None
    if matcher is not None:
        _match_references(book, found, matcher, source, line_starts, hits)
    if book.decorated or book.functions:
        marked = _find_marked_definitions(book, nesting.definitions)
        if marked:
            matcher = matcher or ChainMatcher(nesting.definitions, imports)
            _find_functions(book, nesting.definitions, marked, matcher, hits)
    if book.needs:
        _match_texts(book, source, tree, hits)
    ranges = [(one.start_byte, one.end_byte) for one in tree.included_ranges]
    for word in book.by_word:
        hits.places += [(at, nesting.find_owner(at)) for at in _find_offsets(source, word) if _is_within(ranges, at)]
    for name, rules in book.by_pair.items():
        word = name.encode()
        for at in _find_offsets(source, word):
            after = source[at + len(word) : at + len(word) + 3].lstrip(b"\"' ")[:1]
            if after in (b":", b"=") and _is_within(ranges, at):
                into = hits.places if any(rule.flows for rule in rules) else hits.statement_places
                into.append((at, nesting.find_owner(at)))
    hits.capped = max(len(found), len(hits.places), len(hits.texts)) >= MAX_MATCHES
    if hits.named or hits.places:
        matcher = matcher or ChainMatcher(nesting.definitions, imports)
        _match_sanitizers(book, references, matcher, line_starts, hits)
    return hits


def _is_within(ranges: Sequence[tuple[int, int]], at: int) -> bool:
    """Whether an offset belongs to this program: a file may contain other programs and prose."""
    return any(start <= at < end for start, end in ranges)


def _find_offsets(source: bytes, word: bytes) -> list[int]:
    """Return the offsets of a word, at most MAX_MATCHES."""
    found: list[int] = []
    at = source.find(word)
    while at >= 0 and len(found) < MAX_MATCHES:
        found.append(at)
        at = source.find(word, at + len(word))
    return found


def _match_references(
    book: RuleIndex,
    found: list[Reference],
    matcher: ChainMatcher,
    source: bytes,
    line_starts: Sequence[int],
    hits: RuleMatches,
) -> None:
    for item in found[:MAX_MATCHES]:
        readings = matcher.resolve_chains(item.name, item.receiver)
        name, role = item.name, item.role
        if role == "write":
            rules = book.assign_chains.find(name, readings)
        elif role in _CALLED:
            rules = book.call_chains.find(name, readings) + book.mention_chains.find(name, readings)
        else:
            rules = book.mention_chains.find(name, readings) if role not in ("import", "inherit") else []
        start = line_starts[item.line - 1] + item.col
        end = start + len(name.encode())
        for rule in rules:
            if matcher.allows(rule):
                _classify_match(hits, RuleMatch(rule, start, end, item.owner), source)
        if role != "import" and any(matcher.allows(rule) for rule in book.by_mark.get(name, ())):
            hits.places.append((start, item.owner))


def _classify_match(hits: RuleMatches, hit: RuleMatch, source: bytes) -> None:
    """Sort a match into the right list: sinks with literal arguments and weak matches need less analysis."""
    rule = hit.rule
    if rule.needs_dynamic_argument and _FIRST_LITERAL.match(source, hit.end):
        return
    if (rule.kind == "sink" and (rule.severity in _WEAK_SEVERITIES or not rule.flows)) or rule.severity == "low":
        hits.weak.append(hit)
    elif rule.kind != "sink" or rule.when or rule.receiver or rule.only_receiver:
        hits.named.append(hit)
    elif rule.args == (0,) and _FIRST_LITERAL.match(source, hit.end):
        hits.literal_only.append(hit)
    elif rule.always:
        hits.named.append(hit)
    else:
        (hits.literal_only if _ALL_LITERALS.match(source, hit.end) else hits.named).append(hit)


def _match_sanitizers(
    book: RuleIndex,
    references: tuple[Reference, ...],
    matcher: ChainMatcher,
    line_starts: Sequence[int],
    hits: RuleMatches,
) -> None:
    """Match sanitizers; called only if there is something to track."""
    names = book.sanitizer_chains.names
    for item in references:
        if item.name in names and item.role in _CALLED:
            for rule in book.sanitizer_chains.find(item.name, matcher.resolve_chains(item.name, item.receiver)):
                if matcher.allows(rule):
                    start = line_starts[item.line - 1] + item.col
                    hits.sanitizers.append(RuleMatch(rule, start, start + len(item.name.encode()), item.owner))


def _find_marked_definitions(book: RuleIndex, definitions: Sequence[Definition]) -> list[int]:
    """Return definitions that may match a parameter rule, by name or by the last name of a decorator."""
    marks, functions = book.decorator_names, book.functions
    return [
        number
        for number, item in enumerate(definitions)
        if item.name in functions
        or (item.decorators and any(_WORD_END.split(text, 1)[0].rpartition(".")[2].lstrip("@[# ") in marks
                                    for text in item.decorators))
    ]  # fmt: skip


def _find_functions(
    book: RuleIndex, definitions: Sequence[Definition], marked: list[int], matcher: ChainMatcher, hits: RuleMatches
) -> None:
    """Add functions whose parameters are sources because of their name or decorators."""
    hits.decorated = tuple(rule for rule in book.decorated if matcher.allows(rule))
    for number in marked:
        item = definitions[number]
        named = item.name in book.functions and item.kind in ("fn", "method")
        if named or any(has_rule_decorator(rule, item) for rule in hits.decorated):
            hits.places.append((item.byte_start, number))


def has_rule_decorator(rule: RiskRule, item: Definition) -> bool:
    """Whether a definition has one of the rule's decorators."""
    for text in item.decorators:
        chain = _WORD_END.split(text.lstrip("@[# "), 1)[0]
        for pattern in rule.param_decorator:
            if chain == pattern or (pattern[:2] in ("*.", "?.") and chain.endswith(pattern[1:])):
                return True
            if pattern[:2] == "?." and chain == pattern[2:]:
                return True
    return False


def _match_texts(book: RuleIndex, source: bytes, tree: Tree, hits: RuleMatches) -> None:
    """Match the text rules; only lines with one of their `needs` words are examined."""
    low = source.lower()
    seen: set[int] = set()
    for word in book.needs:
        at = low.find(word)
        while at >= 0:
            start, end = source.rfind(b"\n", 0, at) + 1, source.find(b"\n", at)
            end = len(source) if end < 0 else end
            if start not in seen and end - start < MAX_LINE:
                seen.add(start)
                _match_line(book, source, tree, (start, end), hits)
            at = low.find(word, end)
        if len(hits.texts) >= MAX_MATCHES:
            return


def _match_line(book: RuleIndex, source: bytes, tree: Tree, line: tuple[int, int], hits: RuleMatches) -> None:
    text = source[line[0] : line[1]]
    for rule, pattern in book.texts:
        found = pattern.search(text)
        if found is None:
            continue
        start, end = line[0] + found.start("name"), line[0] + found.end("name")
        ranges = [(one.start_byte, one.end_byte) for one in tree.included_ranges]
        node = tree.root_node.descendant_for_byte_range(start, start + 1) if _is_within(ranges, start) else None
        if node is not None and not any(word in node.type for word in _TEXT_NODES):
            hits.texts.append(RuleMatch(rule, start, end, -1))

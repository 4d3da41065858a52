"""Definition traits, from the captures of `facts.scm`, the references and the imports of a file.

Captures, all of them flat (they run in one pass with `names.scm`):

    parameter            a parameter; inside it parameter.name (several where they share a type), parameter.type and
                         parameter.default; parameter.tail is a name just after its parameter, and
                         parameter.behind a default just after it
    returns              the declared return type of the enclosing function; returns.pointer: a pointer to it
    variable             a declaration or assignment; inside it variable.name, variable.type and variable.value, which
                         gives the type if it is a literal or a constructor, and an alias if it is a name
    declaration          a statement that declares several variables of one type: declaration.type and declaration.name
    write                a bare name that is assigned; mutation: a member or item that is (`a.b`, `a[i]`)
    branch, loop, break, continue, return (only with a value), yield, await (the awaited expression), throw (the
    thrown expression, if `tags.scm` has no reference for it)
    lambda               an anonymous function: returns and marks in it do not count for the enclosing
                         definition
    mark.WORD            the enclosing definition is WORD (`mark.async`, `mark.static`)

The `[facts]` table of the TOML maps literals to types and lists constructor expressions.
"""

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable

from tree_sitter import Node

from codecompass.languages.extraction.name_chains import LOCAL, UNKNOWN
from codecompass.languages.extraction.trait_builder import TraitBuilder, TraitSource
from codecompass.languages.extraction.typed_names import collect_declarations, collect_parameters, collect_variables
from codecompass.languages.qualified_names import get_bound_name
from codecompass.model.code.facts import Definition
from codecompass.model.code.traits import ControlFlowCounts, Traits

MAX_WORDS = 2_000
"""Maximum words of one list; more than any hand-written definition has."""
_COUNTED = ("branch", "loop", "break", "continue", "return")
_LISTS = {
    "call": "calls", "instance": "calls", "read": "reads", "throw": "throws", "inherit": "bases", "type": "uses",
    "decorator": "uses", "write": "mutations",
}  # fmt: skip
"""Role of a reference → the list of traits it belongs to."""
_EXPRESSIONS = {"await": "awaits", "throw": "throws", "write": "writes", "mutation": "mutations"}
_JOINTS = frozenset(b".:>")
_STAR = ord("*")
_NO_FLOW = ControlFlowCounts()


def find_traits(source: TraitSource) -> tuple[Traits, ...]:
    """Return the traits of all definitions that have any, in source order."""
    builder = TraitBuilder(source)
    collect_reads(builder)
    collect_references(builder)
    counts = count_control_flow(builder)
    collect_marks(builder)
    collect_expressions(builder)
    collect_returns(builder)
    collect_parameters(builder)
    collect_declarations(builder)
    collect_variables(builder)
    return build_traits(builder, counts)


def collect_reads(builder: TraitBuilder) -> None:
    """Collect bare names that are read, including local variables, which have no references."""
    text, homes, source = builder.source.text, builder.owners, builder.source
    other = source.claimed.union(node.start_byte for node in builder.captures.get("write", ()))
    joints = _JOINTS.union(source.spec.space_joint.encode())
    dot = b"." if source.spec.dots_join else (source.spec.space_joint or "\0").encode()
    spans = sorted(
        [
            (at, node.end_byte)
            for node in builder.captures.get("name", ())
            if (at := node.start_byte) not in other and (text[at - 1] not in joints or _is_bare(text, at, dot))
        ]
    )
    starts = [at for at, _ in spans]
    own = {word.encode() for word in source.spec.resolve.self_words}
    first = 0
    for _, end, owner in source.nesting.split_by_owner(len(text)):
        last = bisect_left(starts, end, first)
        if last > first:
            words = {text[at:to] for at, to in spans[first:last]}
            reads = builder.drafts[homes[owner]].words["reads"]
            reads.update([word.decode("utf-8", "replace") for word in words - own])
        first = last


def collect_references(builder: TraitBuilder) -> None:
    drafts, homes, modules = builder.drafts, builder.owners, _map_imported_names(builder)
    # If the language captures writes, its references add nothing.
    captured = bool(builder.spec.facts.plain)
    space = builder.spec.space_joint
    for role, name, _, _, owner, receiver in builder.source.references:
        if role in ("import", "key"):
            continue
        if role == "read" and (not receiver or receiver == LOCAL):
            if name in modules:
                drafts[homes[owner]].words["imports"].add(modules[name])
            continue
        words = drafts[owner if role == "inherit" else homes[owner]].words
        head = full = name
        if receiver and receiver != LOCAL:
            before = receiver.removeprefix(LOCAL)
            head = before.partition(".")[0]
            full = f"{before}.{name}" if before[0] != UNKNOWN else name
            if space and space in before:
                head = head.partition(space)[0]
                full = before + name if before.endswith(space) else full
        if head in modules and receiver[:1] != LOCAL:
            words["imports"].add(modules[head])
        if full is not name if role == "read" else role != "write" or not captured:
            words[_LISTS[role]].add(full)


def count_control_flow(builder: TraitBuilder) -> dict[int, list[int]]:
    """Count branches, loops, breaks, continues and returns of each definition."""
    counts: defaultdict[int, list[int]] = defaultdict(lambda: [0] * len(_COUNTED))
    for at, label in enumerate(_COUNTED):
        own_only = label == "return"
        for node in builder.captures.get(label, ()):
            home = builder.find_owner(node.start_byte)
            if not (own_only and builder.is_in_lambda(node.start_byte, home)):
                counts[home][at] += 1
    return counts


def collect_marks(builder: TraitBuilder) -> None:
    for label, nodes in builder.captures.items():
        if label.startswith("mark."):
            _add_mark(builder, label.removeprefix("mark."), nodes)
    _add_mark(builder, "generator", builder.captures.get("yield", ()))


def collect_expressions(builder: TraitBuilder) -> None:
    """Collect awaited, thrown, assigned and mutated expressions."""
    for label, words in _EXPRESSIONS.items():
        for node in builder.captures.get(label, ()):
            pointed = "*" if builder.source.text[node.start_byte] == _STAR else ""
            text = pointed + builder.to_chain(node).removesuffix("()")
            builder.drafts[builder.find_owner(node.start_byte)].words[words].add(text)


def collect_returns(builder: TraitBuilder) -> None:
    untyped = builder.spec.facts.untyped
    for node in builder.captures.get("returns", ()):
        home, kind = builder.find_owner(node.start_byte), builder.to_line(node).lstrip(":-> ")
        if kind not in untyped and not builder.is_in_lambda(node.start_byte, home):
            builder.drafts[home].returns = builder.drafts[home].returns or kind
    for node in builder.captures.get("returns.pointer", ()):
        builder.drafts[builder.find_owner(node.start_byte)].returns += "*"


def _add_mark(builder: TraitBuilder, word: str, nodes: Iterable[Node]) -> None:
    for node in nodes:
        home = builder.find_owner(node.start_byte)
        if not builder.is_in_lambda(node.start_byte, home):
            builder.drafts[home].words["marks"].add(word)


def _map_imported_names(builder: TraitBuilder) -> dict[str, str]:
    """Map bound names to the modules they come from."""
    spec, found = builder.spec, dict[str, str]()
    for item in builder.source.imports:
        if name := get_bound_name(spec, item):
            found[name] = item.module or item.name
    return found


def build_traits(builder: TraitBuilder, counts: dict[int, list[int]]) -> tuple[Traits, ...]:
    found = []
    for at in sorted({*builder.drafts, *counts}):
        draft = builder.drafts[at]
        lists = {label: tuple(sorted(words)[:MAX_WORDS]) for label, words in draft.words.items() if words}
        flow = ControlFlowCounts(*counts[at]) if at in counts else _NO_FLOW
        written = {item.name for item in draft.types if item.how == "annotation"}
        # An annotation takes precedence over an inferred type.
        kept = (item for item in draft.types if item.how == "annotation" or item.name not in written)
        types = tuple(dict.fromkeys(kept))
        if lists or draft.parameters or draft.returns or types or flow is not _NO_FLOW:
            found.append(Traits(at, tuple(draft.parameters), draft.returns, types=types, flow=flow, **lists))
    return tuple(_share_statement_traits(found, builder.source.nesting.definitions))


def _is_bare(text: bytes, at: int, dot: bytes) -> bool:
    """Whether the character before a name is not a member access: the end of a range, a lone colon or bracket."""
    before = text[max(0, at - 2) : at]
    return before == b".." or not (before.endswith(dot) or before in (b"::", b"->"))


def _share_statement_traits(found: list[Traits], definitions: tuple[Definition, ...]) -> list[Traits]:
    """Copy the traits of a statement with several definitions (`int a, b;`) to each, but give each its own type."""
    twins: dict[tuple[int, int], list[int]] = {}
    for at, item in enumerate(definitions):
        twins.setdefault((item.byte_start, item.byte_end), []).append(at)
    if len(twins) == len(definitions):
        return found
    made = {row.at: row for row in found}
    for names in twins.values():
        rows = [made[at] for at in names if at in made]
        types = [one for row in rows for one in row.types]
        for at in names if rows and len(names) > 1 else ():
            own = made.get(at, rows[0])
            made[at] = own._replace(at=at, types=tuple(one for one in types if one.name == definitions[at].name))
    return [made[at] for at in sorted(made)]

"""What navigation is asked and what it answers: uses of a symbol, call graphs, hierarchies, differences, bundles."""

from dataclasses import dataclass, field

from codecompass.model.queries.results import ViewState

USE_KINDS = ("call", "read", "write", "import", "type", "inherit")
"""What a use does with the symbol."""

RESOLUTIONS = ("resolved", "ambiguous", "unresolved")
"""How sure a use is. `resolved`: the rules of the language lead to this one definition. `ambiguous`: they lead to
several, this among them. `unresolved`: the name fits, but nothing is known of what stands before it."""


EXCLUSION_REASONS = {
    "other_definition": "It means another definition of this view.",
    "outside": "It belongs to a module or type that is not in this view.",
    "own_member": "What stands before it sets a member of that name itself.",
    "local_variable": "The function around it binds the name.",
    "not_a_member": "A bare name or an import does not name a member of a type.",
    "not_a_module": "What stands before it is an object, and the symbol is not a member of a type.",
    "other_language": "It is written in a language that does not share names with the symbol's.",
    "definition": "It is where another definition has its name.",
    "not_recorded": "It is part of a string or of a module's path, or a bare name that the function around binds or "
    "that nothing in the file binds.",
}
"""Why a mention of the name is proved to be no use of the symbol, and the rule behind it."""


@dataclass(frozen=True, slots=True)
class Target:
    """Which symbol is meant: by name, by a handle of an earlier answer, or by a place. The first that is given counts:
    handle, place, name (which `path` narrows).
    """

    name: str | None = None
    handle: str | None = None
    """A `symbol_id`, `symbol_stable_id` or `result_id`."""
    path: str | None = None
    line: int | None = None


@dataclass(frozen=True, slots=True)
class SymbolNode:
    """A symbol as navigation shows it."""

    symbol_id: str
    symbol_stable_id: str
    kind: str
    name: str
    qualified_name: str
    path: str
    line_start: int
    line_end: int
    signature: str
    language: str
    overloads: tuple[tuple[str, int], ...] = ()
    """(path, line) of declarations of the same function, where the symbol of a question has any."""
    reached_by: tuple[tuple[str, int], ...] = ()
    """(path, line) of the re-exports by which a question's name led to it."""


@dataclass(frozen=True, slots=True)
class Use:
    """One place that mentions a symbol. Lines count from 1, columns from 0 in UTF-8 bytes."""

    path: str
    line: int
    column: int
    kind: str
    resolution: str
    text: str
    """The line as it stands in the source, trimmed and cut; empty when those bytes cannot be had any more."""
    inside: SymbolNode | None = None
    """The innermost definition around the use; None at file level."""
    candidates: int = 1
    """How many definitions the use may mean."""
    in_document: bool = False
    """It stands in a code block of a document."""


@dataclass(frozen=True, slots=True)
class ExcludedMention:
    """One mention of a symbol's name that is proved to be no use of it."""

    path: str
    line: int
    column: int
    kind: str
    reason: str
    """A key of `EXCLUSION_REASONS`."""
    text: str
    means: tuple[SymbolNode, ...] = ()
    """The definitions it means instead."""
    receiver: str = ""
    """What stands before the name, without arguments."""


@dataclass(frozen=True, slots=True)
class References:
    """The uses of one symbol, sure ones first."""

    symbol: SymbolNode
    uses: tuple[Use, ...]
    total: int
    counts: dict[str, int]
    """How many uses there are by resolution, shown or not."""
    kinds: dict[str, int]
    """How many uses there are by kind, shown or not."""
    others: tuple[SymbolNode, ...]
    """Further symbols the question could have meant; they were not searched."""
    state: ViewState
    truncated: bool = False
    excluded: dict[str, int] = field(default_factory=dict)
    """How many mentions of the name are proved to be no uses, by reason."""
    explained: tuple[ExcludedMention, ...] = ()
    """Those mentions, where they were asked for."""
    unread: tuple[tuple[str, str], ...] = ()
    """Path and reason of the files that may hold uses and could not be looked at."""
    in_documents: int = 0
    """How many of the uses stand in code blocks of documents."""


@dataclass(frozen=True, slots=True)
class CallEdge:
    """One call: `symbol` is the other end (None when the callee is not resolved, then `name` says what was written)."""

    symbol: SymbolNode | None
    name: str
    path: str
    line: int
    column: int
    depth: int
    resolution: str
    via: str = ""
    """The symbol_id of the node this edge hangs on, for depths above 1."""
    candidates: int = 1
    """How many definitions the call may mean."""


@dataclass(frozen=True, slots=True)
class CallGraph:
    """Calls around one symbol, certain ones first."""

    symbol: SymbolNode
    callers: tuple[CallEdge, ...]
    callees: tuple[CallEdge, ...]
    total_callers: int
    total_callees: int
    depth: int
    others: tuple[SymbolNode, ...]
    state: ViewState
    truncated: bool = False
    caller_counts: dict[str, int] = field(default_factory=dict)
    """How many callers there are by resolution, shown or not."""
    callee_counts: dict[str, int] = field(default_factory=dict)
    guesses_left_out: int = 0
    """Unresolved callers of a common name that are counted but not shown."""
    unfollowed: int = 0
    """Symbols whose own calls were not followed, because the edge to them is uncertain or the graph is too large."""


@dataclass(frozen=True, slots=True)
class HierarchyNode:
    """A type with what stands above or below it; `name` alone when it is not in the repository."""

    symbol: SymbolNode | None
    name: str
    resolution: str
    depth: int
    children: tuple["HierarchyNode", ...] = ()


@dataclass(frozen=True, slots=True)
class Hierarchy:
    symbol: SymbolNode
    containers: tuple[SymbolNode, ...]
    """What the symbol stands in, innermost first."""
    supertypes: tuple[HierarchyNode, ...]
    subtypes: tuple[HierarchyNode, ...]
    members: tuple[SymbolNode, ...]
    others: tuple[SymbolNode, ...]
    state: ViewState
    truncated: bool = False

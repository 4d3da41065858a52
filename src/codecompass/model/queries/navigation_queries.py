"""Navigation values: symbol targets, references, call graphs and type hierarchies."""

from dataclasses import dataclass, field

from codecompass.model.queries.results import ViewState
from codecompass.model.states import NameStatus, Resolution

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
"""Reason why a mention of the name is not a use of the symbol → explanation."""


@dataclass(frozen=True, slots=True)
class SymbolTarget:
    """A symbol, given by name, by a handle of an earlier result, or by a position. Precedence: handle, position, name
    (which `path` restricts).
    """

    name: str | None = None
    handle: str | None = None
    """A `symbol_id`, `symbol_stable_id` or `result_id`."""
    path: str | None = None
    line: int | None = None


@dataclass(frozen=True, slots=True)
class SymbolNode:
    """A symbol in navigation results."""

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
    """(path, line) of other declarations of the same function; only for the target of a query."""
    reached_by: tuple[tuple[str, int], ...] = ()
    """(path, line) of the re-exports through which the query's name resolved to it."""


@dataclass(frozen=True, slots=True)
class SymbolUse:
    """One use of a symbol. Lines count from 1, columns from 0 in UTF-8 bytes."""

    path: str
    line: int
    column: int
    kind: str
    resolution: Resolution
    text: str
    """The source line, trimmed and truncated; empty if the bytes are no longer available."""
    inside: SymbolNode | None = None
    """The innermost enclosing definition; None at file level."""
    candidates: int = 1
    """Number of definitions the use may refer to."""
    in_document: bool = False
    """The use is in a code block of a document."""


@dataclass(frozen=True, slots=True)
class ExcludedMention:
    """One mention of a symbol's name that is proven not to be a use of it."""

    path: str
    line: int
    column: int
    kind: str
    reason: str
    """A key of `EXCLUSION_REASONS`."""
    text: str
    means: tuple[SymbolNode, ...] = ()
    """The definitions it refers to instead."""
    receiver: str = ""
    """The expression before the name, without arguments."""


@dataclass(frozen=True, slots=True)
class ReferenceReport:
    """The uses of one symbol, resolved ones first."""

    symbol: SymbolNode
    uses: tuple[SymbolUse, ...]
    total: int
    counts: dict[str, int]
    """Number of uses by resolution, shown or not."""
    kinds: dict[str, int]
    """Number of uses by kind, shown or not."""
    others: tuple[SymbolNode, ...]
    """Other symbols that match the target; they were not searched."""
    state: ViewState
    truncated: bool = False
    excluded: dict[str, int] = field(default_factory=dict)
    """Number of mentions that are proven not to be uses, by reason."""
    explained: tuple[ExcludedMention, ...] = ()
    """Those mentions, if requested."""
    unread: tuple[tuple[str, str], ...] = ()
    """(path, reason) of files that may contain uses but could not be read."""
    in_documents: int = 0
    """Number of uses in code blocks of documents."""


@dataclass(frozen=True, slots=True)
class CallEdge:
    """One call: `symbol` is the other end, or None for an unresolved callee, with the written `name`."""

    symbol: SymbolNode | None
    name: str
    path: str
    line: int
    column: int
    depth: int
    resolution: Resolution
    via: str = ""
    """The symbol_id of the node this edge belongs to, for depths above 1."""
    candidates: int = 1
    """Number of definitions the call may refer to."""


@dataclass(frozen=True, slots=True)
class CallGraph:
    """Callers and callees of one symbol, resolved ones first."""

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
    """Number of callers by resolution, shown or not."""
    callee_counts: dict[str, int] = field(default_factory=dict)
    guesses_left_out: int = 0
    """Unresolved callers with a common name, counted but not shown."""
    unfollowed: int = 0
    """Symbols whose calls were not followed, because the edge is uncertain or the graph is too large."""


@dataclass(frozen=True, slots=True)
class HierarchyNode:
    """A type with its supertypes or subtypes; only `name` if it is not in the repository."""

    symbol: SymbolNode | None
    name: str
    resolution: NameStatus
    depth: int
    children: tuple["HierarchyNode", ...] = ()


@dataclass(frozen=True, slots=True)
class Hierarchy:
    symbol: SymbolNode
    containers: tuple[SymbolNode, ...]
    """The enclosing definitions, innermost first."""
    supertypes: tuple[HierarchyNode, ...]
    subtypes: tuple[HierarchyNode, ...]
    members: tuple[SymbolNode, ...]
    others: tuple[SymbolNode, ...]
    state: ViewState
    truncated: bool = False

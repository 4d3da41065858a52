"""Mentions: every use of a name in a source.

Roles come from the patterns of `tags.scm`; every other name of `names.scm` is a read. A bare name that is bound inside
the enclosing function refers to that binding only: its reads are dropped, other uses have the receiver `~`.
"""

import re
from typing import NamedTuple

from tree_sitter import Node, QueryCursor, Tree

from codecompass.languages.extraction.name_chains import LOCAL, MAX_CHAIN, UNKNOWN, to_chain
from codecompass.languages.extraction.nesting import NestedSpans, Nesting
from codecompass.languages.language_spec import LanguageSpec
from codecompass.languages.registry import Language
from codecompass.model.code.facts import Import, Reference

MAX_REFERENCES = 200_000
MAX_RECEIVER_BYTES = 400
"""Maximum bytes before a name in which its receiver must begin."""
_JOINTS = b".:>"
_DOT = ord(".")
_SELF = b"self."
_BREAKS = frozenset(b" \t\n([{,=-+*!")
_BEFORE_JOINT = b" \n\t\r.:"
_ARROW = ord(">")
_EXPRESSION_STARTS = (b"(", b"[", b"{", b",", b"=", b"=>", b" return")
"""A dot after one of these has no receiver."""
_PATH = b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_$@.:"
_SPACES = (b"", b" ", b"\t", b"\n", b"\r", b".")
_OPEN_ENDS = (b")", b"]", b"}", b"?", b"!", b">", b'"', b"'", b"`", b"#", b"&")
"""Characters before a run of path characters that show that the receiver is longer."""
_HEAD = re.compile(r"[\w$@]+")
_TYPE_KINDS = frozenset({"type", "field"})
_WORD = re.compile(
    rb"\"(?:\\.|[^\"\\])*\"|'(?:\\.|[^'\\])*'|/\*.*?\*/|//[^\n]*|\b\d[\w.]*|##?|([^\W\d]\w*)(\s*\()?", re.DOTALL
)
"""For unparsed text: strings, comments and numbers to skip, then a name and whether it is called."""

RoleCaptures = dict[int, tuple[int, str, Node]]


class NameCaptures(NamedTuple):
    """Captures of `names.scm`: all names, names bound inside functions, names that are not uses, blocks."""

    every: list[Node]
    local: list[Node]
    silent: frozenset[int]
    blocks: NestedSpans | None
    """Scopes of bindings, in a language whose later bindings shadow earlier ones."""
    texts: list[Node]
    """Source that the grammar does not parse; its words are treated as names."""
    captures: dict[str, list[Node]]
    """All captures, including traits of definitions."""


def find_names(language: Language, tree: Tree) -> NameCaptures:
    captures = QueryCursor(language.names_query).captures(tree.root_node) if language.names_query is not None else {}
    local = captures.get("local", [])
    silent = frozenset(node.start_byte for node in captures.get("silent", ()))
    blocks = NestedSpans(captures["block"]) if "block" in captures else None
    silent |= {node.start_byte for node in local}
    return NameCaptures(captures.get("name", []), local, silent, blocks, captures.get("text", []), captures)


def find_bound_names(
    spec: LanguageSpec,
    names: NameCaptures,
    nesting: Nesting,
    imports: tuple[Import, ...],
    source: bytes,
    defined: set[int],
) -> dict[int, set[bytes]]:
    """Map each function to the names bound in it; callbacks at file level are under -1."""
    found: dict[int, set[bytes]] = {}
    for node in names.local:
        at = node.start_byte
        owner = nesting.find_owner(at)
        function = nesting.find_functions(owner)[0]
        # Parameters of a function type bind nothing; definitions are found separately.
        if function < 0 and (at in defined or (owner >= 0 and nesting.definitions[owner].kind in _TYPE_KINDS)):
            continue
        found.setdefault(function, set()).add(source[at : node.end_byte])
    top = found.get(-1)
    if top:
        # Top-level definitions are visible everywhere; a callback's variable of the same name is rare.
        inner = spec.resolve.bare_members  # there members of types are visible too
        top.difference_update(item.name.encode() for item in nesting.definitions if inner or item.parent < 0)
        top.difference_update((item.alias or item.name).encode() for item in imports)
    return found


class ReferenceCollector:
    """Collects the references of one file."""

    def __init__(
        self, language: Language, source: bytes, nesting: Nesting, bound: dict[int, set[bytes]], line_starts: list[int]
    ) -> None:
        self._spec = language.spec
        self._joints = tuple(sign.encode() for sign in language.spec.joints)
        self._chain_pattern, self._joint_pattern = language.chain_patterns
        self._joint_sign = (language.spec.joint or "\0").encode()
        self._joint = self._joint_sign[0]
        self._dot = _DOT if language.spec.dots_join else -1
        self._space_joint = ord(language.spec.space_joint or "\0")
        self._mark = language.spec.resolve.variable_mark
        self._path = _PATH + language.spec.space_joint.encode()
        self._keywords = language.keywords
        self._source = source
        self._nesting = nesting
        self._bound = bound
        self._line_starts = line_starts
        self._bound_around: dict[int, frozenset[bytes]] = {}
        self._marked_chains: dict[tuple[str, int], str] = {}
        self._own = frozenset(language.spec.resolve.self_words)

    def collect(
        self,
        roles: RoleCaptures,
        holders: dict[int, tuple[int, Node]],
        defined: set[int],
        names: NameCaptures,
        known: frozenset[bytes] | None,
    ) -> tuple[Reference, ...]:
        """Return references in source order; `known` limits the bare names that count as reads, None for all."""
        places = {at: (role, node.end_byte, node) for at, (_, role, node) in roles.items() if role != "none"}
        self._add_reads(places, roles, defined, names, known)
        for node in names.texts:
            self._add_words(places, node)
        found = []
        source, owners, is_joined = self._source, self._nesting.make_owner_lookup(), self._is_joined
        line, starts, last = 1, self._line_starts, len(self._line_starts)
        quotes, paths = self._spec.name_quotes, self._spec.separator.encode() if self._spec.name_paths else b""
        marks = bool(self._spec.name_prefix or self._mark or quotes)
        for at in sorted(places)[:MAX_REFERENCES]:
            role, end, node = places[at]
            if at in defined:
                continue
            while line < last and starts[line] <= at:
                line += 1
            raw = source[at:end]
            if not raw:  # inserted by error recovery
                continue
            owner = owners(at)
            receiver, shift = "", raw.rfind(paths) + len(paths) if paths and paths in raw else 0
            if shift:
                receiver, raw = raw[: shift - len(paths)].replace(paths, b".").decode("utf-8", "replace"), raw[shift:]
            elif at in holders or is_joined(at):
                receiver = self._read_holder(holders[at][1]) if at in holders else self._read_receiver(node, at)
            if receiver:
                receiver = self.mark_local(receiver, owner)
            elif role != "import" and raw in self._get_bound_names(owner):
                if role == "read":
                    continue
                receiver = LOCAL
            name, col = raw.decode("utf-8", "replace"), at + shift - starts[line - 1]
            cut = self._count_prefix(name, receiver) if marks else 0
            if cut:
                name, col = name[cut:].rstrip(quotes), col + cut
            found.append(Reference(role, name, line, col, owner, receiver))
        return tuple(found)

    def _count_prefix(self, name: str, receiver: str) -> int:
        """Return the number of leading characters that do not belong to the name."""
        if self._spec.name_prefix and name[0] in self._spec.name_prefix:
            return 1
        if self._mark and receiver not in ("", LOCAL) and name.startswith(self._mark):
            return len(self._mark)
        return 1 if len(name) > 2 and name[0] in self._spec.name_quotes else 0

    def _add_reads(
        self,
        places: dict[int, tuple[str, int, Node]],
        roles: RoleCaptures,
        defined: set[int],
        names: NameCaptures,
        known: frozenset[bytes] | None,
    ) -> None:
        source, silent = self._source, names.silent
        for node in names.every:
            at = node.start_byte
            if at in roles or at in silent or at in defined:
                continue
            end = node.end_byte
            if known is not None and source[at - 1 : at] not in (b".", b":", b">") and source[at:end] not in known:
                continue
            places[at] = ("read", end, node)

    def _add_words(self, places: dict[int, tuple[str, int, Node]], node: Node) -> None:
        keywords = self._keywords
        for match in _WORD.finditer(self._source, node.start_byte, node.end_byte):
            at, end = match.span(1)
            if at >= 0 and self._source[at:end] not in keywords:
                places[at] = ("call" if match[2] else "read", end, node)

    def mark_local(self, text: str, owner: int) -> str:
        """Prefix a chain with `~` if it begins with a bound name."""
        if text in self._own:
            return text
        known = self._marked_chains.get((text, owner))
        if known is None:
            bound, head = self._get_bound_names(owner), _HEAD.match(text)
            free = head is None or head.group().encode() not in bound or head.group() in self._own
            known = self._marked_chains[text, owner] = text if free else LOCAL + text
        return known

    def _get_bound_names(self, owner: int) -> frozenset[bytes]:
        """Return all names bound in the functions around a definition."""
        known = self._bound_around.get(owner)
        if known is None:
            functions = self._nesting.find_functions(owner)
            if not self._spec.resolve.file_variables and len(functions) > 1:
                functions = functions[:-1]
            known = frozenset(name for function in functions for name in self._bound.get(function, ()))
            self._bound_around[owner] = known
        return known

    def _read_holder(self, holder: Node) -> str:
        text = self._source[holder.start_byte : holder.end_byte]
        return to_chain(text.decode("utf-8", "replace")) if len(text) <= MAX_CHAIN else UNKNOWN

    def _is_joined(self, at: int) -> bool:
        """Whether a member access operator precedes a name, with or without spaces."""
        source = self._source
        if not at:
            return False
        if self._joints:
            if source[at - 2 : at] in self._joints:
                return True
            return source[at - 1 : at] in self._joints and source[at - 2 : at - 1] not in _SPACES
        if source[at - 1] in _JOINTS:
            if source[at - 1] == self._dot:
                return source[at - 2] != _DOT  # two dots are a range, three a spread
            return source[at - 2 : at] in (b"::", b"->") or source[at - 1] == self._joint
        if source[at - 1] == self._space_joint:
            return True
        # Usually a word or an operator and one space precede.
        if source[at - 1] not in b" \n\t#" or source[at - 2] not in _BEFORE_JOINT:
            return False
        before = source[max(0, at - MAX_RECEIVER_BYTES) : at].rstrip()
        if self._dot < 0:
            return before.endswith((b"::", b"->"))
        return before.endswith((b".", b"::")) and not before.endswith(b"...")

    def _read_receiver(self, node: Node, at: int) -> str:
        """Return the receiver of a joined name, as a chain."""
        source = self._source
        if self._joints:
            return self._read_joined_chain(node, at)
        if source[at - 5 : at] == _SELF and source[at - 6] in _BREAKS:  # fast path for the most frequent receiver
            return "self"
        head = source[max(0, at - MAX_CHAIN) : at]
        if self._dot < 0:
            head = head.replace(b".", b" ").replace(b"->", b".")
        elif source[at - 1] == _ARROW:
            head = head.replace(b"->", b".")
        start = len(head.rstrip(self._path))
        tail = (head[start:].replace(b"::$", b".") if self._mark else head[start:]).replace(b"::", b".")
        if source[at - 1] == self._space_joint:
            return tail[tail.rfind(b".") + 1 :].decode("ascii")
        tail = tail.replace(self._joint_sign, b".")
        if b":" in tail:  # a lone colon ends the expression before it
            tail = tail[tail.rindex(b":") + 1 :]
        elif head[start - 1 : start] in _OPEN_ENDS or head[start - 1 : start] >= b"\x80":
            tail = b""
        tail = tail if self._spec.resolve.member_prefix else tail.lstrip(b"@")
        if b".." in tail:  # the end of a range, or a spread
            tail = tail[tail.rindex(b"..") + 2 :]
        if tail[:1] == b"." and head[start : start + 2] == b"::":
            tail = tail[1:]  # an absolute path
            if not tail:
                return ""
        if tail and tail[0] != _DOT and start:
            return tail[:-1].decode("ascii") or UNKNOWN
        return self._read_tree_receiver(node, at)

    def _read_joined_chain(self, node: Node, at: int) -> str:
        """Return the chain before a name in a language with its own `joints`."""
        head = self._source[max(0, at - MAX_CHAIN) : at]
        found = self._chain_pattern.search(head)
        if found is None or head[found.start() - 1 : found.start()] in _OPEN_ENDS:
            return self._read_tree_receiver(node, at)
        return self._joint_pattern.sub(b".", found[1]).decode("ascii", "replace")

    def _read_tree_receiver(self, node: Node, at: int) -> str:
        """Return the receiver chain from the syntax tree."""
        if self._source[at - 1] == _DOT and self._source[max(at - 9, 0) : at - 1].rstrip(b" ").endswith(
            _EXPRESSION_STARTS
        ):
            return UNKNOWN  # a member of an implicit type
        above = node.parent
        while above is not None and self._source[above.start_byte : at] in (b".", b"?."):
            above = above.parent  # a separate node for the dot and the name
        if above is not None and above.start_byte == at and self._source[at - 1] in _JOINTS:
            above = above.parent  # a separate node for the name and its type arguments
        if above is None or above.start_byte >= at:
            return ""  # the dot belongs to something else, such as the end of a comment
        while (outer := above.parent) is not None and outer.type == above.type and outer.end_byte == above.end_byte:
            above = outer  # a path that the grammar nests from the right
        if above.start_byte < at - MAX_RECEIVER_BYTES:
            return UNKNOWN
        before = self._source[above.start_byte : at].decode("utf-8", "replace")
        if self._spec.joint:
            before = before.replace(self._spec.joint, ".")
        return to_chain(before.rstrip(".:->?!& \t\r\n"))


def find_visible_names(spec: LanguageSpec, nesting: Nesting, imports: tuple[Import, ...]) -> frozenset[bytes] | None:
    """Return the bare names that can refer to something outside their function; None if any name can."""
    star = "" if spec.resolve.plain_import == "star" else "*"
    if spec.resolve.reach != "file" or any(item.name in (star, "*") and not item.alias for item in imports):
        return None
    found = {item.name for item in nesting.definitions}
    for item in imports:
        found.add(item.alias or item.name or item.module.split(spec.separator)[0])
    return frozenset(name.encode() for name in found)

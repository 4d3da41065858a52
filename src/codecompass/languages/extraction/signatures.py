"""Signatures and documentation of definitions, by strategies that a language selects in its data."""

import re
from typing import NamedTuple

from tree_sitter import Node

from codecompass.languages.extraction.doc_comments import (
    find_comment_after,
    find_named_headings,
    find_string_before,
    strip_markup,
)
from codecompass.languages.language_spec import LanguageSpec

MAX_SIGNATURE = 1_000
MAX_DOC = 600
_LEAD_REACH = 24
_MAYBE_COMMENT = re.compile(rb"//|/\*|#|--|\(\*|%|;")
_OPENERS = (b"//", b"/*", b"*", b"#", b"--", b"{-", b"(*", b"%", b";", b"@", b"[", b"=")
_CLOSERS = (b"*/", b"*)", b"-}", b"]", b")")
_MARKERS = re.compile(
    r"^\s*(?:=begin|=end|/\*[*!]?|\*/|\*|///?!?|//!|#+['!]?|--+ ?[|^]?|\{-+ ?[|^]?|;+|%+|\(\*\*?)? ?"
    r"|\s*(?:\*/|\*\)|-\})\s*$"
)

_ITEM_LEADS = frozenset({"|", "=", "let", "rec", "and", "type"})
"""Tokens before an item of a list, on its line."""
_HEADINGS_KEY = -1
"""Memo key of the texts under headings. No node has this id."""
_LONG_COMMENT = re.compile(r"^--\[(=*)\[(.*?)(?:--)?\]\1\]", re.DOTALL | re.MULTILINE)


AccessSections = tuple[list[tuple[int, str]], dict[str, str]]
"""The access sections of one body: (start, visibility), and the visibility of members listed by name."""


class DefinitionSite(NamedTuple):
    """One definition in its tree: its node, wrapper, name and other captures."""

    spec: LanguageSpec
    source: bytes
    kind: str
    node: Node
    outer: Node
    name: Node
    captures: dict[str, list[Node]]
    memo: dict[int, AccessSections]
    """Cached access sections of bodies in this file, by node id."""

    @property
    def first(self) -> Node:
        """The first node of a definition: `lead` if no node contains the whole."""
        if "lead" in self.captures:
            return self.captures["lead"][0]
        if self.spec.lead_words:
            at = self.outer.start_byte
            if self.source[max(at - _LEAD_REACH, 0) : at].decode("latin-1").rstrip().endswith(self.spec.lead_words):
                return self.outer.prev_sibling or self.outer
        return self.outer

    @property
    def last(self) -> Node:
        """The last node of a definition: `tail` if no node contains the whole."""
        return self.captures["tail"][0] if "tail" in self.captures else self.outer

    def find_decorators(self) -> tuple[str, ...]:
        wanted = self.spec.decorator_nodes
        if not wanted:
            return ()
        ends = self.name.start_byte  # nodes after the name belong to something else
        nodes = [child for child in self.outer.children if child.type in wanted and child.start_byte < ends]
        if self.outer.start_byte != self.node.start_byte or not nodes:
            inner = [child for child in self.node.children if child.type in wanted and child.start_byte < ends]
            nodes += [child for child in inner if child not in nodes]
        if not nodes and self.node.child_count:  # a list of modifiers may contain them
            nodes = [child for child in self.node.children[0].children if child.type in wanted]
        if self.spec.decorators_outside:
            nodes = _find_siblings_before(self.first, wanted, self.spec.comment_nodes) + nodes
        return tuple(collapse_whitespace(self.source[node.start_byte : node.end_byte])[:120] for node in nodes)


def _find_siblings_before(node: Node, wanted: tuple[str, ...], between: tuple[str, ...]) -> list[Node]:
    """Return siblings just before a node that belong to it: attributes outside the definition."""
    found: list[Node] = []
    sibling = node.prev_named_sibling
    while sibling is not None and (sibling.type in wanted or sibling.type in between):
        if sibling.type in wanted:
            found.insert(0, sibling)
        sibling = sibling.prev_named_sibling
    return found


def map_wrappers(wrappers: list[Node]) -> dict[int, Node]:
    """Map nodes to their direct wrapper. `Node.parent` would search the tree from its root."""
    return {child.id: wrapper for wrapper in wrappers for child in wrapper.named_children if child.child_count}


def find_outer_node(wrappers: dict[int, Node], node: Node) -> Node:
    """Return the outermost wrapper of a definition, or the node itself."""
    outer = node
    while (above := wrappers.get(outer.id)) is not None:
        outer = above
    return outer


def _may_follow_comment(source: bytes, start: int) -> bool:
    """Whether the line above may contain a comment or a decorator: cheaper than visiting siblings."""
    line = source.rfind(b"\n", 0, start) + 1
    if source[line:start].strip():
        return True
    above = source[source.rfind(b"\n", 0, max(line - 1, 0)) + 1 : max(line - 1, 0)].strip()
    return above.startswith(_OPENERS) or above.endswith(_CLOSERS)


def read_name(site: DefinitionSite) -> str:
    return site.source[site.name.start_byte : site.name.end_byte].decode("utf-8", "replace")


def collapse_whitespace(text: bytes) -> str:
    return " ".join(text.decode("utf-8", "replace").split())


def build_signature(site: DefinitionSite) -> str:
    """Return the head of a definition on one line: from its first word to its body, without decorators."""
    bodies = site.captures.get("body")
    end = _find_head_end(site, bodies[0]) if bodies else site.node.end_byte
    tail = site.source[site.node.end_byte : site.outer.end_byte]
    start = site.node.start_byte if tail.strip(b"; \t\r\n") else site.outer.start_byte
    if site.node.type in site.spec.declarators:
        start, end = site.outer.start_byte, _find_declarator_end(site)
    start = site.first.start_byte if site.first != site.outer else start
    skip = site.spec.decorator_nodes + site.spec.comment_nodes
    for holder in (site.node,) if site.outer == site.node else (site.outer, site.node):
        children = holder.children
        for child in children:
            if child.type not in skip:
                break
            start = max(start, child.end_byte)
        # Modifier lists may contain annotations (`@Override public`): skip those as well.
        first = next((child for child in children if child.type not in skip), None)
        if first is not None and first.start_byte <= start and first.child_count:
            for inner in first.children:
                if inner.type not in skip:
                    break
                start = max(start, inner.end_byte)
    if site.kind in site.spec.line_heads:
        start = max(start, site.source.rfind(b"\n", 0, site.name.start_byte) + 1)
        end = min(end, site.source.find(b"\n", site.name.end_byte) % (len(site.source) + 1))
    text = (
        collapse_whitespace(_strip_comments(site, start, min(end, start + 4 * MAX_SIGNATURE))).rstrip("{:=;, ").strip()
    )
    if bodies and bodies[0].end_byte <= site.name.start_byte:  # the name is after the body
        text += " {…} " + collapse_whitespace(site.source[bodies[0].end_byte : site.node.end_byte]).rstrip(";, ")
    return text if len(text) <= MAX_SIGNATURE else text[: MAX_SIGNATURE - 1] + "…"


def _find_declarator_end(site: DefinitionSite) -> int:
    node = site.node
    while (above := node.parent) is not None and above.type in site.spec.declarators:
        node = above
    return node.end_byte


def _strip_comments(site: DefinitionSite, start: int, end: int) -> bytes:
    """Remove comments from a head; a head on one line is returned unchanged."""
    text = site.source[start:end]
    if b"\n" not in text or not _MAYBE_COMMENT.search(text):
        return text
    inside: list[tuple[int, int]] = []
    waiting = [site.node]
    while waiting:
        for child in waiting.pop().children:
            if child.end_byte <= start or child.start_byte >= end:
                continue
            if child.type in site.spec.comment_nodes:
                inside.append((child.start_byte - start, child.end_byte - start))
            elif child.child_count:
                waiting.append(child)
    for first, last in sorted(inside, reverse=True):
        text = text[:first] + b" " + text[last:]
    return text


def _find_head_end(site: DefinitionSite, body: Node) -> int:
    """Return the end of the head: before the body and any comments in between."""
    last = body.prev_sibling
    while last is not None and last.type in site.spec.comment_nodes:
        last = last.prev_sibling
    return last.end_byte if last is not None else body.start_byte


def is_const(site: DefinitionSite) -> bool:
    """Whether a keyword for constants precedes the name, and the name is not that of a pointer."""
    above = site.name.parent
    if above is None or above.type in site.spec.declarators:
        return False
    words = site.source[site.node.start_byte : site.name.start_byte].decode("utf-8", "replace").split()
    return any(word in site.spec.const_by for word in words)


def read_documentation(site: DefinitionSite) -> str:
    """Return the documentation by the first strategy of the language that finds any."""
    for strategy in site.spec.doc:
        text = _DOC_STRATEGIES[strategy](site)
        if text:
            return text if len(text) <= MAX_DOC else text[: MAX_DOC - 1] + "…"
    return ""


def _read_body_string(site: DefinitionSite) -> str:
    """Return a string literal at the start of the body."""
    bodies = site.captures.get("body")
    first = bodies[0].named_child(0) if bodies and bodies[0].named_child_count else None
    while first is not None and first.type in site.spec.comment_nodes:
        first = first.next_named_sibling
    if first is not None and first.type == "expression_statement":
        first = first.named_child(0)
    if first is None or "string" not in first.type:
        return ""
    text = site.source[first.start_byte : first.end_byte].decode("utf-8", "replace")
    return _strip_indent(text.lstrip("rRbBuUfF").strip("\"'"))


def _read_comment_before(site: DefinitionSite) -> str:
    """Return the comments that end on the line above the definition; attributes may be in between."""
    spec = site.spec
    if not _may_follow_comment(site.source, site.first.start_byte):
        return ""
    lines: list[str] = []
    anchor = site.first
    while (sibling := anchor.prev_sibling) is None or sibling.type in _ITEM_LEADS:
        above = anchor.parent
        if sibling is not None:
            anchor = sibling
        elif above is None or above.start_byte != anchor.start_byte:
            break
        else:
            anchor = above  # the comment may precede the list that this item opens
    last = sibling
    while last is not None and last.type not in spec.comment_nodes and last.child_count:
        last = last.children[-1]
    if last is not None and last.type in spec.comment_nodes and last.start_point.column == anchor.start_point.column:
        sibling = last  # it is the last node of the previous list
    while sibling is not None:
        if sibling.type in spec.decorator_nodes:
            anchor, sibling = sibling, sibling.prev_sibling
            continue
        end_row = sibling.end_point.row - (1 if sibling.end_point.column == 0 else 0)
        if sibling.type not in spec.comment_nodes or anchor.start_point.row - end_row > 1:
            break
        before = sibling.prev_sibling
        trails = before is not None and before.end_point.column and before.end_point.row == sibling.start_point.row
        if before is not None and trails and before.type not in spec.comment_nodes:
            break  # a trailing comment of other code
        text = site.source[sibling.start_byte : sibling.end_byte].decode("utf-8", "replace")
        if text.startswith("#!") or (spec.doc_prefixes and not text.startswith(spec.doc_prefixes)):
            break
        lines.insert(0, text.rstrip())
        anchor, sibling = sibling, before
    return _strip_markers("\n".join(lines))


def _read_body_comment(site: DefinitionSite) -> str:
    """Return the inner documentation comments at the start of the body."""
    bodies, prefixes, lines = site.captures.get("body"), site.spec.inner_doc_prefixes, []
    child = bodies[0].named_child(0) if bodies and bodies[0].named_child_count else None
    while child is not None and child.type in site.spec.comment_nodes:
        text = site.source[child.start_byte : child.end_byte].decode("utf-8", "replace")
        if not text.startswith(prefixes):
            break
        lines.append(text.rstrip().replace("/*!", "/**", 1))
        child = child.next_named_sibling
    return _strip_markers("\n".join(lines))


def _read_inner_text(site: DefinitionSite) -> str:
    """Return a comment or string that is the first child of the definition."""
    first = site.node.named_child(0)
    if first is None or first.type not in site.spec.comment_nodes or first.end_byte > site.name.start_byte:
        return ""
    return _strip_indent(site.source[first.start_byte : first.end_byte].decode("utf-8", "replace").strip("\"'"))


def _strip_markers(text: str) -> str:
    if text.startswith("--["):
        text = _LONG_COMMENT.sub(r"\2", text)
    return _strip_indent("\n".join(_MARKERS.sub("", line) for line in text.splitlines()))


def _strip_indent(text: str) -> str:
    lines = [line.strip() for line in text.strip().splitlines()]
    return "\n".join(lines).strip()


_XML_NAMED = re.compile(r"""<\w+\s+(?:name|cref)=["']([^"']*)["'][^>/]*>""")
_XML_EMPTY = re.compile(r"""<\w+\s+\w+=["']([^"']*)["']\s*/>""")
_XML_TAG = re.compile(r"</?\w[^>]*>")


def _read_xml_comment_before(site: DefinitionSite) -> str:
    """Return a comment without its XML tags; names in tag attributes are kept."""
    text = _read_comment_before(site)
    if "<" not in text:
        return text
    text = _XML_TAG.sub("", _XML_NAMED.sub(r"\1: ", _XML_EMPTY.sub(r"\1", text)))
    return "\n".join(line.strip() for line in text.splitlines() if line.strip())


def _read_named_heading(site: DefinitionSite) -> str:
    known = site.memo.get(_HEADINGS_KEY)
    if known is None:
        known = site.memo[_HEADINGS_KEY] = ([], find_named_headings(site.source))
    return _strip_indent(known[1].get(read_name(site), ""))


_QUOTED = re.compile(r"""\w*\s*\(?\s*(?:~[a-zA-Z])?(\"{3}|'{3}|\"|')((?:\\.|.)*?)\1""", re.DOTALL)
_MOST_ATTRIBUTES = 12


def _read_attribute_before(site: DefinitionSite) -> str:
    """Return the string of a documentation attribute just above the definition."""
    line = site.source.rfind(b"\n", 0, site.outer.start_byte)
    if not site.source[site.source.rfind(b"\n", 0, max(line, 0)) + 1 : max(line, 0)].strip():
        return ""
    sibling, kinds = site.outer.prev_named_sibling, (*site.spec.attribute_nodes, *site.spec.comment_nodes)
    for _ in range(_MOST_ATTRIBUTES):
        if sibling is None or sibling.type not in kinds:
            break
        text = _read_quoted(site, sibling, site.spec.doc_prefixes)
        if text:
            return text
        sibling = sibling.prev_named_sibling
    return ""


def _read_attribute_inside(site: DefinitionSite) -> str:
    """Return the string of a documentation attribute at the start of the body."""
    bodies = site.captures.get("body")
    for child in bodies[0].named_children[:_MOST_ATTRIBUTES] if bodies else ():
        text = (
            _read_quoted(site, child, site.spec.inner_doc_prefixes) if child.type in site.spec.attribute_nodes else ""
        )
        if text:
            return text
    return ""


def _read_quoted(site: DefinitionSite, node: Node, words: tuple[str, ...]) -> str:
    """Return the string after one of the given words at the start of a node."""
    text = site.source[node.start_byte : node.end_byte].decode("utf-8", "replace")
    word = next((word for word in words if text.startswith(word)), "")
    found = _QUOTED.match(text, len(word)) if word else None
    return _strip_indent(found[2]) if found else ""


_DOC_STRATEGIES = {
    "attribute_before": _read_attribute_before,
    "attribute_inside": _read_attribute_inside,
    "string_before": lambda site: _strip_indent(find_string_before(site.source, site.outer)),
    "comment_behind": lambda site: _strip_markers(find_comment_after(site.spec, site.source, site.outer)),
    "markup_before": lambda site: strip_markup(_read_comment_before(site)).strip(),
    "named_heading": _read_named_heading,
    "body_string": _read_body_string,
    "comment_before": _read_comment_before,
    "xml_comment_before": _read_xml_comment_before,
    "body_comment": _read_body_comment,
    "text_inside": _read_inner_text,
}

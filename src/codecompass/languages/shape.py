"""Shape: signature, documentation and visibility of a definition, by small strategies a language names in its data."""

import re
from bisect import bisect_right
from typing import NamedTuple

from tree_sitter import Node

from codecompass.languages.spec import LanguageSpec
from codecompass.model.code import Definition

MAX_SIGNATURE = 400
MAX_DOC = 600
_INTERFACES = frozenset({"interface", "trait"})
_MAYBE_COMMENT = re.compile(rb"//|/\*|#|--|\(\*|%|;")
_OPENERS = (b"//", b"/*", b"*", b"#", b"--", b"(*", b"%", b";", b"@", b"[", b"=")
_CLOSERS = (b"*/", b"*)", b"]", b")")
_MARKERS = re.compile(
    r"^\s*(?:=begin|=end|/\*[*!]?|\*/|\*|///?!?|//!|#+!?|--+\|?|;+|%+|\(\*\*?)? ?|\s*(?:\*/|\*\))\s*$"
)


Sections = tuple[list[tuple[int, str]], dict[str, str]]
"""The access sections of one body: where each starts, and the visibility of members listed by name."""


class Site(NamedTuple):
    """One definition in its tree: the node, the node that wraps it, its name, and what else the pattern captured."""

    spec: LanguageSpec
    source: bytes
    kind: str
    node: Node
    outer: Node
    name: Node
    captures: dict[str, list[Node]]
    memo: dict[int, Sections]
    """What is known of bodies in this file, by node."""

    def decorators(self) -> tuple[str, ...]:
        wanted = self.spec.decorator_nodes
        if not wanted:
            return ()
        nodes = [child for child in self.outer.children if child.type in wanted]
        if self.outer.start_byte != self.node.start_byte or not nodes:
            nodes += [child for child in self.node.children if child.type in wanted and child not in nodes]
        if not nodes and self.node.child_count:  # a list of modifiers may hold them
            nodes = [child for child in self.node.children[0].children if child.type in wanted]
        if self.spec.decorators_outside:
            nodes = _before(self.outer, wanted, self.spec.comment_nodes) + nodes
        return tuple(_flat(self.source[node.start_byte : node.end_byte])[:120] for node in nodes)


def _before(node: Node, wanted: tuple[str, ...], between: tuple[str, ...]) -> list[Node]:
    """Siblings just before a node that belong to it: attributes in languages that write them outside."""
    found: list[Node] = []
    sibling = node.prev_named_sibling
    while sibling is not None and (sibling.type in wanted or sibling.type in between):
        if sibling.type in wanted:
            found.insert(0, sibling)
        sibling = sibling.prev_named_sibling
    return found


def wrapper_table(wrappers: list[Node]) -> dict[int, Node]:
    """Node → the wrapper directly around it. Asking a node for its parent searches the tree from its root."""
    return {child.id: wrapper for wrapper in wrappers for child in wrapper.named_children}


def outer_node(wrappers: dict[int, Node], node: Node) -> Node:
    """The outermost wrapper that belongs to a definition, or the node itself."""
    outer = node
    while (above := wrappers.get(outer.id)) is not None:
        outer = above
    return outer


def _may_follow_comment(source: bytes, start: int) -> bool:
    """Whether the line above can hold a comment or a decorator: cheaper than asking the tree for siblings."""
    line = source.rfind(b"\n", 0, start) + 1
    if source[line:start].strip():
        return True
    above = source[source.rfind(b"\n", 0, max(line - 1, 0)) + 1 : max(line - 1, 0)].strip()
    return above.startswith(_OPENERS) or above.endswith(_CLOSERS)


def _flat(text: bytes) -> str:
    return " ".join(text.decode("utf-8", "replace").split())


def signature_text(site: Site) -> str:
    """The whole head of a definition on one line: from its first word, decorators left out, to its body."""
    bodies = site.captures.get("body")
    end = _head_end(site, bodies[0]) if bodies else site.node.end_byte
    tail = site.source[site.node.end_byte : site.outer.end_byte]
    start = site.node.start_byte if tail.strip(b"; \t\r\n") else site.outer.start_byte
    if site.node.type in site.spec.declarators:
        start, end = site.outer.start_byte, _declarator_end(site)
    skip = site.spec.decorator_nodes + site.spec.comment_nodes
    for holder in (site.node,) if site.outer == site.node else (site.outer, site.node):
        children = holder.children
        for child in children:
            if child.type not in skip:
                break
            start = max(start, child.end_byte)
        # Modifier lists may hold the annotations (`@Override public`): step over those as well.
        first = next((child for child in children if child.type not in skip), None)
        if first is not None and first.start_byte <= start and first.child_count:
            for inner in first.children:
                if inner.type not in skip:
                    break
                start = max(start, inner.end_byte)
    text = _flat(_without_comments(site, start, min(end, start + 4 * MAX_SIGNATURE))).rstrip("{:=;, ").strip()
    if bodies and bodies[0].end_byte <= site.name.start_byte:  # the name stands after the body
        text += " {…} " + _flat(site.source[bodies[0].end_byte : site.node.end_byte]).rstrip(";, ")
    return text if len(text) <= MAX_SIGNATURE else text[: MAX_SIGNATURE - 1] + "…"


def _declarator_end(site: Site) -> int:
    node = site.node
    while (above := node.parent) is not None and above.type in site.spec.declarators:
        node = above
    return node.end_byte


def _without_comments(site: Site, start: int, end: int) -> bytes:
    """The bytes of a head without the comments inside it; a head on one line is taken as it stands."""
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


def _head_end(site: Site, body: Node) -> int:
    """Where the head stops: before the body and before any comment that stands between them."""
    last = body.prev_sibling
    while last is not None and last.type in site.spec.comment_nodes:
        last = last.prev_sibling
    return last.end_byte if last is not None else body.start_byte


def says_const(site: Site) -> bool:
    """One of the language's words for a constant stands before the name, and the name is not that of a pointer."""
    above = site.name.parent
    if above is None or above.type in site.spec.declarators:
        return False
    words = site.source[site.node.start_byte : site.name.start_byte].decode("utf-8", "replace").split()
    return any(word in site.spec.const_by for word in words)


def doc_text(site: Site) -> str:
    """Documentation by the first strategy of the language that finds any."""
    for strategy in site.spec.doc:
        text = _DOC_STRATEGIES[strategy](site)
        if text:
            return text if len(text) <= MAX_DOC else text[: MAX_DOC - 1] + "…"
    return ""


def _body_string(site: Site) -> str:
    """A string literal that stands first in the body."""
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


def _comment_before(site: Site) -> str:
    """The run of comments that ends on the line above the definition, attributes in between allowed."""
    spec = site.spec
    if not _may_follow_comment(site.source, site.outer.start_byte):
        return ""
    lines: list[str] = []
    anchor = site.outer
    while (sibling := anchor.prev_sibling) is None and (above := anchor.parent) is not None:
        if above.start_byte != anchor.start_byte:  # else the comment may stand before the list this one opens
            break
        anchor = above
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
            break  # the comment stands behind the code of its own line
        text = site.source[sibling.start_byte : sibling.end_byte].decode("utf-8", "replace")
        if spec.doc_prefixes and not text.startswith(spec.doc_prefixes):
            break
        lines.insert(0, text.rstrip())
        anchor, sibling = sibling, before
    return _strip_markers("\n".join(lines))


def _body_comment(site: Site) -> str:
    """The run of inner documentation comments that stands first in the body."""
    bodies, prefixes, lines = site.captures.get("body"), site.spec.inner_doc_prefixes, []
    child = bodies[0].named_child(0) if bodies and bodies[0].named_child_count else None
    while child is not None and child.type in site.spec.comment_nodes:
        text = site.source[child.start_byte : child.end_byte].decode("utf-8", "replace")
        if not text.startswith(prefixes):
            break
        lines.append(text.rstrip().replace("/*!", "/**", 1))
        child = child.next_named_sibling
    return _strip_markers("\n".join(lines))


def _strip_markers(text: str) -> str:
    return _strip_indent("\n".join(_MARKERS.sub("", line) for line in text.splitlines()))


def _strip_indent(text: str) -> str:
    lines = [line.strip() for line in text.strip().splitlines()]
    return "\n".join(lines).strip()


_XML_NAMED = re.compile(r"""<\w+\s+(?:name|cref)=["']([^"']*)["'][^>/]*>""")
_XML_EMPTY = re.compile(r"""<\w+\s+\w+=["']([^"']*)["']\s*/>""")
_XML_TAG = re.compile(r"</?\w[^>]*>")


def _xml_comment_before(site: Site) -> str:
    """A comment whose words are marked up with tags: the tags go, the names they carry stay."""
    text = _comment_before(site)
    if "<" not in text:
        return text
    text = _XML_TAG.sub("", _XML_NAMED.sub(r"\1: ", _XML_EMPTY.sub(r"\1", text)))
    return "\n".join(line.strip() for line in text.splitlines() if line.strip())


_DOC_STRATEGIES = {
    "body_string": _body_string,
    "comment_before": _comment_before,
    "xml_comment_before": _xml_comment_before,
    "body_comment": _body_comment,
}


def read_visibility(site: Site, around: Definition | None) -> str:
    """Visibility by the strategy of the language; a capture `visibility.<word>` says it outright."""
    for label in site.captures:
        if label.startswith("visibility."):
            return label.partition(".")[2]
    return _VISIBILITY_STRATEGIES[site.spec.visibility.strategy](site, around)


def _name_of(site: Site) -> str:
    return site.source[site.name.start_byte : site.name.end_byte].decode("utf-8", "replace")


def _default(site: Site, around: Definition | None) -> str:
    rule = site.spec.visibility
    if around is None:
        return rule.top_level or rule.default
    if around.kind in rule.inside:
        return rule.inside[around.kind]
    return (rule.in_interface or rule.default) if around.kind in _INTERFACES else rule.default


def _underscore(site: Site, around: Definition | None) -> str:
    """A leading underscore means private; a dunder name does not."""
    name = _name_of(site)
    dunder = name.startswith("__") and name.endswith("__")
    return "private" if name.startswith("_") and not dunder else "public"


def _capital(site: Site, around: Definition | None) -> str:
    """A capital first letter means exported."""
    return "public" if _name_of(site)[:1].isupper() else site.spec.visibility.default


def _modifiers(site: Site, around: Definition | None) -> str:
    """Words captured as `modifier`, then export wrappers, then a private-name mark, then the defaults."""
    rule = site.spec.visibility
    nodes = list(site.captures.get("modifier", ()))
    if rule.nodes:
        holder: Node | None = site.node
        while holder is not None and holder.start_byte >= site.outer.start_byte and not nodes:
            nodes = [child for child in holder.children if child.type in rule.nodes]
            holder = holder.parent if holder != site.outer else None
    text = " ".join(_flat(site.source[node.start_byte : node.end_byte]) for node in nodes)
    if text:
        words = set(text.split())
        for word in sorted(rule.words, key=len, reverse=True):
            if word in words or (not word.isalnum() and word in text):
                return rule.words[word]
    above = site.node.parent
    while above is not None and rule.exported_by and above.start_byte >= site.outer.start_byte:
        if above.type in rule.exported_by:
            return "public"
        above = above.parent
    if _name_of(site).startswith("#"):
        return "private"
    return _default(site, around)


def _sections(site: Site, around: Definition | None) -> str:
    """Words at the definition, then the nearest access section above it (`private:`, `private`), then defaults."""
    rule = site.spec.visibility
    if around is None:
        return _modifiers(site, around)
    body, name = site.outer.parent, _name_of(site).lstrip(site.spec.name_prefix or None)
    marked = "modifier" in site.captures
    applies = not marked and (not rule.section_kinds or site.kind in rule.section_kinds)
    while body is not None:
        starts, named = _sections_of(site, body)
        if name in named:
            return named[name]
        at = bisect_right(starts, site.outer.start_byte, key=lambda start: start[0]) - 1
        if applies and at >= 0:
            return starts[at][1]
        body = body.parent if body.type in rule.section_through else None
    if not marked and around.kind in rule.inside:
        return rule.inside[around.kind]
    return _modifiers(site, around)


def _sections_of(site: Site, body: Node) -> Sections:
    """Found once for each body: asking the siblings of each member would take quadratic time."""
    known = site.memo.get(body.id)
    if known is None:
        rule = site.spec.visibility
        starts: list[tuple[int, str]] = []
        named: dict[str, str] = {}
        for child in body.children:
            if child.type not in rule.sections:
                continue
            first, *rest = _flat(site.source[child.start_byte : child.end_byte][:MAX_SIGNATURE]).split(" ")
            word = rule.words.get(first.rstrip(":("))
            if word and not rest:
                starts.append((child.start_byte, word))
            elif word and site.spec.name_prefix and rest[0].startswith(site.spec.name_prefix):
                named.update((item.strip(",()" + site.spec.name_prefix), word) for item in rest)
        known = site.memo[body.id] = (starts, named)
    return known


_VISIBILITY_STRATEGIES = {
    "underscore": _underscore,
    "capital": _capital,
    "modifiers": _modifiers,
    "sections": _sections,
}

"""Item macros: parses definitions inside a macro call (`cfg_unix! { fn open() {} }`) as if written without it.

A grammar sees only tokens there. If the tokens are complete items, the macro's name and its brackets are blanked for
the parser, which keeps every offset; the name remains a reference.
"""

import re

from tree_sitter import Node, QueryCursor, Tree

from codecompass.languages.registry import Language

MAX_ROUNDS = 3
"""Maximum nesting of expanded macros."""
_CANDIDATE = re.compile(rb"^[ \t]*[a-z_][a-z0-9_]*!\s*\{", re.MULTILINE)
_NON_NEWLINE = re.compile(rb"[^\r\n]")


def expand_item_macros(language: Language, source: bytes, tree: Tree) -> tuple[Tree, list[Node]]:
    """Return the tree with such macros expanded, and the nodes of their names."""
    query = language.item_macros
    names: list[Node] = []
    if query is None or not _CANDIDATE.search(source):
        return tree, names
    text, closed = bytearray(source), set[int]()
    for _ in range(MAX_ROUNDS):
        before = len(names)
        for _, captures in QueryCursor(query).matches(tree.root_node):
            name, body = captures["name"][0], captures["body"][0]
            if body.start_byte in closed:
                continue
            closed.add(body.start_byte)
            if _contains_items(language, bytes(text[body.start_byte : body.end_byte])):
                names.append(name)
                _blank(text, name.start_byte, body.start_byte + 1)
                _blank(text, body.end_byte - 1, body.end_byte)
        if len(names) == before:
            break
        tree = language.parser.parse(bytes(text))
    return tree, names


def _contains_items(language: Language, body: bytes) -> bool:
    if not body.startswith(b"{") or not body.endswith(b"}"):
        return False
    root = language.parser.parse(body[1:-1]).root_node
    kinds = language.spec.item_nodes
    return not root.has_error and any(child.type in kinds for child in root.named_children)


def _blank(text: bytearray, start: int, end: int) -> None:
    text[start:end] = _NON_NEWLINE.sub(b" ", bytes(text[start:end]))

"""Parse errors as diagnostics. Uses a cursor, because recursion would overflow on deep nesting."""

from tree_sitter import Node, Tree

from codecompass.model.code.traits import Diagnostic

MAX_PARSE_ERRORS = 50
"""Maximum messages of one file; the rest is only counted."""
_MAX_VISITED = 50_000
_MAX_SHOWN = 40


def find_parse_errors(tree: Tree, source: bytes) -> tuple[tuple[Diagnostic, ...], int]:
    """Return the messages and the number of errors; a tree with an error has at least one."""
    if not tree.root_node.has_error:
        return (), 0
    found: list[Diagnostic] = []
    count, cursor, visited = 0, tree.walk(), 0
    while visited < _MAX_VISITED:
        visited += 1
        node = cursor.node
        if node is None:
            break
        if node.is_error or node.is_missing:
            count += 1
            if len(found) < MAX_PARSE_ERRORS:
                found.append(_make_diagnostic(node, source))
        if node.has_error and not node.is_error and cursor.goto_first_child():
            continue
        while not cursor.goto_next_sibling():
            if not cursor.goto_parent():
                return tuple(found), max(count, 1)
    return tuple(found), max(count, 1)


def _make_diagnostic(node: Node, source: bytes) -> Diagnostic:
    line, col = node.start_point.row + 1, node.start_point.column
    if node.is_missing:
        return Diagnostic(line, col, "syntax-missing", f"missing {node.type}", "parser")
    text = " ".join(source[node.start_byte : node.end_byte][: 4 * _MAX_SHOWN].decode("utf-8", "replace").split())
    shown = text if len(text) <= _MAX_SHOWN else text[: _MAX_SHOWN - 1] + "…"
    return Diagnostic(line, col, "syntax-error", f"cannot be parsed: {shown}", "parser")

"""Grammar fixups: overwrites valid syntax that a grammar cannot parse, and parses again.

A language lists such syntax as patterns (`mends`). Every character of a pattern's groups is replaced by one filler (a
longer filler is a word: it replaces the first group, and blanks the rest), so all offsets and lines remain; names and
texts are read from the original source. Only a source with parse errors is changed, and a fixup is kept only if it
reduces the errors. Syntax that a grammar misparses without an error (`misread`) is replaced first, unless that adds
errors.
"""

import re
from functools import partial

from tree_sitter import Tree

from codecompass.languages.registry import Language

_ERROR_WEIGHT = 40
"""Weight of one error in bytes of erroneous text."""
_MOST_NODES = 50_000
_ROUNDS = 2
"""A fixup may help only after another one."""


def parse_with_fixups(language: Language, source: bytes) -> Tree:
    """Parse a source, with the fixups that reduce errors."""
    tree, text = language.parser.parse(source), source
    for pattern, filler in language.misread:
        clear = pattern.sub(partial(_fill_groups, filler=filler), text)
        other = language.parser.parse(clear) if clear != text else tree
        if clear != text and _measure_errors(other) <= _measure_errors(tree):
            tree, text = other, clear
    if not language.mends or not tree.root_node.has_error:
        return tree
    worst = max(_measure_errors(tree), 1)
    for pattern, filler in language.mends * _ROUNDS:
        mended = pattern.sub(partial(_fill_groups, filler=filler), text)
        if mended == text:
            continue
        other = language.parser.parse(mended)
        damage = _measure_errors(other)
        if damage < worst:
            tree, worst, text = other, damage, mended
        if not tree.root_node.has_error:
            break
    return tree


def apply_fixups(language: Language, text: bytes) -> bytes | None:
    """Return a text that parses without errors, changed by fixups if needed, or None."""
    worst = _measure_errors(language.parser.parse(text))
    for pattern, filler in language.mends:
        if not worst:
            break
        mended = pattern.sub(partial(_fill_groups, filler=filler), text)
        damage = _measure_errors(language.parser.parse(mended)) if mended != text else worst
        if damage < worst or (damage == worst and mended != text):
            text, worst = mended, damage
    return None if worst else text


def _fill_groups(found: re.Match[bytes], filler: bytes) -> bytes:
    whole = bytearray(found.group())
    for group in (number for number in range(1, found.re.groups + 1) if found.start(number) >= 0):
        start, end = found.start(group) - found.start(), found.end(group) - found.start()
        fill = filler * (end - start) if len(filler) == 1 else (filler if group == 1 else b"").ljust(end - start)
        whole[start:end] = (old if old in b"\r\n" else new for old, new in zip(whole[start:end], fill, strict=False))
    return bytes(whole)


def _measure_errors(tree: Tree) -> int:
    """Measure the errors of a tree: their number and the bytes inside them."""
    total, cursor, visited = 0, tree.walk(), 0
    while visited < _MOST_NODES:
        visited += 1
        node = cursor.node
        if node is None:
            break
        # A hidden token that error recovery inserted shows only as an error flag on its leaf.
        broken = node.is_error or node.is_missing or (node.has_error and not node.child_count)
        if broken:
            total += _ERROR_WEIGHT + node.end_byte - node.start_byte
        if node.has_error and not broken and cursor.goto_first_child():
            continue
        while not cursor.goto_next_sibling():
            if not cursor.goto_parent():
                return total
    return total

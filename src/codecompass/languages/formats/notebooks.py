"""Notebooks: programs in the cells of a JSON document, stored as one string for each line.

Each line of such a program is on its own line of the file, so it is parsed in place: in a copy of the file, escapes are
replaced by their character and padding, and string delimiters by blanks. Offsets and lines remain. A cell stored as one
string with line breaks has no lines in the file; it remains text and is noted.
"""

import re
from typing import NamedTuple

from tree_sitter import Node, Tree

MAX_CELLS = 2_000
MAX_LANGUAGE = 40
_ESCAPE = re.compile(rb"\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|.)", re.DOTALL)
_RUN = re.compile(rb"(?:\\(?:u[0-9a-fA-F]{4}|.))+", re.DOTALL)
_PLAIN = {b"\\n": b"", b"\\t": b"\t", b'\\"': b'"', b"\\\\": b"\\", b"\\/": b"/"}
_CODE = "code"

CellLines = list[tuple[int, int]]


class NotebookCells(NamedTuple):
    """The programs by language name, and the copy in which they can be parsed."""

    programs: list[tuple[str, list[CellLines]]]
    text: bytes
    inline: list[tuple[int, int]]
    """Ranges of cells whose lines are not lines of the file."""


class _CellLine(NamedTuple):
    """One string of a cell: the range of its content, and the end of the line in the file."""

    start: int
    end: int
    line_end: int


def find_cells(source: bytes, tree: Tree, magic: re.Pattern[bytes]) -> NotebookCells:
    """Find the cells of a document `{"cells": [{"cell_type": …, "source": […]}], "metadata": …}`.

    `magic` matches lines that are not code; its first group names another language for the whole cell.
    """
    document = _read_object(tree.root_node.named_child(0) if tree.root_node.named_child_count else None, source)
    copy = bytearray(source)
    found: dict[str, list[CellLines]] = {}
    inline: list[tuple[int, int]] = []
    last = 0
    listed = document.get("cells")
    default = _read_kernel_language(document.get("metadata"), source)
    for node in listed.named_children[:MAX_CELLS] if listed is not None else ():
        cell = _read_object(node, source)
        written = cell.get("source")
        lines = _find_lines(written, source)
        if written is None or lines == []:
            continue
        if lines is None or lines[0].start < last:
            inline.append((written.start_byte, written.end_byte))
            continue
        last = lines[-1].line_end
        cell_type = _read_string(cell.get("cell_type"), source)
        language = default if cell_type == _CODE else cell_type
        for line in lines:
            _unescape_line(copy, source, line)
        if cell_type == _CODE:
            language = _blank_magic_lines(copy, lines, magic, language)
        found.setdefault(language, []).append([(line.start, line.line_end) for line in lines])
    return NotebookCells(list(found.items()), bytes(copy), inline)


def _read_object(node: Node | None, source: bytes) -> dict[str, Node]:
    """Return the keys of an object and the nodes of their values."""
    found: dict[str, Node] = {}
    for pair in node.named_children if node is not None and node.type == "object" else ():
        key, value = pair.child_by_field_name("key"), pair.child_by_field_name("value")
        if key is not None and value is not None:
            found[_read_string(key, source)] = value
    return found


def _read_string(node: Node | None, source: bytes) -> str:
    if node is None or node.type != "string":
        return ""
    return source[node.start_byte + 1 : node.end_byte - 1].decode("utf-8", "replace")


def _read_kernel_language(metadata: Node | None, source: bytes) -> str:
    """Return the language of the code cells, if the document declares it."""
    about = _read_object(metadata, source)
    for key, field in (("kernelspec", "language"), ("language_info", "name")):
        name = _read_string(_read_object(about.get(key), source).get(field), source)
        if name:
            return name[:MAX_LANGUAGE]
    return ""


def _find_lines(node: Node | None, source: bytes) -> list[_CellLine] | None:
    """Return the lines of a cell, or None if they are not lines of the file."""
    if node is None:
        return []
    strings = [node] if node.type == "string" else [one for one in node.named_children if one.type == "string"]
    found: list[_CellLine] = []
    for at, string in enumerate(strings):
        start, end = string.start_byte + 1, string.end_byte - 1
        newline = source.find(b"\n", end)
        line_end = newline + 1 if newline >= 0 else len(source)
        content = source[start:end]
        breaks = sum(1 for escape in _ESCAPE.findall(content) if escape == b"\\n")
        if breaks > 1 or (breaks and not content.endswith(b"\\n")) or (found and start < found[-1].line_end):
            return None
        if not breaks and at < len(strings) - 1:
            return None
        found.append(_CellLine(start, end, line_end))
    if found and source.startswith(b"]", _skip_blanks(source, found[-1].line_end)):
        # The line that closes the list becomes an empty line that separates the next cell.
        newline = source.find(b"\n", found[-1].line_end)
        found[-1] = found[-1]._replace(line_end=newline + 1 if newline >= 0 else len(source))
    return found


def _skip_blanks(source: bytes, at: int) -> int:
    while source[at : at + 1] in (b" ", b"\t"):
        at += 1
    return at


def _unescape_line(copy: bytearray, source: bytes, line: _CellLine) -> None:
    """Overwrite an escaped line with its unescaped text, padded to the same length."""
    before = source.rfind(b"\n", 0, line.start) + 1
    copy[before : line.start] = b" " * (line.start - before)
    text = _RUN.sub(_unescape_run, source[line.start : line.end])
    tail = bytes(char if char in b"\r\n" else 32 for char in copy[line.end : line.line_end])
    body = text.rstrip(b" ")
    if (len(body) - len(body.rstrip(b"\\"))) % 2:
        # A backslash joins two lines only as the last character of its line.
        stop = len(tail) - len(tail.lstrip(b" "))
        text, tail = body[:-1].ljust(len(text)), tail[: stop - 1] + b"\\" + tail[stop:]
    copy[line.start : line.line_end] = text + tail


def _unescape_run(found: re.Match[bytes]) -> bytes:
    """Unescape a run of escapes, padded with blanks after it, or before a trailing backslash."""
    meant = b"".join(map(_unescape_char, _ESCAPE.findall(found.group())))
    head = meant.rstrip(b"\\")
    return head + b" " * (len(found.group()) - len(meant)) + meant[len(head) :]


def _unescape_char(escape: bytes) -> bytes:
    if not escape.startswith(b"\\u") or len(escape) < 6:
        return _PLAIN.get(escape, b" ")
    points = [int(code, 16) for code in escape.split(b"\\u")[1:]]
    point = points[0] if len(points) == 1 else 0x10000 + ((points[0] - 0xD800) << 10) + points[1] - 0xDC00
    return chr(point).encode() if point > 31 and not 0xD800 <= point <= 0xDFFF else b" "


def _blank_magic_lines(copy: bytearray, lines: list[_CellLine], magic: re.Pattern[bytes], language: str) -> str:
    """Blank magic lines; return the language that the first of them names, else the given one."""
    goes_on = False
    for at, line in enumerate(lines):
        text = bytes(copy[line.start : line.line_end])
        found = magic.match(text)
        if not found and not goes_on:
            continue
        if not at and found and found.lastindex:
            language = found[1].decode("utf-8", "replace")
        goes_on = text.rstrip().endswith(b"\\")
        copy[line.start : line.line_end] = bytes(char if char in b"\r\n" else 32 for char in text)
    return language

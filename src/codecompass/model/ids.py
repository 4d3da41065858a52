"""Identity: how every public handle is made. Nothing else in the program builds one.

A handle is a prefix and 15 decimal digits (50 bits). Digits, because the tokenizers of language models read three of
them as one token, and most pairs of other letters as one: the same bits cost a third less of an agent's window. Among
a million symbols a given handle has a twin with the chance of one in a thousand million.

The first digits say where to look, so that a handle is found again without a table of handles; the rest proves that
what was found there is the thing that was meant:

    sym_  5 of the name, 3 of the path, 7 of the whole        b3:    5 of the name, 10 of the whole
    snip_ 5 of the path, 10 of the whole                      file_  5 of the path, 10 of the whole
"""

import re

from blake3 import blake3

DIGITS = 15
KEY_DIGITS = 5
_PATH_DIGITS = 3
_HANDLE = re.compile(rf"(sym_|b3:|snip_|file_)[0-9]{{{DIGITS}}}")
_KINDS = {"sym_": "symbol", "b3:": "stable", "snip_": "snippet", "file_": "file"}
_COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
_LAST_COMMA = re.compile(r",(?=[)\]}>])")
_ESSENCE = 200
"""Long signatures are cut before they come here, and where depends on their white space; this much is always there."""


def _hash(domain: str, *parts: str) -> bytes:
    data = [domain.encode(), *[part.encode("utf-8", "surrogateescape") for part in parts]]
    # Lengths come first, so that ("ab", "c") and ("a", "bc") are different things.
    head = repr([len(part) for part in data]).encode()
    return blake3(head + b"".join(data)).digest(length=8)


def _digits(data: bytes, count: int) -> str:
    return str(int.from_bytes(data) % 10**count).zfill(count)


def project_id(root: str) -> str:
    """Identity of a repository on this machine, from the real path of what its worktrees share."""
    return _hash("project", root).hex()


def lookup_key(text: str) -> str:
    """The digits of a name or a path that stand first in the handles made from it."""
    return _digits(blake3(text.encode("utf-8", "surrogateescape")).digest(length=8), KEY_DIGITS)


def key_of(handle: str) -> str:
    """The first digits of a handle: the `lookup_key` of the name or path it was made from."""
    return handle[-DIGITS:][:KEY_DIGITS]


def path_key(path: str) -> str:
    """The digits of its file inside a `symbol_id`."""
    return _digits(_hash("path", path), _PATH_DIGITS)


def path_key_of(handle: str) -> str:
    """The digits of a `symbol_id` that tell its file, so that few files need be opened to find it."""
    return handle[-DIGITS:][KEY_DIGITS : KEY_DIGITS + _PATH_DIGITS]


def handle_kind(text: str) -> str:
    """`symbol`, `stable`, `snippet` or `file`; empty when the text is no handle."""
    found = _HANDLE.fullmatch(text)
    return _KINDS[found[1]] if found else ""


def symbol_id(path: str, kind: str, name: str, qualified_name: str, ordinal: int) -> str:
    """Identity of a row: this definition in this file; `ordinal` counts equal names in one file from 0."""
    whole = _hash("symbol", path, kind, name, qualified_name, str(ordinal))
    return "sym_" + lookup_key(name) + path_key(path) + _digits(whole, DIGITS - KEY_DIGITS - _PATH_DIGITS)


def symbol_stable_id(language: str, kind: str, name: str, qualified_name: str, signature: str, ordinal: int) -> str:
    """Identity that survives line shifts and reformatting: the essence of the signature, no path, no line.

    What it depends on: language, kind, name, the module and the enclosing definitions, the signature, and the order of
    definitions that agree in all of these. Renaming a file renames its module and so changes it, where modules are
    named by files.
    """
    whole = _hash("stable", language, kind, name, qualified_name, essence(signature), str(ordinal))
    return "b3:" + lookup_key(name) + _digits(whole, DIGITS - KEY_DIGITS)


def essence(signature: str) -> str:
    """The beginning of a signature without white space, comments, and the comma before a closing bracket."""
    return _LAST_COMMA.sub("", "".join(_COMMENT.sub("", signature).split()))[:_ESSENCE]


def snippet_id(path: str, line_start: int, line_end: int, blob: str) -> str:
    """Identity of a run of lines in one content at one path."""
    whole = _hash("snippet", path, str(line_start), str(line_end), blob)
    return "snip_" + lookup_key(path) + _digits(whole, DIGITS - KEY_DIGITS)


def file_id(path: str) -> str:
    """Identity of a file by its path."""
    return "file_" + lookup_key(path) + _digits(_hash("file", path), DIGITS - KEY_DIGITS)


def discovery_id(*parts: str) -> str:
    """Identity of a discovery by what it says and where from: mining the same again gives the same."""
    return "disc_" + _digits(_hash("discovery", *parts), DIGITS)

"""Identity: construction of all public handles. No other module builds them.

A handle is a prefix and 15 decimal digits (50 bits). Digits, because the tokenizers of language models encode
three digits as one token but only about two other characters: the same bits cost a third fewer tokens. Among a million
symbols, the probability that a given handle collides is one in a thousand million.

The first digits select the candidates, so a handle is resolved without a table of handles; the rest identifies the one
that was meant:

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
_SIGNATURE_PREFIX = 200
"""Callers truncate long signatures at a point that depends on white space; this prefix is always present."""


def _hash(domain: str, *parts: str) -> bytes:
    data = [domain.encode(), *[part.encode("utf-8", "surrogateescape") for part in parts]]
    # Lengths come first, so that ("ab", "c") and ("a", "bc") hash differently.
    head = repr([len(part) for part in data]).encode()
    return blake3(head + b"".join(data)).digest(length=8)


def _to_digits(data: bytes, count: int) -> str:
    return str(int.from_bytes(data) % 10**count).zfill(count)


def make_project_id(root: str) -> str:
    """Return the id of a repository on this machine, from the real path of its common git directory."""
    return _hash("project", root).hex()


def hash_lookup_key(text: str) -> str:
    """Hash a name or a path to the first digits of the handles made from it."""
    return _to_digits(blake3(text.encode("utf-8", "surrogateescape")).digest(length=8), KEY_DIGITS)


def read_lookup_key(handle: str) -> str:
    """Return the first digits of a handle: the `hash_lookup_key` of its name or path."""
    return handle[-DIGITS:][:KEY_DIGITS]


def hash_path_key(path: str) -> str:
    """Hash the path of a file to its digits inside a symbol id."""
    return _to_digits(_hash("path", path), _PATH_DIGITS)


def read_path_key(handle: str) -> str:
    """Return the digits of a symbol id that identify its file, so that few files must be opened to find it."""
    return handle[-DIGITS:][KEY_DIGITS : KEY_DIGITS + _PATH_DIGITS]


def classify_handle(text: str) -> str:
    """Return `symbol`, `stable`, `snippet` or `file`; empty if the text is not a handle."""
    found = _HANDLE.fullmatch(text)
    return _KINDS[found[1]] if found else ""


def make_symbol_id(path: str, kind: str, name: str, qualified_name: str, ordinal: int) -> str:
    """Return the id of one definition in one file; `ordinal` counts equal names in the file from 0."""
    whole = _hash("symbol", path, kind, name, qualified_name, str(ordinal))
    return "sym_" + hash_lookup_key(name) + hash_path_key(path) + _to_digits(whole, DIGITS - KEY_DIGITS - _PATH_DIGITS)


def make_stable_id(language: str, kind: str, name: str, qualified_name: str, signature: str, ordinal: int) -> str:
    """Return an id that survives moved lines and reformatting: it depends on no path and no line.

    It depends on the language, kind, name, module, enclosing definitions, normalized signature, and the order of
    definitions that agree in all of these. Where the module name derives from the path, renaming the file changes it.
    """
    whole = _hash("stable", language, kind, name, qualified_name, normalize_signature(signature), str(ordinal))
    return "b3:" + hash_lookup_key(name) + _to_digits(whole, DIGITS - KEY_DIGITS)


def normalize_signature(signature: str) -> str:
    """Return the start of a signature without white space, comments and trailing commas."""
    return _LAST_COMMA.sub("", "".join(_COMMENT.sub("", signature).split()))[:_SIGNATURE_PREFIX]


def make_snippet_id(path: str, line_start: int, line_end: int, blob: str) -> str:
    """Return the id of a line range in one content at one path."""
    whole = _hash("snippet", path, str(line_start), str(line_end), blob)
    return "snip_" + hash_lookup_key(path) + _to_digits(whole, DIGITS - KEY_DIGITS)


def make_file_id(path: str) -> str:
    """Return the id of a file, from its path."""
    return "file_" + hash_lookup_key(path) + _to_digits(_hash("file", path), DIGITS - KEY_DIGITS)


def make_discovery_id(*parts: str) -> str:
    """Return the id of a discovery from its content and source, so that mining again gives the same id."""
    return "disc_" + _to_digits(_hash("discovery", *parts), DIGITS)

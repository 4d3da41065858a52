"""Identity: how every public handle is made. Nothing else in the program builds one.

Handles are cut to 16 hexadecimal characters (64 bits): short enough for an agent's window, and with a million symbols
the chance of any two colliding is about three in a hundred million.
"""

from blake3 import blake3


def _digest(domain: str, *parts: str) -> str:
    data = [domain.encode()]
    data += [part.encode("utf-8", "surrogateescape") for part in parts]
    # Lengths come first, so that ("ab", "c") and ("a", "bc") are different things.
    head = ",".join(str(len(part)) for part in data).encode()
    return blake3(head + b":" + b"".join(data)).hexdigest(length=8)


def project_id(root: str) -> str:
    """Identity of a repository on this machine, from the real path of what its worktrees share."""
    return _digest("project", root)


def symbol_id(path: str, kind: str, qualified_name: str, ordinal: int) -> str:
    """Identity of a row: this definition in this file; `ordinal` counts equal names in one file from 0."""
    return "sym_" + _digest("symbol", path, kind, qualified_name, str(ordinal))


def symbol_stable_id(language: str, kind: str, qualified_name: str, signature: str, ordinal: int) -> str:
    """Identity that survives line shifts and reformatting: signature without white space, no path, no line."""
    return "b3:" + _digest("stable", language, kind, qualified_name, "".join(signature.split()), str(ordinal))


def snippet_id(path: str, line_start: int, line_end: int, blob: str) -> str:
    """Identity of a run of lines in one content at one path."""
    return "snip_" + _digest("snippet", path, str(line_start), str(line_end), blob)


def file_id(path: str) -> str:
    """Identity of a file by its path."""
    return "file_" + _digest("file", path)

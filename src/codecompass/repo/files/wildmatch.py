"""Wildmatch: translate git's wildcard patterns to RE2 expressions over bytes. Pure.

Git matches bytes, not characters, and its `**`, classes and escapes differ from every glob library in the corners; this
follows git's `wildmatch.c`. A subject that is a directory ends in `/`, so one expression serves files and directories.
"""

_POSIX = {
    b"alnum": frozenset(b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"),
    b"alpha": frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"),
    b"blank": frozenset(b" \t"),
    b"cntrl": frozenset(range(32)) | {127},
    b"digit": frozenset(b"0123456789"),
    b"graph": frozenset(range(33, 127)),
    b"lower": frozenset(b"abcdefghijklmnopqrstuvwxyz"),
    b"print": frozenset(range(32, 127)),
    b"punct": frozenset(b"!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~"),
    b"space": frozenset(b" \t\n\v\f\r"),
    b"upper": frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZ"),
    b"xdigit": frozenset(b"0123456789abcdefABCDEF"),
}
_SLASH = ord("/")


def count_literal_prefix(pattern: bytes) -> int:
    """Count the leading bytes of a pattern that are literal."""
    return min(
        (at for at in (pattern.find(char) for char in (b"*", b"?", b"[", b"\\")) if at >= 0), default=len(pattern)
    )


def unescape(pattern: bytes) -> bytes | None:
    """Return the name that a pattern without wildcards matches; None if it has wildcards or ends in a backslash."""
    if count_literal_prefix(pattern) == len(pattern):
        return pattern
    out = bytearray()
    at = 0
    while at < len(pattern):
        char = pattern[at]
        if char == ord("\\"):
            at += 1
            if at == len(pattern):
                return None
        elif char in b"*?[":
            return None
        out.append(pattern[at])
        at += 1
    return bytes(out)


def to_re2(pattern: bytes) -> bytes | None:
    """Translate a pattern to an RE2 body; None when the pattern can never match."""
    # Git compares the literal prefix first and matches the rest as a pattern of its own, so a `**` right after the
    # prefix counts as the start of a pattern: `a/b**` matches into directories, although the manual says otherwise.
    cut = count_literal_prefix(pattern)
    rest = pattern[cut:]
    out = [_quote(pattern[:cut])]
    at = 0
    while at < len(rest):
        char = rest[at]
        if char == ord("*"):
            piece, at = _translate_stars(rest, at, after_name=at == 0 and cut > 0 and pattern[cut - 1] != _SLASH)
        elif char == ord("?"):
            piece, at = b"[^/]", at + 1
        elif char == ord("["):
            members, at = _parse_class(rest, at + 1)
            if not members:
                return None
            piece = _format_class(members)
        else:
            at += char == ord("\\")
            if at == len(rest):
                return None
            piece, at = _quote(rest[at : at + 1]), at + 1
        out.append(piece)
    return b"".join(out)


def _translate_stars(rest: bytes, at: int, *, after_name: bool) -> tuple[bytes, int]:
    end = at
    while end < len(rest) and rest[end] == ord("*"):
        end += 1
    before = at == 0 or rest[at - 1] == _SLASH
    if end - at == 1 or not before:
        return b"[^/]*", end
    if end == len(rest):
        # `a/**` matches everything inside a, but not a itself.
        return (b".*" if after_name else b"[^/].*"), end
    if rest[end] == _SLASH:
        return b"(?:.*/)?", end + 1
    if rest[end : end + 2] == b"\\/":
        return b".*", end
    return b"[^/]*", end


def _parse_class(rest: bytes, at: int) -> tuple[frozenset[int], int]:
    """Parse a class: the bytes that it matches and the position after it; no bytes when it is malformed."""
    nothing: frozenset[int] = frozenset()
    negated = rest[at : at + 1] in (b"!", b"^")
    at += negated
    found: set[int] = set()
    previous = 0
    first = True
    while first or rest[at : at + 1] != b"]":
        first = False
        if at >= len(rest):
            return nothing, at
        char = rest[at]
        if char == ord("\\"):
            at += 1
            if at >= len(rest):
                return nothing, at
            char = rest[at]
            found.add(char)
        elif char == ord("-") and previous and at + 1 < len(rest) and rest[at + 1] != ord("]"):
            at += 1 + (rest[at + 1] == ord("\\"))
            if at >= len(rest):
                return nothing, at
            found.update(range(previous, rest[at] + 1))
            char = 0
        elif rest[at : at + 2] == b"[:" and (end := _find_class_name_end(rest, at)) != 0:
            named = _POSIX.get(rest[at + 2 : end - 1]) if end > 0 else None
            if named is None:
                return nothing, at
            found |= named
            at, char = end, 0
        else:
            found.add(char)
        previous = char
        at += 1
    members = frozenset(range(1, 256)) - found if negated else frozenset(found)
    return members - {_SLASH}, at + 1


def _find_class_name_end(rest: bytes, at: int) -> int:
    """Find the `]` of `[:name:]`; 0 for an ordinary set that starts with `[:`, -1 when there is no end."""
    end = rest.find(b"]", at + 2)
    if end < 0:
        return -1
    return end if end > at + 2 and rest[end - 1 : end] == b":" else 0


def _format_class(members: frozenset[int]) -> bytes:
    return b"[" + b"".join(b"\\x%02x" % member for member in sorted(members)) + b"]"


def _quote(literal: bytes) -> bytes:
    return b"".join(bytes((char,)) if chr(char).isalnum() and char < 128 else b"\\x%02x" % char for char in literal)

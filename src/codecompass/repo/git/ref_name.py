"""Ref names and hashes: check which names may be looked up in a repository. Pure."""

FULL_PREFIXES = ("refs/",)
MAX_LENGTH = 200
_FORBIDDEN = frozenset(" ~^:?*[\\\x7f") | {chr(code) for code in range(32)}
_HEX = frozenset("0123456789abcdef")
_LENGTHS = {"sha1": 40, "sha256": 64}


def is_valid_ref(name: str) -> bool:
    """Whether a name follows git's rules for refs, is not too long, and cannot be taken for an option."""
    if not name or len(name) > MAX_LENGTH or name.startswith(("-", "/")) or name.endswith(("/", ".")):
        return False
    if ".." in name or "@{" in name or "//" in name or not _FORBIDDEN.isdisjoint(name):
        return False
    return not any(part.startswith(".") or part.endswith(".lock") for part in name.split("/"))


def expand_ref_name(name: str) -> tuple[str, ...]:
    """Return the full names that a short name may mean. Branches come first: the default ref is a branch."""
    if name.startswith("refs/"):
        return (name,)
    return (
        f"refs/heads/{name}",
        f"refs/tags/{name}",
        f"refs/remotes/{name}",
        f"refs/remotes/{name}/HEAD",
        f"refs/{name}",
    )


def get_hash_length(object_format: str) -> int:
    """Return the number of hexadecimal digits of a full hash."""
    return _LENGTHS[object_format]


def is_hash(text: str, object_format: str) -> bool:
    """Whether this is a full hash of that format."""
    return len(text) == _LENGTHS[object_format] and _HEX.issuperset(text)


def is_abbreviation(text: str, object_format: str) -> bool:
    """Whether this could be a hash or an abbreviation that git accepts: at least four digits."""
    return 4 <= len(text) <= _LENGTHS[object_format] and _HEX.issuperset(text)


def split_ancestry(rev: str) -> tuple[str, str] | None:
    """`main~3^2` → (`main`, `~3^2`); None when what follows the name is not plain ancestry."""
    cut = min((at for at in (rev.find("~"), rev.find("^")) if at >= 0), default=len(rev))
    base, suffix = rev[:cut], rev[cut:]
    return (base, suffix) if set(suffix) <= set("~^0123456789") else None

"""Names that are never read, indexed or shown: a table, matched on whole path components, case-insensitively."""

_NAMES = frozenset(
    {
        ".env", ".envrc", ".npmrc", ".netrc", "_netrc", ".pypirc", ".pgpass", ".git-credentials", ".htpasswd", ".ssh",
        "id_rsa", "id_dsa", "id_ecdsa", "id_ed25519", "credentials.json",
    }
)  # fmt: skip
_ENDINGS = frozenset({"pem", "key", "p12", "pfx", "jks", "keystore", "kdbx", "tfstate", "ppk"})
_PREFIXES = (".env.", "service-account")
_PAIRS = frozenset({(".aws", "credentials"), (".docker", "config.json"), (".kube", "config")})
_KEEPERS = tuple(f"{above}/" for above, _ in _PAIRS)
_IGNORED_IN_HFS = dict.fromkeys((*range(0x200C, 0x2010), *range(0x202A, 0x202F), *range(0x206A, 0x2070), 0xFEFF))


def is_secret(path: str) -> bool:
    """Whether any component of a path has a name under which people keep secrets."""
    above = ""
    for part in path.split("/"):
        if is_secret_name(part, above):
            return True
        above = part
    return False


def is_secret_name(name: str, above: str = "") -> bool:
    """The same for one component and the name of the directory above it."""
    name = name.lower()
    if name in _NAMES or name.rpartition(".")[2] in _ENDINGS and "." in name:
        return True
    if name.startswith(_PREFIXES):
        return name.startswith(".env.") or name.endswith(".json")
    # Terraform's backups carry the same contents.
    return name.endswith(".tfstate.backup") or (above.lower(), name) in _PAIRS


def may_hold_secrets(directory: str) -> bool:
    """Whether a directory, given with its trailing slash, is one whose plainly named files may be secret."""
    return directory.lower().endswith(_KEEPERS)


def is_repository_part(name: str) -> bool:
    """Whether some file system would take this name for `.git`: other case, 8.3 short name, ignorable characters."""
    if not name.isascii():
        name = name.translate(_IGNORED_IN_HFS)
    folded = name.lower().rstrip(". ")
    return folded in (".git", "git~1") or folded.startswith((".git::", ".git:$"))

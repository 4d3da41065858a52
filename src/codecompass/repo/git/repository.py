"""Git repository as files: find it, read HEAD and list refs without running git.

The files are not trusted: a `.git` that is a symlink, or a `.git` file whose target does not point back, is not a
repository to us, because a checked-out archive could name any directory of the user that way.
"""

import os
import stat
import time
from pathlib import Path
from typing import NamedTuple

from codecompass.cache import LRU
from codecompass.repo.git.ref_name import FULL_PREFIXES, expand_ref_name, get_hash_length, is_hash, is_valid_ref

_SMALL = 4096
_CONFIG_LIMIT = 2**20
_PACKED_LIMIT = 2**26
_MAX_REFS = 100_000
_MAX_DEPTH = 5
_KINDS = (("branch", "refs/heads/"), ("tag", "refs/tags/"), ("remote", "refs/remotes/"))


class GitDir(NamedTuple):
    """One repository as seen from one worktree."""

    git_dir: Path
    """The directory of this worktree, with HEAD."""
    common_dir: Path
    """The directory that all worktrees share: objects, refs, info/exclude."""
    worktree: Path
    object_format: str


class HeadState(NamedTuple):
    """The checked-out branch and commit: an unborn branch has no commit, a detached HEAD no branch."""

    branch: str | None
    commit: str | None


class RefRow(NamedTuple):
    """One ref by its short name. The hash of an annotated tag may be the tag's own: `ShadowGit.resolve` peels it."""

    name: str
    kind: str
    commit: str


_StatSignature = tuple[int, int, int, int] | None
_MAX_CACHED = 64
_head_cache: LRU[GitDir, tuple[tuple[tuple[str, _StatSignature], ...], HeadState]] = LRU(_MAX_CACHED)
_repository_cache: LRU[Path, tuple[tuple[_StatSignature, ...], GitDir | None]] = LRU(_MAX_CACHED)
_RACY_NS = 100_000_000


def find_git(root: Path) -> GitDir | None:
    """Find the repository whose worktree is exactly `root`, or return None."""
    marks = tuple(_read_signature(os.path.join(root, name)) for name in (".git", ".git/config"))
    known = _repository_cache.get(root)
    if known is not None and known[0] == marks:
        return known[1]
    found = _find_git(root)
    settled = time.time_ns() - _RACY_NS
    # The entries of a directory change only with the directory itself. A `.git` file does not change with its target,
    # so it is followed each time.
    if marks[1] is not None and all(mark is None or max(mark[2:]) < settled for mark in marks):
        _repository_cache.put(root, (marks, found))
    else:
        _repository_cache.remove(root)
    return found


def _find_git(root: Path) -> GitDir | None:
    dot_git = root / ".git"
    try:
        mode = os.lstat(dot_git).st_mode
    except OSError:
        return None
    if stat.S_ISDIR(mode):
        # A real `.git` directory shares nothing: a commondir file in it would lead elsewhere.
        git_dir = dot_git if not (dot_git / "commondir").exists() else None
        common = git_dir
    elif stat.S_ISREG(mode):
        git_dir, common = _follow_file(root, dot_git)
    else:
        return None
    if git_dir is None or common is None or not _looks_like_git(git_dir, common):
        return None
    settings = _read_config(common / "config")
    object_format = settings.get("extensions.objectformat", "sha1").lower()
    if object_format not in ("sha1", "sha256"):
        return None
    return GitDir(git_dir, common, root, object_format)


def read_head(git: GitDir) -> HeadState:
    """Read HEAD. Every answer needs it several times, so it is cached until one of its files changes."""
    known = _head_cache.get(git)
    if known is not None and all(_read_signature(path) == seen for path, seen in known[0]):
        return known[1]
    # Signatures are taken before the files are read: a change in between shows as a difference next time.
    top = os.path.join(git.git_dir, "HEAD")
    seen = [(top, _read_signature(top))]
    text = _read_ref_file(git.git_dir / "HEAD")
    if text.startswith("ref: "):
        ref, packed = os.path.join(git.common_dir, text[5:]), os.path.join(git.common_dir, "packed-refs")
        seen += [(ref, _read_signature(ref)), (packed, _read_signature(packed))]
    found = _parse_head(git, text)
    settled = time.time_ns() - _RACY_NS
    # A file that changed a moment ago may change again within the timestamp granularity; a symref of a symref is rare.
    if found.branch is not None and all(mark is None or max(mark[2:]) < settled for _, mark in seen):
        _head_cache.put(git, (tuple(seen), found))
    else:
        _head_cache.remove(git)
    return found


def _read_signature(path: str) -> _StatSignature:
    """Read the stat data that identifies a state of a small file; git replaces files, so the inode changes as well."""
    try:
        status = os.lstat(path)
    except (OSError, ValueError):
        return None
    return status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns


def _parse_head(git: GitDir, text: str) -> HeadState:
    if text.startswith("ref: refs/heads/"):
        full = text[5:].strip()
        # Git writes `.invalid` when refs are stored in a reftable, which is not supported.
        if full == "refs/heads/.invalid" or not is_valid_ref(full):
            return HeadState(None, None)
        return HeadState(full.removeprefix("refs/heads/"), _resolve_full(git, full))
    if text.startswith("ref: "):
        return HeadState(None, _resolve_full(git, text[5:].strip()))
    return HeadState(None, text if is_hash(text, git.object_format) else None)


def resolve_ref(git: GitDir, name: str) -> str | None:
    """Resolve a branch, tag, remote branch, `refs/…` or HEAD to a full hash, or None; branches win over tags."""
    if name in ("HEAD", "@"):
        return read_head(git).commit
    if not is_valid_ref(name):
        return None
    for full in expand_ref_name(name):
        commit = _resolve_full(git, full)
        if commit is not None:
            return commit
    return None


def list_refs(git: GitDir) -> tuple[RefRow, ...]:
    """List branches, tags and remote branches, loose and packed, sorted by name."""
    found = _read_packed_refs(git)
    for _, prefix in _KINDS:
        for full in _list_loose_refs(git.common_dir, prefix):
            commit = _resolve_full(git, full)
            if commit is not None:
                found[full] = commit
            if len(found) >= _MAX_REFS:
                break
    rows = [
        RefRow(full.removeprefix(prefix), kind, commit)
        for full, commit in found.items()
        for kind, prefix in _KINDS
        if full.startswith(prefix) and is_valid_ref(full.removeprefix(prefix)) and not full.endswith("/HEAD")
    ]
    return tuple(sorted(rows))


def read_small(path: Path | str, limit: int) -> bytes | None:
    """Read a regular file of at most `limit` bytes, without following a symlink or blocking on a FIFO; else None."""
    try:
        fd = os.open(path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0))
    except (OSError, ValueError):
        return None
    try:
        status = os.fstat(fd)
        if not stat.S_ISREG(status.st_mode) or status.st_size > limit:
            return None
        # One byte more than the size, to see whether the file grew meanwhile.
        data = os.read(fd, status.st_size + 1)
        return data if len(data) <= limit else None
    except OSError:
        return None
    finally:
        os.close(fd)


def _follow_file(root: Path, dot_git: Path) -> tuple[Path | None, Path | None]:
    """Return the git directory named by a `.git` file, only if it points back to this worktree."""
    data = read_small(dot_git, _SMALL)
    if data is None or not data.startswith(b"gitdir: "):
        return None, None
    target = os.fsdecode(data[8:].split(b"\n", 1)[0].rstrip(b"\r"))
    if not target or "\0" in target:
        return None, None
    git_dir = Path(os.path.realpath(root / target))
    back = read_small(git_dir / "gitdir", _SMALL)
    if back is not None:
        # A linked worktree: `gitdir` points back to our `.git` file, `commondir` to the shared directory.
        back_path = os.path.realpath(os.path.join(git_dir, os.fsdecode(back.strip())))
        common_data = read_small(git_dir / "commondir", _SMALL)
        if back_path != os.path.realpath(dot_git) or common_data is None:
            return None, None
        common = Path(os.path.realpath(os.path.join(git_dir, os.fsdecode(common_data.strip()))))
        # Git stores linked worktrees under `<common>/worktrees/<name>`; anything else was not written by git.
        return (git_dir, common) if git_dir.parent == common / "worktrees" else (None, None)
    # A submodule: its git directory is inside the superproject's, and its configuration names our directory.
    worktree = _read_config(git_dir / "config").get("core.worktree", "")
    if worktree and os.path.realpath(os.path.join(git_dir, worktree)) == os.path.realpath(root):
        return git_dir, git_dir
    return None, None


def _looks_like_git(git_dir: Path, common: Path) -> bool:
    return (git_dir / "HEAD").is_file() and (common / "objects").is_dir() and (common / "refs").is_dir()


def _read_config(path: Path) -> dict[str, str]:
    """Read plain `section.key` values of a configuration file; subsections and includes are ignored."""
    data = read_small(path, _CONFIG_LIMIT)
    section = ""
    found: dict[str, str] = {}
    for line in (data or b"").decode("utf-8", "surrogateescape").splitlines():
        text = line.strip()
        if text.startswith("["):
            section = text[1:].partition("]")[0].strip().lower()
        elif "=" in text and text[0] not in "#;":
            key, _, value = text.partition("=")
            found[f"{section}.{key.strip().lower()}"] = value.strip().strip('"')
    return found


def _read_ref_file(path: Path) -> str:
    data = read_small(path, _SMALL)
    return data.decode("utf-8", "surrogateescape").strip() if data else ""


def _resolve_full(git: GitDir, full: str) -> str | None:
    """Resolve a full ref name through loose files and packed-refs; a loop of symrefs ends at a fixed depth."""
    for _ in range(_MAX_DEPTH):
        if not is_valid_ref(full) or not full.startswith(FULL_PREFIXES):
            return None
        own = full.startswith(("refs/worktree/", "refs/bisect/", "refs/rewritten/"))
        text = _read_ref_file((git.git_dir if own else git.common_dir) / full)
        if not text:
            return _resolve_packed(git, full)
        if not text.startswith("ref: "):
            return text if is_hash(text, git.object_format) else None
        full = text[5:].strip()
    return None


def _resolve_packed(git: GitDir, full: str) -> str | None:
    data = b"\n" + (read_small(git.common_dir / "packed-refs", _PACKED_LIMIT) or b"") + b"\n"
    # One search of the bytes instead of a table: this runs on every call, and there may be 100,000 refs.
    at = data.find(b" " + os.fsencode(full) + b"\n")
    length = get_hash_length(git.object_format)
    if at < length:
        return None
    commit = data[at - length : at].decode("ascii", "replace")
    if not is_hash(commit, git.object_format) or data[at - length - 1 : at - length] != b"\n":
        return None
    after = at + len(os.fsencode(full)) + 2
    peeled = data[after + 1 : after + 1 + length].decode("ascii", "replace") if data[after : after + 1] == b"^" else ""
    return peeled if is_hash(peeled, git.object_format) else commit


def _read_packed_refs(git: GitDir) -> dict[str, str]:
    found: dict[str, str] = {}
    last = ""
    for raw in (read_small(git.common_dir / "packed-refs", _PACKED_LIMIT) or b"").split(b"\n"):
        line = raw.decode("utf-8", "surrogateescape")
        commit, _, full = line.partition(" ")
        if line.startswith("^") and last and is_hash(line[1:], git.object_format):
            found[last] = line[1:]
        elif full.startswith(FULL_PREFIXES) and is_valid_ref(full) and is_hash(commit, git.object_format):
            found[full] = commit
            last = full
        if len(found) >= _MAX_REFS:
            break
    return found


def _list_loose_refs(common: Path, prefix: str) -> list[str]:
    names: list[str] = []
    stack = [prefix]
    while stack and len(names) < _MAX_REFS:
        at = stack.pop()
        try:
            entries = list(os.scandir(common / at))
        except OSError:
            continue
        for entry in entries:
            full = at + entry.name
            if entry.is_dir(follow_symlinks=False):
                stack.append(full + "/")
            elif is_valid_ref(full):
                names.append(full)
    return names

"""Log parser: parse git's output about history: commits with changes, line counts, trees, blame. Pure."""

from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta, timezone

from codecompass.model.history_facts import Blame, Commit, CommitRecord, MergeOrigin, PathChange

LOG_FORMAT = "tformat:%x01%H %P%x00%an%x00%ad%x00%ct"
"""To be used with `--date=raw`."""
_HEADER = 4
_MARK = b"\x01"


def parse_log(output: bytes, *, whole: bool) -> list[CommitRecord]:
    """Parse `log --raw -z` with LOG_FORMAT; without `whole` the last record may be truncated and is left out."""
    tokens = output.split(b"\0")
    found: list[CommitRecord] = []
    at = 0
    while at + _HEADER <= len(tokens) and tokens[at].startswith(_MARK):
        ids = tokens[at][1:].decode("ascii", "replace").split(" ")
        author = tokens[at + 1].decode("utf-8", "replace")
        time, date = parse_raw_date(tokens[at + 2].decode("ascii", "replace"))
        parents = tuple(name for name in ids[1:] if name)
        commit = Commit(ids[0], author, date, time, _parse_number(tokens[at + 3]), len(parents) > 1)
        changes, at = _parse_changes(tokens, at + _HEADER)
        found.append(CommitRecord(commit, parents, changes))
    return found if whole else found[:-1]


def _parse_changes(tokens: Sequence[bytes], at: int) -> tuple[tuple[PathChange, ...], int]:
    """Parse raw entries from a position on, without deletions: the history of a removed file is never read."""
    found = []
    while at + 1 < len(tokens):
        about = tokens[at].lstrip(b"\n")
        if not about.startswith(b":"):
            break
        status = about[about.rfind(b" ") + 1 :][:1]
        if status in (b"R", b"C"):
            if at + 2 < len(tokens):
                found.append(PathChange(tokens[at + 2], tokens[at + 1]))
            at += 3
            continue
        path = tokens[at + 1]
        if status != b"D":
            found.append(PathChange(path, b"" if status == b"A" else path))
        at += 2
    # Git may write an empty token between a commit without changes and the next one.
    while at < len(tokens) - 1 and tokens[at] in (b"", b"\n"):
        at += 1
    return tuple(found), at


def parse_combined(output: bytes) -> dict[str, list[MergeOrigin]]:
    """Parse `diff-tree -c --raw -z`: by merge, the paths that differ from all parents, and which parents have them."""
    found: dict[str, list[MergeOrigin]] = {}
    routes: list[MergeOrigin] = []
    tokens = iter(output.split(b"\0"))
    for token in tokens:
        if token.startswith(b"::"):
            path = next(tokens, b"")
            status = token.rsplit(b" ", 1)[-1].decode("ascii", "replace")
            if "D" not in status:
                had = tuple(at for at, letter in enumerate(status) if letter != "A")
                routes.append(MergeOrigin(path, had, touched=True))
        elif token:
            routes = found.setdefault(token.decode("ascii", "replace"), [])
    return found


def find_octopus_routes(
    changes: Sequence[PathChange], differing: Sequence[dict[bytes, bool]]
) -> tuple[MergeOrigin, ...]:
    """Find the routes of a merge of three or more parents; `differing` maps paths to whether a parent lacks them."""
    found = []
    for change in changes:
        same = next((at for at, paths in enumerate(differing) if change.path not in paths), None)
        if same is not None:
            found.append(MergeOrigin(change.path, (same,), touched=False))
        else:
            had = tuple(at for at, paths in enumerate(differing) if not paths[change.path])
            found.append(MergeOrigin(change.path, had, touched=True))
    return tuple(found)


def parse_difference(output: bytes) -> dict[bytes, bool]:
    """Parse `diff-tree -r --raw -z --no-renames` of two commits: path → whether it was added."""
    found = {}
    tokens = iter(output.split(b"\0"))
    for about in tokens:
        path = next(tokens, b"")
        if about.startswith(b":"):
            found[path] = about.endswith(b"A")
    return found


def parse_counts(output: bytes, length: int) -> Iterator[tuple[str, list[tuple[bytes, int, int]]]]:
    """Parse `diff-tree --stdin --numstat -z`: (commit, [(path, added, deleted)]); binary files have no lines.

    A commit id has `length` digits and no tab; every line of counts has tabs.
    """
    commit, rows = "", list[tuple[bytes, int, int]]()
    tokens = iter(output.split(b"\0"))
    for token in tokens:
        numbers = token.split(b"\t", 2)
        if len(numbers) == 3:
            path = numbers[2]
            if not path:
                next(tokens, b"")
                path = next(tokens, b"")
            rows.append((path, _parse_number(numbers[0]), _parse_number(numbers[1])))
        elif len(token) == length:
            if commit:
                yield commit, rows
            commit, rows = token.decode("ascii", "replace"), []
    if commit:
        yield commit, rows


def parse_tree_names(output: bytes) -> dict[bytes, str]:
    """Parse `ls-tree -r -z`: path → object id, without submodules."""
    found = {}
    for row in output.split(b"\0"):
        about, tab, path = row.partition(b"\t")
        words = about.split()
        if tab and len(words) == 3 and words[1] == b"blob":
            found[path] = words[2].decode("ascii", "replace")
    return found


def parse_blame(output: bytes) -> Blame:
    """Parse `blame --porcelain` into runs of lines with the same commit."""
    commits: dict[str, Commit] = {}
    order: dict[str, int] = {}
    runs: list[list[int]] = []
    fields: dict[bytes, bytes] = {}
    current = ""
    start = count = 0
    for line in output.split(b"\n"):
        if not current:
            words = line.split()
            if len(words) < 3:
                continue
            current = words[0].decode("ascii", "replace")
            start, count = _parse_number(words[2]), 1
            fields = {}
        elif not line.startswith(b"\t"):
            key, _, value = line.partition(b" ")
            fields[key] = value
        else:
            if current not in commits:
                commits[current] = _parse_blame_commit(current, fields)
                order[current] = len(order)
            if runs and runs[-1][2] == order[current] and runs[-1][0] + runs[-1][1] == start:
                runs[-1][1] += count
            else:
                runs.append([start, count, order[current]])
            current = ""
    return Blame(tuple((one, two, three) for one, two, three in runs), tuple(commits.values()))


def _parse_blame_commit(name: str, fields: dict[bytes, bytes]) -> Commit:
    written = fields.get(b"author-time", b"") + b" " + fields.get(b"author-tz", b"")
    time, date = parse_raw_date(written.decode("ascii", "replace"))
    author = fields.get(b"author", b"").decode("utf-8", "replace")
    return Commit(name, author, date, time, _parse_number(fields.get(b"committer-time", b"")))


def parse_raw_date(text: str) -> tuple[int, str]:
    """Parse git's raw date `seconds zone` to (seconds, ISO 8601); the text is empty for a date out of range."""
    seconds, _, zone = text.partition(" ")
    time = _parse_number(seconds.encode())
    digits = zone[1:]
    valid = len(digits) == 4 and digits.isdigit()
    minutes = (int(digits[:2]) * 60 + int(digits[2:])) * (-1 if zone[0] == "-" else 1) if valid else 0
    try:
        return time, datetime.fromtimestamp(time, timezone(timedelta(minutes=minutes))).isoformat()
    except (OverflowError, ValueError, OSError):
        return time, ""


def _parse_number(text: bytes) -> int:
    """Parse an integer; anything else, and numbers of 18 or more digits, count as zero."""
    return int(text) if text.lstrip(b"-").isdigit() and len(text) < 18 else 0

"""What git is asked about history: commits and their changes, counted lines, blame; nothing foreign runs."""

import os
from pathlib import Path

import pytest

from codecompass.errors import Failure
from codecompass.model.history_facts import Blame, CommitRecord, MergeOrigin, PathChange
from codecompass.repo.git.git_log import GitLog
from codecompass.repo.git.object_reader import ShadowGit
from codecompass.repo.git.repository import find_git
from tests.repo.gitrepo import git, make_repo
from tests.repo.story import Story, lines
from tests.repo.test_git import HOSTILE_CONFIG


def log_of(repo: Path) -> GitLog:
    found = find_git(repo)
    assert found is not None
    return GitLog(ShadowGit(found, repo.parent / "shadow"))


def records_of(repo: Path, *excluded: str, count: int = 100) -> list[CommitRecord]:
    return log_of(repo).list_commits([git(repo, "rev-parse", "main")], excluded, count, 30)[0]


def test_commits_with_authors_dates_and_changes(tmp_path: Path) -> None:
    """GIT-LOG: a record says who, when and which paths, renamed ones with the name they had; deletions say nothing."""
    story = Story(tmp_path / "repo")
    story.commit({"a.py": lines(9), "b.py": "b\n"}, "Ada Lovelace")
    story.commit({"a.py": None, "c.py": lines(9) + "more\n"}, "Grace Hopper")
    story.commit({"b.py": None}, "Łukasz 😀: -")
    story.commit({"c.py": lines(9)}, "Ada Lovelace")
    hashes = story.write()
    found = records_of(story.path)
    assert [record.commit.id for record in found] == hashes[:0:-1]
    assert [record.parents for record in found] == [(name,) for name in hashes[3:0:-1]] + [()]
    assert [record.commit.author for record in found[-2:]] == ["Grace Hopper", "Ada Lovelace"]
    shown = git(story.path, "log", "--format=%an|%aI|%at", "main").splitlines()
    assert [f"{one.author}|{one.date}|{one.time}" for one in (record.commit for record in found)] == shown
    assert [record.changes for record in found] == [
        (PathChange(b"c.py", b"c.py"),),
        (),
        (PathChange(b"c.py", b"a.py"),),
        (PathChange(b"a.py", b""), PathChange(b"b.py", b"")),
    ]
    assert [record.commit.id for record in records_of(story.path, hashes[2])] == [hashes[4], hashes[3]]
    assert len(records_of(story.path, count=3)) == 3


def test_merges_say_where_paths_come_from(tmp_path: Path) -> None:
    """GIT-LOG: a path of a merge is as in a parent, or as in none: then the merge itself changed it."""
    story = Story(tmp_path / "repo")
    base = story.commit({"a": "1\n", "b": "1\n", "c": "1\n"})
    left = story.commit({"a": "left\n", "c": "left\n"}, parents=[base])
    right = story.commit({"b": "right\n", "c": "right\n", "new": "x\n"}, parents=[base])
    third = story.commit({"d": "third\n"}, parents=[base])
    two = story.commit({"b": "right\n", "c": "evil\n", "new": "x\n", "own": "y\n"}, parents=[left, right])
    story.commit({"b": "evil\n", "d": "third\n"}, parents=[two, right, third])
    hashes = story.write()
    found = {record.commit.id: record for record in records_of(story.path)}
    merge = found[hashes[two]]
    assert merge.commit.merge and {change.path for change in merge.changes} == {b"b", b"c", b"new", b"own"}
    assert set(merge.routes) == {MergeOrigin(b"c", (0, 1), touched=True), MergeOrigin(b"own", (), touched=True)}
    octopus = found[hashes[-1]]
    assert set(octopus.routes) == {MergeOrigin(b"b", (0, 1, 2), touched=True), MergeOrigin(b"d", (2,), touched=False)}


def test_counted_lines_are_those_of_git(tmp_path: Path) -> None:
    """GIT-CHURN: added and deleted lines of each commit, of some paths or all; a rename counts what it changed."""
    story = Story(tmp_path / "repo")
    story.commit({"a.py": lines(20), "odd\nname\udcff.py": "1\n2\n", "bin": "\0\1\n"})
    story.commit({"a.py": None, "b.py": lines(20) + "end\n", "bin": "\0\2\n"})
    story.commit({"b.py": lines(18), "odd\nname\udcff.py": "1\n"})
    hashes = story.write(checkout=False)
    log = log_of(story.path)
    found, whole = log.count_lines(hashes[1:], (), 30)
    odd = "odd\nname\udcff.py".encode("utf-8", "surrogateescape")
    assert whole and {commit: sorted(rows) for commit, rows in found.items()} == {
        hashes[1]: sorted([(b"a.py", 20, 0), (b"bin", 0, 0), (odd, 2, 0)]),
        hashes[2]: sorted([(b"b.py", 1, 0), (b"bin", 0, 0)]),
        hashes[3]: sorted([(b"b.py", 0, 3), (odd, 0, 1)]),
    }
    some, whole = log.count_lines(hashes[1:], [odd], 30)
    assert whole and [rows for rows in some.values() if rows] == [[(odd, 2, 0)], [(odd, 0, 1)]]
    starred, _ = log.count_lines(hashes[1:], [b"*.py", b":(glob)**"], 30)
    assert not any(starred.values()), "a path is a name and no pattern"


def spread(blame: Blame) -> list[str]:
    return [blame.commits[at].author for _, count, at in blame.runs for _ in range(count)]


@pytest.mark.parametrize("name", ["a.py", "-x", "o d\nd\udcff.py", "sub/:(top)a"])
def test_blame_is_that_of_git(tmp_path: Path, name: str) -> None:
    """GIT-BLAME: each line has the author that git gives it, through renames and in files of any name."""
    story = Story(tmp_path / "repo")
    story.commit({"old": lines(6)}, "Ada")
    story.commit({"old": lines(6) + "one\n"}, "Grace")
    story.commit({"old": None, name: "zero\n" + lines(6) + "one\n"}, "Edsger")
    hashes = story.write(checkout=False)
    found = log_of(story.path).blame(hashes[-1], name.encode("utf-8", "surrogateescape"), 30)
    assert spread(found) == ["Edsger", *["Ada"] * 6, "Grace"]
    assert [count for _, count, _ in found.runs] == [1, 6, 1]
    plain = git(story.path, "log", "-1", "--format=%aI|%at", hashes[2])
    grace = next(one for one in found.commits if one.author == "Grace")
    assert (f"{grace.date}|{grace.time}", grace.id) == (plain, hashes[2])


def test_objects_of_the_longer_kind(tmp_path: Path) -> None:
    """GIT-LOG: a repository whose objects are named by SHA-256 is read alike."""
    repo = make_repo(tmp_path / "repo", {"a": "1\n"}, object_format="sha256")
    (record,) = records_of(repo)
    assert len(record.commit.id) == 64 and record.changes == (PathChange(b"a", b""),)
    log = log_of(repo)
    assert log.count_lines([record.commit.id], (), 30) == ({record.commit.id: [(b"a", 1, 0)]}, True)
    assert spread(log.blame(record.commit.id, b"a", 30)) == ["A"]


def test_nothing_of_the_repository_runs(tmp_path: Path) -> None:
    """GIT-HISTORY-TRUST: no textconv, diff program, mailmap, attribute or signature check of the repository is used."""
    story = Story(tmp_path / "repo")
    files = {".gitattributes": "* diff=evil\n*.py -diff\n", ".mailmap": "Mallory <m@example.org> <a@example.org>\n"}
    story.commit({**files, "a.py": lines(5)}, "Ada")
    story.commit({"a.py": None, "b.py": lines(6)}, "Grace")
    hashes = story.write()
    marker, program = tmp_path / "MARKER", tmp_path / "evil.sh"
    program.write_text(f"#!/bin/sh\necho ran >> {marker}\n")
    program.chmod(0o755)
    more = f"[log]\n showSignature = true\n mailmap = true\n[mailmap]\n file = {story.path}/.mailmap\n"
    more += f"[blame]\n ignoreRevsFile = {program}\n[gpg]\n program = {program}\n"
    evil = HOSTILE_CONFIG.format(run=program, hooks=tmp_path, include=tmp_path / "none", attributes=program)
    with (story.path / ".git" / "config").open("a") as config:
        config.write(evil + more)
    for name in ("info/attributes", "info/grafts"):
        target = story.path / ".git" / name
        target.parent.mkdir(exist_ok=True)
        target.write_text("* diff=evil\n" if name.endswith("attributes") else f"{hashes[2]}\n")
    log = log_of(story.path)
    before = os.getcwd()
    os.chdir(story.path)
    try:
        records, whole = log.list_commits([hashes[2]], (), 10, 30)
        counts, _ = log.count_lines([hashes[2]], (), 30)
        blame = log.blame(hashes[2], b"b.py", 30)
    finally:
        os.chdir(before)
    assert whole and [record.commit.author for record in records] == ["Grace", "Ada"]
    assert counts == {hashes[2]: [(b"b.py", 1, 0)]}
    assert spread(blame) == ["Ada"] * 5 + ["Grace"]
    assert not marker.exists()


@pytest.mark.parametrize("bad", ["", "main", "--output=x", "^main", "HEAD", "f" * 39])
def test_only_full_hashes_reach_git(tmp_path: Path, bad: str) -> None:
    """GIT-HISTORY-TRUST: nothing that git could take for an option or a name is asked for."""
    log = log_of(make_repo(tmp_path / "repo", {"a": "1\n"}))
    asks = (
        lambda: log.list_commits([bad], (), 1, 5),
        lambda: log.list_commits((), [bad], 1, 5),
        lambda: log.count_lines([bad], (), 5),
        lambda: log.blame(bad, b"a", 5),
        lambda: log.read_tree(bad, 5),
    )
    for ask in asks:
        with pytest.raises(Failure) as caught:
            ask()
        assert caught.value.code == "INVALID_REQUEST"


def drop_object(repo: Path, oid: str) -> None:
    """Take one object out of a repository, as a partial clone lacks it."""
    (repo / ".git" / "objects" / oid[:2] / oid[2:]).unlink()


def test_missing_contents_cost_only_similarity(tmp_path: Path) -> None:
    """GIT-HISTORY-MISSING: where contents are missing commits are still told, and counting stops at the hole."""
    repo = make_repo(tmp_path / "repo", {"a.py": lines(9), "b.py": lines(3, "b")})
    hole = git(repo, "rev-parse", "HEAD:a.py")
    git(repo, "mv", "b.py", "c.py")
    git(repo, "rm", "-q", "a.py")
    (repo / "d.py").write_text(lines(9) + "more\n")
    git(repo, "add", "-A")
    git(repo, "commit", "-qm", "renames")
    second = git(repo, "rev-parse", "HEAD")
    drop_object(repo, hole)
    log = log_of(repo)
    records, whole = log.list_commits([second], (), 10, 30)
    assert whole and log.exact and len(records) == 2
    assert set(records[0].changes) == {PathChange(b"c.py", b"b.py"), PathChange(b"d.py", b"")}
    found, whole = log.count_lines([second, records[1].commit.id], (), 30)
    assert not whole and records[1].commit.id not in found

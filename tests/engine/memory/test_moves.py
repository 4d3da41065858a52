"""Files and symbols that went elsewhere: followed as far as they can be, and never called gone while they stand."""

import os
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from codecompass.engine.memory.claims.breaking_commit import CommitBisect
from codecompass.model.call import Call
from codecompass.model.memory_values import ClaimCheck
from codecompass.model.time_budget import TimeBudget
from codecompass.repo.git.commit_log import CommitLog
from codecompass.repo.git.object_reader import ShadowGit
from codecompass.repo.git.repository import find_git
from codecompass.store.embedded.databases.memory_database import EmbeddedMemoryCache
from tests.engine.memory.memorylab import Lab, build, lab_on, put, write
from tests.engine.support import desk_on
from tests.repo.gitrepo import git

BODY = "".join(f"    total += row.part_{at} * weight_{at}\n" for at in range(12))
CODE = f"def weigh(row):\n    total = 0\n{BODY}    return total\n"
OTHER = "".join(f"def other_{at}(value):\n    return value - {at}\n" for at in range(20))
NOTE = "Weights are added up in `src/scales.py`."


def say(lab: Lab, statement: str = NOTE) -> str:
    return lab.remember(statement).id


def only(lab: Lab, discovery: str, target: str = "src/scales.py") -> ClaimCheck:
    (found,) = (one for one in lab.verdicts(discovery) if one.claim.target == target)
    return found


@pytest.fixture
def lab(tmp_path: Path) -> Iterator[Lab]:
    files = {"src/scales.py": CODE, "src/main.py": OTHER, "README.md": "# Scales\n"}
    with lab_on(tmp_path, {"commit": [{"message": "start", "files": files}]}) as made:
        yield made


def test_copied_then_deleted(lab: Lab) -> None:
    """MEM-MOVES: no commit renames it, but its content stands elsewhere."""
    told = say(lab)
    lab.commit({"files": {"src/weights/adding.py": CODE}}, 1)
    gone = lab.commit({"delete": ["src/scales.py"]}, 2)
    verdict = only(lab, told)
    assert (verdict.status, verdict.note, verdict.now) == ("fresh", "moved", "src/weights/adding.py")
    assert verdict.commit == gone


def test_copied_changed_and_deleted(lab: Lab) -> None:
    """MEM-MOVES: a file of that name with most of its lines is its successor."""
    told = say(lab)
    lab.commit({"files": {"lib/scales.py": CODE + "\n\ndef more(row):\n    return weigh(row) + 1\n"}}, 1)
    lab.commit({"delete": ["src/scales.py"]}, 2)
    assert only(lab, told).now == "lib/scales.py"


def test_namesake_is_no_successor(lab: Lab) -> None:
    """MEM-MOVES, MEM-STALE: another file of that name says something else: it is gone, and the commit is named."""
    told = say(lab)
    lab.commit({"files": {"lib/scales.py": OTHER.replace("other", "another")}}, 1)
    gone = lab.commit({"delete": ["src/scales.py"]}, 2)
    verdict = only(lab, told)
    assert (verdict.status, verdict.commit, verdict.was) == ("gone", gone, "src/scales.py")


def test_renamed_on_a_branch(lab: Lab) -> None:
    """MEM-MOVES: what a merge seems to delete was renamed by a commit of the branch."""
    told = say(lab)
    git(lab.repo, "checkout", "-q", "-b", "rewrite")
    moved = lab.commit({"move": {"src/scales.py": "app/weigh.py"}}, 1)
    lab.commit({"files": {"app/weigh.py": f"{OTHER}\n\n{CODE}\n\n{OTHER.replace('other', 'third')}"}}, 2)
    git(lab.repo, "checkout", "-q", "main")
    lab.commit({"files": {"README.md": "# Scales and more\n"}}, 3)
    git(lab.repo, "merge", "-q", "--no-ff", "-m", "merge", "rewrite")
    lab.index()
    verdict = only(lab, told)
    assert (verdict.status, verdict.now, verdict.commit) == ("fresh", "app/weigh.py", moved)


def test_deleted_on_a_branch(lab: Lab) -> None:
    """MEM-STALE: the commit that took it away is named, and not the merge that brought it."""
    told = say(lab)
    git(lab.repo, "checkout", "-q", "-b", "rewrite")
    gone = lab.commit({"delete": ["src/scales.py"]}, 1)
    git(lab.repo, "checkout", "-q", "main")
    lab.commit({"files": {"README.md": "# Scales and more\n"}}, 2)
    git(lab.repo, "merge", "-q", "--no-ff", "-m", "merge", "rewrite")
    lab.index()
    assert (only(lab, told).status, only(lab, told).commit) == ("gone", gone)


def test_old_name_lives_on_elsewhere(lab: Lab) -> None:
    """MEM-MOVES, MEM-STALE: what a branch of maintenance does to the old name later does not hide the move."""
    told, limit = say(lab), say(lab, "Never change `weigh` without asking.")
    git(lab.repo, "branch", "stable")
    moved = write(lab.repo, {"move": {"src/scales.py": "app/scales.py"}}, 1)
    late = write(lab.repo, {"files": {"app/scales.py": CODE.replace("total = 0", "total = 1")}}, 2)
    git(lab.repo, "checkout", "-q", "stable")
    write(lab.repo, {"files": {"src/scales.py": CODE + "\nLAST = 1\n"}}, 3)
    git(lab.repo, "checkout", "-q", "main")
    git(lab.repo, "merge", "-q", "--no-ff", "-s", "ours", "-m", "merge stable", "stable")
    lab.index()
    verdict = only(lab, told)
    assert (verdict.status, verdict.now, verdict.commit) == ("fresh", "app/scales.py", moved)
    edited = only(lab, limit, "weigh")
    assert (edited.status, edited.note, edited.commit) == ("fresh", "edited since", late)


def test_rewritten_elsewhere(lab: Lab) -> None:
    """MEM-MOVES: a class that stands in a file of the same name elsewhere changed; it is not gone."""
    body = "class Scale:\n    def weigh(self):\n        return 1\n"
    lab.commit({"files": {"src/box.py": body, "tests/test_box.py": "class Scale:\n    pass\n"}}, 1)
    told = say(lab, "`Scale` in `src/box.py` is made once.")
    lab.commit({"files": {"lib/part/box.py": "import os\n\n\n" + body.replace("return 1", "return os.getpid()")}}, 2)
    gone = lab.commit({"delete": ["src/box.py"]}, 3)
    verdict = only(lab, told, "Scale")
    assert (verdict.status, verdict.now, verdict.commit) == ("fresh", "class Scale in lib/part/box.py", gone)


def test_moved_and_not_committed(lab: Lab) -> None:
    """MEM-MOVES: a move that is in no commit yet is followed too; deleting it again ends it, and a revert heals."""
    told = say(lab)
    (lab.repo / "new").mkdir()
    os.rename(lab.repo / "src/scales.py", lab.repo / "new/scales.py")
    lab.index()
    assert (only(lab, told).status, only(lab, told).now) == ("fresh", "new/scales.py")
    (lab.repo / "new/scales.py").unlink()
    lab.index()
    assert (only(lab, told).status, only(lab, told).note) == ("gone", "not committed")
    git(lab.repo, "checkout", "-q", "--", "src/scales.py")
    lab.index()
    assert (only(lab, told).status, only(lab, told).note) == ("fresh", "")


def test_what_no_view_has(tmp_path: Path) -> None:
    """MEM-PRECISE: pictures, links and packages of others are in no view, and are not gone for that."""
    case = {"commit": [{"message": "start", "files": {"src/a.py": CODE, "node_modules/z/index.js": "z()\n"}}]}
    repo = tmp_path / "repo"
    build(repo, case)
    (repo / "logo.png").write_bytes(b"\x89PNG\r\n\0\0")
    os.symlink("src/a.py", repo / "entry.py")
    notes = "# Notes\n\nSee `logo.png`, `entry.py`, `node_modules/z/index.js` and `.env`.\n"
    put(repo, {"AGENTS.md": notes, ".env": "A=1\n"})
    git(repo, "add", "-A", "-f")
    git(repo, "commit", "-q", "-m", "notes")

    with desk_on(repo, tmp_path / "data") as desk:
        desk.index()
        lab = Lab(repo, desk, [])
        assert {one.claim.target: one.status for one in lab.show("See `logo.png`").verdicts} == dict.fromkeys(
            ("logo.png", "entry.py", "node_modules/z/index.js"), "fresh"
        )
        (repo / "logo.png").unlink()
        desk.index()
        assert lab.verdict("See `logo.png`", "logo.png").status == "gone"


def test_said_before_it_was_so(lab: Lab) -> None:
    """MEM-HEALS: a value that became what a text says holds, although it was another when that was written."""
    lab.commit({"files": {"src/limits.py": "LIMIT = 30\nOTHER = 1\n"}}, 1)
    told = say(lab, "`LIMIT` is 60 as of the next release.")
    assert only(lab, told, "LIMIT").status == "fresh"
    lab.commit({"files": {"src/limits.py": "LIMIT = 60\nOTHER = 1\n"}}, 2)
    assert only(lab, told, "LIMIT").status == "fresh"
    late = lab.commit({"files": {"src/limits.py": "LIMIT = 90\nOTHER = 1\n"}}, 3)
    verdict = only(lab, told, "LIMIT")
    assert (verdict.status, verdict.now, verdict.commit) == ("changed", "LIMIT = 90", late)


def test_broken_again(lab: Lab) -> None:
    """MEM-STALE, MEM-HEALS: what was broken and mended before is not blamed for the next time."""
    lab.commit({"files": {"src/limits.py": "LIMIT = 30\n"}}, 1)
    told = say(lab, "Never raise `LIMIT` without asking.")
    for day, value in enumerate((60, 30, 31, 30, 30), 2):
        write(lab.repo, {"files": {"src/limits.py": f"LIMIT = {value}\nDAY = {day}\n"}}, day)
    late = write(lab.repo, {"files": {"src/limits.py": "LIMIT = 90\n"}}, 8)
    lab.commit({"files": {"src/limits.py": "LIMIT = 90\nDAY = 9\n"}}, 9)
    verdict = only(lab, told, "LIMIT")
    told_of = (verdict.status, verdict.note, verdict.was, verdict.commit)
    assert told_of == ("fresh", "edited since", "LIMIT = 30", late)


def test_huge_move(tmp_path: Path) -> None:
    """MEM-MOVES: a commit that moves everything is followed; in a hurry what stayed the same at least."""
    many = 1_300
    files = {f"src/part_{at}.py": "".join(f"value_{at}_{n} = {n}\n" for n in range(9)) for at in range(many)}
    repo = tmp_path / "repo"
    build(repo, {"commit": [{"message": "start", "files": {**files, "src/same.py": CODE}}]})
    start = git(repo, "rev-parse", "HEAD")
    os.rename(repo / "src", repo / "lib")
    for name in files:
        with (repo / name.replace("src/", "lib/")).open("a") as file:
            file.write("moved = True\n")
    git(repo, "add", "-A")
    git(repo, "commit", "-q", "-m", "everything moves")
    end = git(repo, "rev-parse", "HEAD")
    found = find_git(repo)
    assert found is not None
    shadow = ShadowGit(found, tmp_path / "shadow")
    memory = EmbeddedMemoryCache(tmp_path / "memory.db")
    try:
        hurried = CommitBisect(shadow, memory, TimeBudget(time.monotonic() - 1, Call()))
        assert hurried.find_rename("src/same.py", start, end).path == "lib/same.py"
        assert CommitLog(shadow).find_renames(end, 30, share=100) == {"src/same.py": "lib/same.py"}
        patient = CommitBisect(shadow, memory, TimeBudget(time.monotonic() + 60, Call()))
        assert patient.find_rename("src/part_7.py", start, end).path == "lib/part_7.py"
        assert patient.find_rename("src", start, end).path == "lib"
        again = CommitBisect(shadow, memory, TimeBudget(time.monotonic() - 1, Call()))
        assert again.find_rename("src/part_9.py", start, end).path == "lib/part_9.py"
    finally:
        shadow.close()
        memory.close()

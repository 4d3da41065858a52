"""History of files: who changed them last and how much, as git itself says; kept by commit, told within bounds."""

import random
import shutil
import threading
from pathlib import Path

import pytest

from codecompass.engine.history import commit_records
from codecompass.errors import Failure
from codecompass.model.call import Call
from codecompass.model.time_budget import TimeBudget
from codecompass.repo.git.git_log import GitLog
from tests.engine.historylab import Bench, edges, everything, last, random_story, told_plainly, touches
from tests.repo.gitrepo import commit as make_commit
from tests.repo.gitrepo import git, make_repo
from tests.repo.story import Story, lines


@pytest.mark.parametrize("seed", range(4))
def test_last_commits_are_those_git_names(tmp_path: Path, seed: int) -> None:
    """GIT-LAST: every file's newest commits are those of `git log -- path` since it was added, merges included."""
    repo = tmp_path / "repo"
    hashes = random_story(repo, seed, deleting=bool(seed % 2))
    bench = Bench(repo, tmp_path / "home", history_window=4)
    compared = 0
    for commit in hashes[-4:]:
        table = bench.table(commit)
        for name, file in table.trace.files.items():
            found = touches(table, name)
            told = git(repo, "log", "-4", "--no-renames", "--format=%H", commit, "--", name.decode()).split()
            assert found[0] == told[0], (seed, commit, name)
            if not file.names:
                assert found == told_plainly(repo, commit, name.decode(), 4), (seed, commit, name)
                assert seed % 2 or found == told
                compared += 1
    assert compared


@pytest.mark.parametrize("seed", range(4))
def test_last_commits_with_wrong_clocks(tmp_path: Path, seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """GIT-LAST: a commit dated before its parents does not hide who changed a file last, however history is cut."""
    monkeypatch.setattr(commit_records, "_FIRST_CHUNK", 1 + seed)
    monkeypatch.setattr(commit_records, "_CHUNK", 2 + seed)
    hashes = random_story(tmp_path / "repo", seed, skewed=True)
    table = Bench(tmp_path / "repo", tmp_path / "home").table(hashes[-1])
    assert set(edges(table).values()) == {""}
    for name, found in ((name, touches(table, name)) for name in table.trace.files):
        assert found[0] == git(tmp_path / "repo", "log", "-1", "--format=%H", hashes[-1], "--", name.decode())


@pytest.mark.parametrize("seed", range(4))
def test_no_order_of_questions_changes_an_answer(tmp_path: Path, seed: int) -> None:
    """GIT-INCREMENTAL: whatever was asked before, on whatever branch, an answer is that of a walk from nothing."""
    hashes = random_story(tmp_path / "repo", seed)[1:]
    dice = random.Random(seed)
    warm = Bench(tmp_path / "repo", tmp_path / "warm", history_window=3)
    for commit in dice.sample(hashes, 7):
        home = tmp_path / "cold" / commit
        assert everything(warm.table(commit)) == everything(
            Bench(tmp_path / "repo", home, history_window=3).table(commit)
        )


def test_only_new_commits_are_read(tmp_path: Path) -> None:
    """GIT-INCREMENTAL: when a branch moves, git is asked for the commits that are new, also by another process."""
    story = Story(tmp_path / "repo")
    for number in range(40):
        story.commit({f"f{number % 7}": f"{number}\n"})
    hashes = story.write(checkout=False)
    first = Bench(story.path, tmp_path / "home")
    first.table(hashes[30])
    assert first.git.told == 30
    again = Bench(story.path, tmp_path / "home")
    table = again.table(hashes[35])
    assert again.git.told == 5 and touches(table, "f0") == hashes[29 + 7 - 7 : 0 : -7]
    assert again.table(hashes[35]) is table
    again.table(hashes[20])
    assert again.git.told == 5, "an older commit needs nothing that is not stored"


def test_a_rebase_is_followed(tmp_path: Path) -> None:
    """GIT-INCREMENTAL: after a rebase the answers are those of the new commits; the old ones stay true for old refs."""
    story = Story(tmp_path / "repo")
    base = story.commit({"a": "1\n", "b": "1\n"}, "Ada")
    mine = story.commit({"a": "2\n"}, "Grace", [base])
    theirs = story.commit({"b": "2\n"}, "Edsger", [base])
    story.commit({"a": "2\n"}, "Grace", [theirs])
    hashes = story.write()
    bench = Bench(story.path, tmp_path / "home")
    assert last(bench.table(hashes[mine]), "b").author == "Ada"
    after = bench.table(hashes[-1])
    assert (last(after, "a").id, last(after, "b").id) == (hashes[-1], hashes[theirs])
    assert last(bench.table(hashes[mine]), "a").id == hashes[mine]


def test_a_renamed_file_keeps_its_history(tmp_path: Path) -> None:
    """GIT-RENAME: commits under the old name count, and the renaming counts only the lines it changed."""
    story = Story(tmp_path / "repo")
    story.commit({"old.py": lines(20), "x": "1\n"})
    story.commit({"old.py": lines(22)})
    story.commit({"old.py": None, "lib/new.py": lines(22) + "end\n"})
    story.commit({"x": "2\n"})
    story.commit({"lib/new.py": lines(21) + "end\n"})
    hashes = story.write()
    bench = Bench(story.path, tmp_path / "home")
    table = bench.table(hashes[-1])
    assert touches(table, "lib/new.py") == [hashes[5], hashes[3], hashes[2], hashes[1]]
    assert bench.churn(hashes[-1], "lib/new.py") == (20 + 2 + 1, 1)
    # The renaming is the last commit in the window: its other name is known all the same.
    short = Bench(story.path, tmp_path / "short", history_window=2)
    assert short.churn(hashes[-1], "lib/new.py") == (1, 1)


@pytest.mark.parametrize("seed", range(3))
def test_churn_is_that_of_git(tmp_path: Path, seed: int) -> None:
    """GIT-CHURN: lines of the newest commits of each file, counted one by one, all at once, and as git counts them."""
    hashes = random_story(tmp_path / "repo", seed)
    one = Bench(tmp_path / "repo", tmp_path / "one", history_window=4)
    table = one.table(hashes[-1])
    for name, file in table.trace.files.items():
        total = [0, 0]
        for commit in touches(table, name) if not file.names else ():
            rows = git(tmp_path / "repo", "show", "--no-renames", "--numstat", "--format=", commit, "--", name.decode())
            # git shows a merge combined, with numbers of its own: what its branches did counts there.
            merge = next(found.merge for found in table.trace.commits if found.id == commit)
            for at, number in enumerate(rows.split()[:2] if not merge else ()):
                total[at] += int(number)
        found = one.churn(hashes[-1], name.decode())
        assert file.names or found == tuple(total)


def test_all_files_are_counted_at_once(tmp_path: Path) -> None:
    """GIT-CHURN: many files are counted by whole commits, with the same numbers, and only once."""
    story = Story(tmp_path / "repo")
    story.commit({f"f{number}": lines(number + 1) for number in range(30)})
    story.commit({f"f{number}": lines(number) for number in range(1, 30)})
    hashes = story.write(checkout=False)
    bench = Bench(story.path, tmp_path / "home")
    table = bench.table(hashes[-1])
    bench.historian.count_lines(table, table.trace.files, bench.clock)
    assert table.line_counts == {f"f{at}".encode(): (at + 1, 1 if at else 0) for at in range(30)}
    asked = len(bench.git.asked)
    other = Bench(story.path, tmp_path / "home")
    assert other.churn(hashes[-1], "f7") == (8, 1) and "diff-tree" not in other.git.asked
    bench.historian.count_lines(table, table.trace.files, bench.clock)
    assert len(bench.git.asked) == asked


def test_a_walk_is_bounded(tmp_path: Path) -> None:
    """GIT-BOUNDED: beyond the limit of commits a file's history is said to be truncated; full windows are complete."""
    story = Story(tmp_path / "repo")
    story.commit({"old": "1\n", "young": "0\n"})
    for number in range(1, 9):
        story.commit({"young": f"{number}\n", "born": f"{number}\n"})
    hashes = story.write(checkout=False)
    bench = Bench(story.path, tmp_path / "home", history_commits=5, history_window=4)
    table = bench.table(hashes[-1])
    assert edges(table) == {"old": "limit", "young": "", "born": ""}
    assert touches(table, "old") == [] and touches(table, "young") == hashes[-1:-5:-1]
    wide = Bench(story.path, tmp_path / "home", history_window=9)
    assert touches(wide.table(hashes[-1]), "old") == hashes[1:2], "another limit is another question"


def test_time_is_bounded_and_nothing_is_lost(tmp_path: Path) -> None:
    """GIT-BOUNDED: a question that runs out of time says so, is not taken for an answer, and helps the next one."""
    story = Story(tmp_path / "repo")
    for number in range(700):
        story.commit({f"f{number % 3}": f"{number}\n"} | ({} if number else {"first": "x\n"}))
    hashes = story.write(checkout=False)
    hurried = Bench(story.path, tmp_path / "home")
    gone = TimeBudget(hurried.clock.deadline - 1_000, Call())
    with pytest.raises(Failure) as caught:
        hurried.historian.load_commit(hashes[-1], TimeBudget(hurried.clock.deadline, cancelled()))
    assert caught.value.code == "CANCELLED"
    half = hurried.historian.load_commit(hashes[-1], gone)
    assert edges(half)["first"] == "time"
    # What a killed walk left behind: some commits, and no answer.
    records, _ = GitLog(hurried.git).list_commits([hashes[-1]], (), 300, 30)
    hurried.store.add_records(records)
    hurried.git.told = 0
    table = hurried.table(hashes[-1])
    assert touches(table, "first") == hashes[1:2] and set(edges(table).values()) == {""}
    assert hurried.git.told == 400


def cancelled() -> Call:
    call = Call()
    call.cancelled.set()
    return call


def test_a_shallow_clone_blames_nobody(tmp_path: Path) -> None:
    """GIT-SHALLOW: the commit at the border did not change everything; with the history fetched all is told."""
    story = Story(tmp_path / "repo")
    story.commit({"a": "1\n", "b": "1\n"}, "Ada")
    story.commit({"a": "2\n"}, "Grace")
    story.commit({"a": "3\n"}, "Edsger")
    hashes = story.write()
    clone = tmp_path / "clone"
    git(tmp_path, "clone", "-q", "--depth=2", f"file://{story.path}", str(clone))
    bench = Bench(clone, tmp_path / "home")
    table = bench.table(hashes[-1])
    assert edges(table) == {"a": "shallow", "b": "shallow"}
    assert touches(table, "a") == [hashes[3]] and touches(table, "b") == []
    git(clone, "fetch", "-q", "--unshallow")
    whole = bench.table(hashes[-1])
    assert set(edges(whole).values()) == {""} and last(whole, "b").author == "Ada"


def test_missing_contents_are_stepped_over(tmp_path: Path) -> None:
    """GIT-HISTORY-MISSING: what cannot be counted has no number; all else is told."""
    story = Story(tmp_path / "repo")
    story.commit({"a": lines(3), "b": lines(2)})
    story.commit({"a": lines(4)})
    story.commit({"b": lines(5)})
    hashes = story.write()
    git(story.path, "-c", "fastimport.unpackLimit=0", "repack", "-adq")
    hole = git(story.path, "rev-parse", f"{hashes[2]}:a")
    packs = story.path / ".git" / "objects" / "pack"
    shutil.move(packs, tmp_path / "packs")
    packs.mkdir()
    for pack in (tmp_path / "packs").glob("*.pack"):
        git(story.path, "unpack-objects", "-q", input=pack.read_bytes())
    (story.path / ".git" / "objects" / hole[:2] / hole[2:]).unlink()
    bench = Bench(story.path, tmp_path / "home")
    table = bench.table(hashes[-1])
    assert touches(table, "a") == [hashes[2], hashes[1]] and set(edges(table).values()) == {""}
    assert bench.churn(hashes[-1], "a") is None and bench.churn(hashes[-1], "b") == (5, 0)


def test_missing_commits_end_only_what_leads_to_them(tmp_path: Path) -> None:
    """GIT-HISTORY-MISSING: where a commit is gone the files that lead there say so; the others are told in full."""
    repo = make_repo(tmp_path / "repo", {"a": "1\n", "b": "1\n", "c": "1\n"})
    git(repo, "checkout", "-q", "-b", "side")
    gone = make_commit(repo, {"b": "2\n"})
    make_commit(repo, {"c": "2\n"})
    git(repo, "checkout", "-q", "main")
    first = make_commit(repo, {"a": "2\n"})
    git(repo, "merge", "-q", "--no-edit", "side")
    (repo / ".git" / "objects" / gone[:2] / gone[2:]).unlink()
    top = git(repo, "rev-parse", "HEAD")
    table = Bench(repo, tmp_path / "home").table(top)
    assert edges(table) == {"a": "", "b": "missing", "c": "missing"}
    assert touches(table, "a")[0] == first and len(touches(table, "a")) == 2


@pytest.mark.parametrize("damage", ["flip", "cut", "garbage", "deleted", "version"])
def test_the_file_may_be_lost_at_any_time(tmp_path: Path, damage: str) -> None:
    """GIT-HISTORY-STORE: a damaged, foreign or deleted history.db is begun anew and costs only time."""
    hashes = random_story(tmp_path / "repo", 1)
    bench = Bench(tmp_path / "repo", tmp_path / "home")
    before = everything(bench.table(hashes[-2]))
    path = tmp_path / "home" / "history.db"
    if damage != "deleted":
        bench.store.close()
    data = bytearray(path.read_bytes())
    if damage == "version":
        data[60:64] = (99).to_bytes(4, "big")
    for at in range(100, len(data), 1_000) if damage == "flip" else ():
        data[at] ^= 0xFF
    text = {"cut": bytes(data[: len(data) // 2]), "garbage": b"x" * 40_000}.get(damage, bytes(data))
    for name in tmp_path.joinpath("home").glob("history.db*"):
        name.unlink()
    if damage != "deleted":
        path.write_bytes(text)
    other = Bench(tmp_path / "repo", tmp_path / "home") if damage != "deleted" else bench
    other.historian._histories.clear()
    assert everything(other.table(hashes[-2])) == before
    assert other.table(hashes[-1]).commit == hashes[-1]
    assert Bench(tmp_path / "repo", tmp_path / "home").store.list_traced_commits("10/20000/")


def test_many_at_once(tmp_path: Path) -> None:
    """GIT-HISTORY-STORE: several writers on one file disturb nobody, and all get the same answers."""
    hashes = random_story(tmp_path / "repo", 2)
    expected = everything(Bench(tmp_path / "repo", tmp_path / "alone").table(hashes[-1]))
    benches = [Bench(tmp_path / "repo", tmp_path / "home") for _ in range(6)]
    answers: list[object] = []

    def ask(bench: Bench) -> None:
        try:
            table = bench.table(hashes[-1])
            bench.historian.count_lines(table, table.trace.files, bench.clock)
            answers.append((everything(table), len(table.line_counts)))
        except BaseException as error:  # broad: shown by the assertion below
            answers.append(error)

    threads = [threading.Thread(target=ask, args=(bench,)) for bench in benches]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert answers == [(expected, len(expected))] * 6


def test_what_cannot_be_remembered_is_found_anew(tmp_path: Path) -> None:
    """GIT-HISTORY-STORE: where nothing can be written the answers are the same."""
    hashes = random_story(tmp_path / "repo", 3)
    expected = everything(Bench(tmp_path / "repo", tmp_path / "alone").table(hashes[-1]))
    (tmp_path / "home" / "history.db").mkdir(parents=True)
    bench = Bench(tmp_path / "repo", tmp_path / "home")
    table = bench.table(hashes[-1])
    assert everything(table) == expected
    bench.historian.count_lines(table, table.trace.files, bench.clock)
    assert table.line_counts.keys() == expected.keys()

"""Objects are read through the shadow directory: correct answers, and no program of the repository ever runs."""

import os
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from codecompass.errors import Failure
from codecompass.repo.git.object_reader import ShadowGit, TreeEntry
from codecompass.repo.git.repository import find_git, list_refs, read_head, resolve_ref
from codecompass.repo.git.tree_entries import parse_tree
from tests.repo.gitrepo import commit, git, make_repo


def shadow_of(root: Path, shadow: Path | None = None) -> ShadowGit:
    found = find_git(root)
    assert found is not None
    return ShadowGit(found, shadow or root.parent / f"shadow-{root.name}")


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    return make_repo(tmp_path / "r", {"a.py": "print(1)\n", "d/b.py": "print(2)\n"})


@pytest.fixture
def shadow(repo: Path) -> Iterator[ShadowGit]:
    opened = shadow_of(repo)
    yield opened
    opened.close()


def names(entries: list[TreeEntry]) -> list[str]:
    return [entry.path for entry in entries]


def code_of(failing: object) -> str:
    assert callable(failing)
    with pytest.raises(Failure) as caught:
        failing()
    return caught.value.code


def test_resolves_every_way_of_naming_a_commit(repo: Path, shadow: ShadowGit) -> None:
    first = git(repo, "rev-parse", "HEAD")
    git(repo, "tag", "-a", "v1", "-m", "one")
    git(repo, "branch", "old")
    second = commit(repo, {"c.py": ""})
    for rev in ("main", "HEAD", "@", second, second[:8], "refs/heads/main"):
        assert shadow.resolve(rev) == second
    for rev in ("v1", "old", "main~1", "HEAD^", f"{second}~", "main^1", git(repo, "rev-parse", "v1")):
        assert shadow.resolve(rev) == first


@pytest.mark.parametrize(
    "rev",
    ["-h", "--all", "a..b", "main..old", "nothing", "", "main:a.py", "main^{tree}", "HEAD@{0}", ":/change", "\n",
    "0" * 40, "dead",
     "main~99999999999999999999", "x" * 1000, "refs/heads/../../config", "main\0"],
)  # fmt: skip
def test_what_names_no_commit_is_said_to_be_unknown(shadow: ShadowGit, rev: str) -> None:
    assert code_of(lambda: shadow.resolve(rev)) == "REF_NOT_INDEXED"


def test_a_blob_is_not_a_commit(repo: Path, shadow: ShadowGit) -> None:
    blob = git(repo, "rev-parse", "HEAD:a.py")
    assert code_of(lambda: shadow.resolve(blob)) == "REF_NOT_INDEXED"


def test_lists_regular_files_with_sizes_and_leaves_out_links_and_submodules(repo: Path, shadow: ShadowGit) -> None:
    (repo / "link").symlink_to("a.py")
    (repo / "run.sh").write_text("#!/bin/sh\n")
    (repo / "run.sh").chmod(0o755)
    git(repo, "update-index", "--add", "--cacheinfo", f"160000,{git(repo, 'rev-parse', 'HEAD')},sub")
    git(repo, "add", "link", "run.sh")
    git(repo, "commit", "-q", "-m", "more")
    entries = shadow.list_tree(shadow.resolve("main"))
    assert [(entry.path, entry.mode, entry.size) for entry in entries] == [
        ("a.py", "100644", 9),
        ("d/b.py", "100644", 9),
        ("run.sh", "100755", 10),
    ]
    assert entries[0].oid == git(repo, "rev-parse", "HEAD:a.py")


def test_names_that_are_not_utf8_come_back_as_they_are_on_disk(repo: Path, shadow: ShadowGit) -> None:
    for raw in (b"caf\xe9.py", b"tab\tnew\nline.py", "é.py".encode()):
        Path(repo, os.fsdecode(raw)).write_text("x")
    git(repo, "add", "-A")
    git(repo, "commit", "-q", "-m", "names")
    found = names(shadow.list_tree(shadow.resolve("main")))
    assert {os.fsencode(name) for name in found} >= {b"caf\xe9.py", b"tab\tnew\nline.py", "é.py".encode()}


def test_tree_entries_that_no_checkout_should_create_are_dropped(repo: Path, shadow: ShadowGit) -> None:
    blob = git(repo, "rev-parse", "HEAD:a.py")
    rows = [
        f"100644 blob {blob}\t{name}" for name in ("ok.py", ".git", ".GIT", "git~1", "..", ".git\u200c", ".gitignore")
    ]
    tree = git(repo, "mktree", "--missing", input="\n".join(rows).encode())
    inner = git(repo, "mktree", input=f"040000 tree {tree}\t..\n040000 tree {tree}\tfine\n".encode())
    made = git(repo, "commit-tree", inner, "-m", "evil")
    assert names(shadow.list_tree(made)) == ["fine/.gitignore", "fine/ok.py"]


def test_of_two_entries_with_one_name_the_first_is_kept() -> None:
    record = b"100644 blob %s      1\ta.py\0"
    entries = parse_tree(
        record % (b"a" * 40) + record % (b"b" * 40) + b"100644 blob cc       -\tmissing\0" + b"nonsense\0"
    )
    assert [(entry.path, entry.oid[:1], entry.size) for entry in entries] == [("a.py", "a", 1), ("missing", "c", -1)]


def test_two_hundred_blobs_come_back_in_order(repo: Path, shadow: ShadowGit) -> None:
    commit(repo, {f"f/{number:03}.py": f"x = {number}\n" * number for number in range(300)})
    entries = shadow.list_tree(shadow.resolve("main"))
    assert len(entries) == 302
    wanted = [(entry.oid, (repo / entry.path).read_bytes()) for entry in entries]
    assert list(shadow.read_blobs(entry.oid for entry in entries)) == wanted


def test_large_missing_and_odd_objects_are_none(repo: Path, shadow: ShadowGit) -> None:
    commit(repo, {"big.txt": "x" * 5000, "empty.txt": ""})
    big, empty, tree = (git(repo, "rev-parse", f"HEAD:{name}") for name in ("big.txt", "empty.txt", "d"))
    asked = [big, empty, "0" * 40, tree, big]
    assert [data for _, data in shadow.read_blobs(asked, max_bytes=4999)] == [None, b"", None, None, None]
    assert shadow.read_blob(big, 5000) == b"x" * 5000


def test_a_bomb_is_not_inflated(repo: Path, shadow: ShadowGit) -> None:
    bomb = git(repo, "hash-object", "-w", "--stdin", input=b"\0" * 50_000_000)
    assert shadow.read_blob(bomb, 1_000_000) is None


@pytest.mark.parametrize("oid", ["main", "-h", "", "a\nb", "0" * 39, "G" * 40])
def test_only_full_hashes_reach_the_object_reader(shadow: ShadowGit, oid: str) -> None:
    assert code_of(lambda: shadow.read_blob(oid)) == "INVALID_REQUEST"
    assert code_of(lambda: shadow.list_tree(oid)) == "INVALID_REQUEST"


def test_commit_time_is_the_committers(repo: Path, shadow: ShadowGit) -> None:
    made = shadow.resolve("main")
    assert shadow.read_commit_dates([made]) == {made: (made, 1_700_000_001)}


@pytest.mark.parametrize("date", ["-5 +0000", "292277026596000000000 +0000", "x", ""])
def test_a_commit_with_an_absurd_date_is_from_the_epoch(repo: Path, shadow: ShadowGit, date: str) -> None:
    tree = git(repo, "rev-parse", "HEAD^{tree}")
    text = f"tree {tree}\nauthor A <a> 1 +0000\ncommitter C <c> {date}\n\ncommitter fake <x> 77 +0000\n"
    made = git(repo, "hash-object", "-t", "commit", "-w", "--literally", "--stdin", input=text.encode())
    assert shadow.read_commit_dates([made]) == {made: (made, 0)}


def test_several_threads_read_at_once(repo: Path, shadow: ShadowGit) -> None:
    commit(repo, {f"f{number}.py": f"x = {number}\n" for number in range(50)})
    entries = shadow.list_tree(shadow.resolve("main"))
    wanted = {entry.oid: (repo / entry.path).read_bytes() for entry in entries}
    wrong: list[str] = []

    def read() -> None:
        for oid, data in shadow.read_blobs([entry.oid for entry in entries] * 5):
            if data != wanted[oid]:
                wrong.append(oid)

    threads = [threading.Thread(target=read) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


def test_other_questions_may_be_asked_while_blobs_are_read(repo: Path, shadow: ShadowGit) -> None:
    entries = shadow.list_tree(shadow.resolve("main"))
    for oid, data in shadow.read_blobs(entry.oid for entry in entries):
        assert shadow.read_blob(oid) == data


def test_a_closed_reader_opens_again_when_asked(repo: Path, shadow: ShadowGit) -> None:
    blob = git(repo, "rev-parse", "HEAD:a.py")
    assert shadow.read_blob(blob) == b"print(1)\n"
    shadow.close()
    assert shadow.read_blob(blob) == b"print(1)\n"


def test_objects_written_later_are_seen(repo: Path, shadow: ShadowGit) -> None:
    shadow.read_blob(git(repo, "rev-parse", "HEAD:a.py"))
    commit(repo, {"new.py": "new\n"})
    git(repo, "gc", "-q")
    assert shadow.read_blob(git(repo, "rev-parse", "HEAD:new.py")) == b"new\n"


def test_a_sha256_repository_reads_alike(tmp_path: Path) -> None:
    root = make_repo(tmp_path / "r", {"a.py": "1\n"}, object_format="sha256")
    opened = shadow_of(root)
    entries = opened.list_tree(opened.resolve("main"))
    assert [opened.read_blob(entry.oid) for entry in entries] == [b"1\n"]
    opened.close()


def test_a_linked_worktree_reads_the_shared_objects(repo: Path, tmp_path: Path) -> None:
    git(repo, "worktree", "add", "-q", "-b", "side", str(tmp_path / "w"))
    opened = shadow_of(tmp_path / "w")
    assert opened.resolve("side") == opened.resolve("main") == opened.resolve("HEAD")
    assert names(opened.list_tree(opened.resolve("side"))) == ["a.py", "d/b.py"]
    opened.close()


def test_a_shallow_clone_is_read_to_its_border(repo: Path, tmp_path: Path) -> None:
    commit(repo, {"c.py": ""})
    git(tmp_path, "clone", "-q", "--depth=1", f"file://{repo}", "shallow")
    opened = shadow_of(tmp_path / "shallow")
    assert (tmp_path / "shadow-shallow/shallow").exists()
    assert len(opened.list_tree(opened.resolve("main"))) == 3
    assert code_of(lambda: opened.resolve("main~1")) == "REF_NOT_INDEXED"
    opened.close()


def test_the_shadow_is_made_once_and_shared(repo: Path, tmp_path: Path) -> None:
    place = tmp_path / "deep/er/shadow"
    for _ in range(2):
        opened = shadow_of(repo, place)
        opened.resolve("main")
        opened.close()
    assert sorted(path.name for path in place.iterdir()) == ["HEAD", "config", "objects", "refs"]
    assert [path.name for path in place.parent.iterdir()] == ["shadow"]


def test_nothing_is_written_into_the_repository(repo: Path, shadow: ShadowGit) -> None:
    before = {path: path.stat().st_mtime_ns for path in repo.rglob("*")}
    shadow.list_tree(shadow.resolve("main"))
    list(shadow.read_blobs([git(repo, "rev-parse", "HEAD:a.py")]))
    assert {path: path.stat().st_mtime_ns for path in repo.rglob("*")} == before


def test_objects_borrowed_from_outside_are_refused(repo: Path, tmp_path: Path) -> None:
    info = repo / ".git/objects/info"
    info.mkdir(exist_ok=True)
    for line in ("/etc", "../../../../elsewhere", '"/etc"', "/nonexistent"):
        (info / "alternates").write_text(f"{line}\n")
        assert code_of(lambda: shadow_of(repo, tmp_path / "s")) == "FORBIDDEN"


def test_objects_borrowed_through_a_chain_that_ends_outside_are_refused(repo: Path, tmp_path: Path) -> None:
    (tmp_path / "middle/info").mkdir(parents=True)
    (tmp_path / "middle/info/alternates").write_text("/etc\n")
    (repo / ".git/objects/info").mkdir(exist_ok=True)
    (repo / ".git/objects/info/alternates").write_text("../../../middle\n")
    with pytest.raises(Failure, match="/etc"):
        shadow_of(repo, tmp_path / "s")


def test_an_object_store_that_is_a_link_to_outside_is_refused(repo: Path, tmp_path: Path) -> None:
    (repo / ".git/objects").rename(tmp_path / "moved")
    (repo / ".git/objects").symlink_to("/usr")
    assert code_of(lambda: shadow_of(repo, tmp_path / "s")) == "FORBIDDEN"


def test_objects_borrowed_from_a_neighbour_are_read(repo: Path, tmp_path: Path) -> None:
    git(tmp_path, "clone", "-q", "--shared", str(repo), "clone")
    assert (tmp_path / "clone/.git/objects/info/alternates").exists()
    opened = shadow_of(tmp_path / "clone")
    assert names(opened.list_tree(opened.resolve("main"))) == ["a.py", "d/b.py"]
    opened.close()


def test_a_program_of_the_repository_is_never_taken_for_git(repo: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fake = repo / "git"
    fake.write_text("#!/bin/sh\ntouch ran\n")
    fake.chmod(0o755)
    monkeypatch.chdir(repo)
    found = find_git(repo)
    assert found is not None
    opened = ShadowGit(found, repo.parent / "s", search_path=[".", "", *os.get_exec_path()])
    opened.resolve("main")
    opened.close()
    assert not (repo / "ran").exists()
    assert code_of(lambda: ShadowGit(found, repo.parent / "s", search_path=["."])) == "CAPABILITY_MISSING"


HOSTILE_CONFIG = """
[core]
    fsmonitor = {run}
    pager = {run}
    hooksPath = {hooks}
    sshCommand = {run}
    editor = {run}
    askPass = {run}
    alternateRefsCommand = {run}
    gitProxy = {run}
    attributesFile = {attributes}
[diff]
    external = {run}
[diff "evil"]
    textconv = {run}
    command = {run}
[filter "evil"]
    clean = {run}
    smudge = {run}
    process = {run}
    required = true
[merge "evil"]
    driver = {run}
[credential]
    helper = !{run}
[remote "origin"]
    url = ext::{run}
    promisor = true
    partialclonefilter = blob:none
    uploadpack = {run}
[protocol]
    allow = always
[protocol "ext"]
    allow = always
[extensions]
    partialClone = origin
[alias]
    rev-parse = !{run}
    ls-tree = !{run}
    cat-file = !{run}
[gpg]
    program = {run}
[log]
    showSignature = true
[include]
    path = {include}
[uploadpack]
    packObjectsHook = {run}
"""


def test_no_program_named_in_the_repository_ever_runs(repo: Path, tmp_path: Path) -> None:
    marker = tmp_path / "MARKER"
    program = tmp_path / "evil.sh"
    program.write_text(f"#!/bin/sh\necho $0 $@ >> {marker}\n")
    program.chmod(0o755)
    commit(repo, {".gitattributes": "* diff=evil filter=evil merge=evil\n", "c.py": "3\n"})
    (repo / "extra").write_text(f"[core]\n\tfsmonitor = {program}\n")
    git_dir = repo / ".git"
    for hook in ("post-checkout", "post-index-change", "reference-transaction", "pre-auto-gc", "fsmonitor-watchman"):
        (git_dir / "hooks").mkdir(exist_ok=True)
        (git_dir / "hooks" / hook).symlink_to(program)
    (git_dir / "info").mkdir(exist_ok=True)
    (git_dir / "info/attributes").write_text("* diff=evil filter=evil\n")
    with (git_dir / "config").open("a") as config:
        hooks, include = git_dir / "hooks", repo / "extra"
        config.write(
            HOSTILE_CONFIG.format(run=program, hooks=hooks, include=include, attributes=repo / ".gitattributes")
        )
    found = find_git(repo)
    assert found is not None
    assert read_head(found).branch == "main"
    assert [row.name for row in list_refs(found)] == ["main"]
    opened = ShadowGit(found, tmp_path / "shadow")
    made = opened.resolve("main")
    assert made == resolve_ref(found, "main")
    opened.resolve(made[:10])
    opened.resolve("main~1")
    assert code_of(lambda: opened.resolve("f" * 40)) == "REF_NOT_INDEXED"
    entries = opened.list_tree(made)
    assert len(entries) == 4
    # A missing object is where a partial clone would start a transport.
    asked = [*(entry.oid for entry in entries), "f" * 40]
    assert [data is None for _, data in opened.read_blobs(asked)] == [False] * 4 + [True]
    assert opened.read_blob("e" * 40) is None
    assert opened.read_commit_dates([made]) == {made: (made, 1_700_000_001)}
    opened.close()
    assert not marker.exists()


def test_the_marker_of_that_test_would_appear_with_plain_git(repo: Path, tmp_path: Path) -> None:
    marker = tmp_path / "MARKER"
    program = tmp_path / "evil.sh"
    program.write_text(f"#!/bin/sh\necho ran >> {marker}\n")
    program.chmod(0o755)
    git(repo, "config", "core.fsmonitor", str(program))
    git(repo, "status")
    assert marker.exists()


def test_replaced_objects_and_grafts_are_not_believed(repo: Path, shadow: ShadowGit) -> None:
    original = git(repo, "rev-parse", "HEAD:a.py")
    other = git(repo, "hash-object", "-w", "--stdin", input=b"replaced\n")
    git(repo, "replace", original, other)
    assert shadow.read_blob(original) == b"print(1)\n"

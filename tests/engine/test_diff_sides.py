"""Diff: which two sides are compared, live and committed, and who is concerned."""

from pathlib import Path

import pytest

from codecompass.errors import Failure
from tests.engine.difflab import CART, Lab, change_of, edit, told
from tests.repo.gitrepo import commit, git, make_repo


def test_what_changed_since_the_last_commit(lab: Lab, repo: Path) -> None:
    """DIFF-KINDS, DIFF-DEFAULTS: without refs the working tree is compared with HEAD; each symbol is told once."""
    edit(repo, "src/cart.py", "def add(self, item, count=1)", "def add(self, item, count)")
    edit(repo, "src/cart.py", "item.cost // 2", "item.cost // 3")
    edit(repo, "src/cart.py", "\n\ndef log(text):\n    print(text)\n", "")
    (repo / "src/new.py").write_text("def brand_new():\n    pass\n")
    lab.index(repo)
    found = lab.diff(repo)
    head = git(repo, "rev-parse", "HEAD")
    assert (found.base.ref, found.base.commit, found.head.ref, found.head.live) == ("HEAD", head, "main", True)
    assert told(found) == {
        ("modified", "cart.Cart.add"), ("modified", "cart.price"), ("removed", "cart.log"), ("added", "new.brand_new"),
    }  # fmt: skip
    assert found.totals == {"removed": 1, "modified": 2, "renamed": 0, "added": 1, "moved": 0}
    assert {(one.path, one.change, one.symbols) for one in found.files} == {
        ("src/cart.py", "modified", 3), ("src/new.py", "added", 1),
    }  # fmt: skip
    assert [change.name for change in found.changes] == ["log", "add", "price", "brand_new"], "what breaks comes first"
    assert found.state.freshness == "fresh" and not found.truncated


def test_renamed_and_moved_symbols(lab: Lab, repo: Path) -> None:
    """DIFF-RENAMES: another name for the same body is a rename; the same symbol in another file has moved."""
    edit(repo, "src/cart.py", "def price(item):", "def cost_of(item):")
    edit(repo, "src/cart.py", "sum(price(item)", "sum(cost_of(item)")
    edit(repo, "src/cart.py", "\n\ndef log(text):\n    print(text)\n", "")
    (repo / "src/logs.py").write_text("def log(text):\n    print(text)\n")
    lab.index(repo)
    found = lab.diff(repo)
    assert told(found) == {
        ("renamed", "cart.cost_of"), ("modified", "cart.Cart.total"), ("moved", "logs.log"),
    }  # fmt: skip
    moved, renamed = change_of(found, "log"), change_of(found, "cost_of")
    assert moved.before is not None and (moved.path, moved.before.path) == ("src/logs.py", "src/cart.py")
    assert renamed.before is not None and renamed.before.qualified_name == "cart.price"
    assert {(caller.path, caller.line) for caller in renamed.callers} >= {("src/pay.py", 6), ("src/cart.py", 9)}


def test_the_base_is_where_the_branch_parted(lab: Lab, repo: Path) -> None:
    """DIFF-BASE: what the base did later is none of the branch's changes; direct compares the trees."""
    git(repo, "checkout", "-q", "-b", "feature")
    commit(repo, {"src/feature.py": "def feature():\n    pass\n"})
    git(repo, "checkout", "-q", "main")
    parted = git(repo, "rev-parse", "HEAD")
    commit(repo, {"src/cart.py": CART.replace("item.cost // 2", "0"), "src/later.py": "def later():\n    pass\n"})
    for found in (lab.diff(repo, None, "feature"), lab.diff(repo, "main", "feature")):
        assert told(found) == {("added", "feature.feature")}
        assert found.merge_base == parted and found.base.ref == "main"
        assert found.base.commit == git(repo, "rev-parse", "main")
    direct = lab.diff(repo, "main", "feature", direct=True)
    assert told(direct) == {("added", "feature.feature"), ("removed", "later.later"), ("modified", "cart.price")}
    assert direct.merge_base == ""


def test_the_checked_out_branch_is_compared_with_its_edits(lab: Lab, repo: Path) -> None:
    """DIFF-DEFAULTS: a branch by its name starts where it parted, with uncommitted edits; live starts at HEAD."""
    git(repo, "checkout", "-q", "-b", "feature")
    commit(repo, {"src/feature.py": "def committed():\n    pass\n"})
    (repo / "src/edit.py").write_text("def uncommitted():\n    pass\n")
    lab.index(repo)
    assert told(lab.diff(repo, None, "feature")) == {("added", "feature.committed"), ("added", "edit.uncommitted")}
    assert told(lab.diff(repo, "main")) == told(lab.diff(repo, None, "feature"))
    assert told(lab.diff(repo, None, "live")) == told(lab.diff(repo)) == {("added", "edit.uncommitted")}
    assert told(lab.diff(repo, "feature")) == {("added", "edit.uncommitted")}
    git(repo, "checkout", "-q", "main")
    assert told(lab.diff(repo, None, "main")) == {("added", "edit.uncommitted")}, "the default branch since its commit"
    git(repo, "checkout", "-q", "--detach", "feature")
    assert told(lab.diff(repo)) == {("added", "edit.uncommitted")} and lab.diff(repo).head.ref == "live"
    assert told(lab.diff(repo, "live", "main")) == {("removed", "feature.committed"), ("removed", "edit.uncommitted")}


def test_neither_side_has_to_be_indexed(lab: Lab, repo: Path) -> None:
    """DIFF-UNINDEXED: commits are compared from the object database; only their callers are not told."""
    first = git(repo, "rev-parse", "HEAD")
    git(repo, "tag", "-a", "-m", "one", "v1")
    second = commit(repo, {"src/cart.py": CART.replace("item.cost // 2", "0")})
    for base, head in ((first, second), ("v1", "HEAD"), (first[:12], "HEAD"), ("HEAD~1", "HEAD")):
        found = lab.diff(repo, base, head)
        assert told(found) == {("modified", "cart.price")}, (base, head)
        assert found.changes[0].callers_total is None and "not indexed" in found.warnings[-1]
        assert (found.state.indexing, found.state.freshness) == ("not_indexed", "fresh")
    lab.index(repo, "HEAD")
    found = lab.diff(repo, "v1", "HEAD")
    assert {caller.name for caller in found.changes[0].callers} == {"cart.Cart.total", "pay.pay"}
    assert found.warnings == ()


def test_live_is_never_an_old_index(lab: Lab, repo: Path) -> None:
    """DIFF-LIVE: files edited, created, deleted or checked out after indexing are compared as they lie on disk."""
    git(repo, "branch", "other")
    lab.index(repo)
    assert lab.diff(repo).changes == ()
    edit(repo, "src/cart.py", "item.cost // 2", "0")
    (repo / "src/new.py").write_text("def fresh_file():\n    pass\n")
    (repo / "src/pay.py").unlink()
    found = lab.diff(repo)
    assert told(found) == {("modified", "cart.price"), ("added", "new.fresh_file"), ("removed", "pay.pay")}
    assert found.state.freshness == "stale" and "older" in " ".join(found.warnings)
    with pytest.raises(Failure) as caught:
        lab.diff(repo, freshness="strict")
    assert caught.value.code == "INDEX_STALE"
    lab.index(repo)
    assert told(lab.diff(repo)) == told(found) and lab.diff(repo).state.freshness == "fresh"
    git(repo, "add", "-A")
    git(repo, "commit", "-q", "-m", "all")
    git(repo, "checkout", "-q", "other")
    assert lab.diff(repo).changes == (), "another branch was checked out and nothing edited"


def test_live_must_have_been_indexed_once(lab: Lab, repo: Path) -> None:
    """DIFF-LIVE: before any index the answer is empty and says so; strict is an error."""
    found = lab.diff(repo)
    assert found.changes == () and found.state.indexing == "not_indexed"
    with pytest.raises(Failure) as caught:
        lab.diff(repo, freshness="strict")
    assert caught.value.code == "NO_INDEX"


def test_callers_of_what_changed(lab: Lab, repo: Path) -> None:
    """DIFF-CALLERS: who uses a modified symbol, and who still names one that is gone, with the true number."""
    edit(repo, "src/cart.py", "return item.cost // 2", "return item.cost // 4")
    edit(repo, "src/cart.py", "\n\ndef log(text):\n    print(text)\n", "")
    (repo / "src/other.py").write_text("def log(text):\n    pass\n\n\ndef use():\n    log(1)\n")
    git(repo, "add", "src/other.py")
    git(repo, "commit", "-q", "-m", "other")
    lab.index(repo)
    found = lab.diff(repo)
    price, log = change_of(found, "price"), change_of(found, "log")
    assert {(use.path, use.line, use.name, use.resolution) for use in price.callers} == {
        ("src/cart.py", 9, "cart.Cart.total", "resolved"), ("src/pay.py", 6, "pay.pay", "resolved"),
    }  # fmt: skip
    broken = {(use.path, use.line, use.role) for use in log.callers}
    assert broken == {("src/pay.py", 1, "import"), ("src/pay.py", 5, "call"), ("src/cart.py", 14, "call")}
    one = change_of(lab.diff(repo, callers=1), "price")
    assert len(one.callers) == 1 and one.callers_total == 2
    silent = change_of(lab.diff(repo, callers=0), "price")
    assert silent.callers == () and silent.callers_total is None


def test_refs_that_cannot_be_compared(lab: Lab, repo: Path) -> None:
    """DIFF-ERRORS: an unknown ref is an error with a way out; the same ref twice differs in nothing."""
    for base, head in (("nope", None), (None, "nope"), ("main", "0" * 40), ("--output=x", None)):
        with pytest.raises(Failure) as caught:
            lab.diff(repo, base, head)
        assert caught.value.code == "REF_NOT_INDEXED" and "list_refs" in caught.value.effective_hint
    edit(repo, "src/cart.py", "item.cost // 2", "0")
    lab.index(repo)
    for ref in ("main", "HEAD", "live"):
        same = lab.diff(repo, ref, ref)
        assert same.changes == () and same.files == () and same.file_totals["modified"] == 0


def test_histories_without_a_common_commit(lab: Lab, repo: Path) -> None:
    """DIFF-ERRORS: their trees are compared as they are, and the answer says so; an ancestor as head says so too."""
    git(repo, "checkout", "-q", "--orphan", "island")
    git(repo, "rm", "-rfq", ".")
    commit(repo, {"src/cart.py": CART.replace("item.cost // 2", "0")})
    git(repo, "checkout", "-q", "main")
    commit(repo, {"x.py": "def x():\n    pass\n"})
    found = lab.diff(repo, "main", "island")
    assert "no common history" in found.warnings[0] and found.merge_base == ""
    gone = {("removed", "pay.pay"), ("removed", "x.x"), ("removed", "Shop")}
    assert {("modified", "cart.price"), *gone} == told(found)
    contained = lab.diff(repo, "main", "HEAD~1")
    assert contained.changes == () and "direct" in contained.warnings[0]


def test_without_git_and_without_commits(lab: Lab, tmp_path: Path) -> None:
    """DIFF-ERRORS: no repository is an error; before the first commit everything is new."""
    plain = tmp_path / "plain"
    plain.mkdir()
    (plain / "a.py").write_text("def a():\n    pass\n")
    with pytest.raises(Failure) as caught:
        lab.diff(plain)
    assert caught.value.code == "REF_NOT_INDEXED" and caught.value.hint
    unborn = make_repo(tmp_path / "unborn")
    (unborn / "a.py").write_text("def a():\n    pass\n")
    lab.index(unborn)
    found = lab.diff(unborn)
    assert told(found) == {("added", "a.a")} and found.base.commit == ""

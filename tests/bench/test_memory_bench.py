"""The memory benchmark's own parts: truth from git, claims, baselines, scores. What it measures is not tested here."""

import json
from pathlib import Path

import pytest
from bench.memory.baselines import Bm25, Messages, by_best_grep, by_grep
from bench.memory.claims import SHARES, Stated, claims_of
from bench.memory.questions import ANSWERED, UNANSWERED, Asked, Found, rank_of, read_asked
from bench.memory.repositories import Repository, clone, git_directory, move_to, read_repositories
from bench.memory.scores import Alarms, count
from bench.memory.staleness import alarmed, baselines
from bench.memory.trees import Tree
from bench.memory.truth import Oracle, Truth

from codecompass.model.memory_values import Claim, ClaimCheck, Discovery, DiscoverySource, MemoryHit
from codecompass.model.states import DiscoveryFreshness
from tests.repo.gitrepo import commit, git, make_repo

LIMITS = """\
MAX = {max}
MODE = "fast"


def cut(text):
    {note}
    return text[:MAX]


def grow(n):
    n += {step}
    return n
"""
SUM = """\
package a

func Sum(a, b int) int {
\treturn a +%s b
}
"""
KEPT = "".join(f"def kept_{n}(a):\n    b = a + {n}\n    return b\n\n\n" for n in range(9))
THEN = {
    "src/limits.py": LIMITS.format(max=30, note='"""Old words."""', step=1),
    "src/goes.py": "def leave(a):\n    b = a\n    return b\n",
    "src/box.py": "class Box:\n    def open(self):\n        return 1\n",
    "src/kept.py": KEPT,
    "lib/a.go": SUM % " // adds\n\t\t",
    "package.json": json.dumps(
        {"scripts": {"test": "jest", "lint": "eslint ."}, "dependencies": {"react": "^16.1.0", "left": "*"}}
    ),
    "Makefile": "build: all\n\tgo build ./...\n\ncheck:\n\tgo vet\n",
}
NOW = {
    "src/limits.py": LIMITS.format(max=40, note="# new words", step=2),
    "src/moved.py": KEPT,
    "src/box.py": "class Box:\n    def open(self):\n        return 2\n",
    "lib/a.go": SUM % "",
    "package.json": json.dumps({"scripts": {"test": "vitest"}, "dependencies": {"react": "^17.0.0"}}),
    "Makefile": "build: all\n\tgo build ./...\n",
}
EXPECTED = {
    ("path", "src/limits.py", "src/limits.py"): Truth("true"),
    ("path", "src/goes.py", "src/goes.py"): Truth("gone"),
    ("path", "src/kept.py", "src/kept.py"): Truth("moved", "src/moved.py"),
    ("function", "src/limits.py", "cut"): Truth("true"),
    ("function", "src/limits.py", "grow"): Truth("changed", "src/limits.py"),
    ("function", "src/goes.py", "leave"): Truth("gone"),
    ("function", "src/kept.py", "kept_3"): Truth("moved", "src/moved.py"),
    ("function", "lib/a.go", "Sum"): Truth("true"),
    ("type", "src/box.py", "Box"): Truth("changed", "src/box.py"),
    ("constant", "src/limits.py", "MAX"): Truth("changed", "src/limits.py"),
    ("constant", "src/limits.py", "MODE"): Truth("true"),
    ("script", "package.json", "npm run test"): Truth("changed", "package.json"),
    ("script", "package.json", "npm run lint"): Truth("gone"),
    ("script", "Makefile", "make build"): Truth("true"),
    ("command", "package.json", "npm run test"): Truth("true"),
    ("command", "Makefile", "make check"): Truth("gone"),
    ("dependency", "package.json", "react"): Truth("changed", "package.json"),
    ("dependency", "package.json", "left"): Truth("gone"),
}


@pytest.fixture(scope="module")
def pair(tmp_path_factory: pytest.TempPathFactory) -> tuple[Tree, Tree]:
    root = make_repo(tmp_path_factory.mktemp("memory") / "owner+name", THEN)
    first = git(root, "rev-parse", "HEAD")
    git(root, "rm", "-q", "src/goes.py", "src/kept.py")
    second = commit(root, NOW, "Raise the limit\n\nThirty was too few for the nightly import of customers.")
    return Tree(root / ".git", first), Tree(root / ".git", second)


def test_truth_is_told_by_git_and_the_files(pair: tuple[Tree, Tree]) -> None:
    """BENCH-MEMORY: a claim is true, moved, changed or gone by what the later commit holds; comments do not count."""
    claims = {(claim.kind, claim.path, claim.name): claim for claim in claims_of(pair[0])}
    oracle = Oracle(*pair)
    assert {key: oracle.judge(claims[key]) for key in EXPECTED} == EXPECTED
    assert set(SHARES) == {kind for kind, _, _ in claims}
    assert all(claim.name in claim.words for claim in claims.values())


def test_claims_are_drawn_alike_each_time(pair: tuple[Tree, Tree]) -> None:
    """BENCH-MEMORY: the same commit gives the same claims."""
    assert claims_of(pair[0]) == claims_of(Tree(pair[0].directory, pair[0].commit))
    assert claims_of(pair[0], seed=9) != claims_of(pair[0])


def test_simple_rules_stand_beside(pair: tuple[Tree, Tree]) -> None:
    """BENCH-MEMORY: any change of the file, a missing path and age are judged from the two trees."""
    kept = Stated("path", "src/kept.py", "src/kept.py", "", "words")
    assert baselines(kept, *pair) == {"file changed": True, "path exists": True, "older than 90 days": True}
    limits = Stated("constant", "src/limits.py", "MODE", '"fast"', "words")
    assert baselines(limits, *pair) == {"file changed": True, "path exists": False, "older than 90 days": True}


def test_scores_of_alarms() -> None:
    """BENCH-MEMORY: precision, recall, Youden's J and alarms per catch follow from counts."""
    alarms = count([(True, True)] * 6 + [(True, False)] * 2 + [(False, True)] * 2 + [(False, False)] * 8)
    assert alarms == Alarms(6, 2, 2, 8)
    assert (alarms.precision, alarms.recall, alarms.alarms_per_catch) == (0.75, 0.75, 8 / 6)
    assert alarms.youden == pytest.approx(0.75 - 0.2)
    assert count([]).precision is None


def hit(freshness: DiscoveryFreshness, *verdicts: ClaimCheck) -> MemoryHit:
    found = Discovery("disc_1", "decision", "words", DiscoverySource("recorded"))
    return MemoryHit(found, freshness=freshness, verdicts=verdicts)


def test_a_move_that_is_followed_is_no_alarm() -> None:
    """BENCH-MEMORY: telling where something moved to is right, calling it gone is not."""
    claim = Claim("path", "a.py", "a.py")
    moved = Truth("moved", "b.py")
    assert not alarmed(hit("fresh"), Truth("gone"))
    assert not alarmed(hit("changed", ClaimCheck(claim, "changed", now="b.py")), moved)
    assert alarmed(hit("gone", ClaimCheck(claim, "gone")), moved)
    assert alarmed(hit("changed", ClaimCheck(claim, "changed", now="b.py")), Truth("changed", "a.py"))


def test_baselines_search_messages_and_documents(pair: tuple[Tree, Tree]) -> None:
    """BENCH-MEMORY: words find messages, rare ones first; the best words are found by trying."""
    messages = Messages(pair[1].directory, pair[1].commit)
    asked = Asked("name", "Why was thirty not enough for the import?", "dev", (pair[1].commit,))
    assert by_grep(messages, asked) == [Found(commit=pair[1].commit)]
    assert rank_of(by_best_grep(messages, asked), asked) == 1
    assert by_grep(messages, asked._replace(question="Which turbine?")) == []
    plain = Bm25([(Found(path="a.md"), "the import of customers"), (Found(commit="c"), "import"), (Found("d"), "else")])
    assert plain.search("import customers") == [Found(path="a.md"), Found(commit="c")]
    assert rank_of(plain.search("import customers"), asked._replace(commits=("c",))) == 2


def test_repositories_are_cloned_at_a_commit(pair: tuple[Tree, Tree], tmp_path: Path) -> None:
    """BENCH-MEMORY: measured is a clone at the named commit; what was given is only read."""
    origin = pair[0].directory.parent
    repository = Repository("name", origin.name, pair[1].commit, pair[0].commit, pair[1].commit)
    source = git_directory(origin.parent, repository)
    place = clone(source, tmp_path / "copy", repository.before)
    assert (place / "src/goes.py").exists()
    move_to(place, repository.after)
    assert not (place / "src/goes.py").exists()
    assert git(origin, "rev-parse", "HEAD") == repository.after
    with pytest.raises(SystemExit, match="git clone --bare"):
        git_directory(tmp_path, repository._replace(directory="other+one"))


def test_questions_are_whole() -> None:
    """BENCH-MEMORY: at least a hundred questions with an answer and fifty without, over ten repositories, in halves."""
    answered, empty = read_asked(ANSWERED), read_asked(UNANSWERED)
    known = {repository.name for repository in read_repositories([])}
    assert len(answered) >= 100 and len(empty) >= 50
    assert len({one.repo for one in answered}) >= 10 and {one.repo for one in (*answered, *empty)} <= known
    assert all(one.answered for one in answered) and not any(one.answered for one in empty)
    assert all(len(commit) == 40 for one in answered for commit in one.commits)
    for rows in (answered, empty):
        halves = [one.split for one in rows]
        assert abs(halves.count("dev") - halves.count("test")) <= 1
    assert len({(one.repo, one.question) for one in (*answered, *empty)}) == len(answered) + len(empty)

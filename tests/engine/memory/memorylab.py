"""A repository made from a case, and short words for what tests ask of its memory."""

import subprocess
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from codecompass.model.call import Call
from codecompass.model.memory_values import (
    ClaimCheck,
    Discovery,
    ImpactQuery,
    ImpactReport,
    MemoryAnswer,
    MemoryFilter,
    MemoryHit,
    MemoryQuery,
    NewDiscovery,
)
from tests.engine.support import Desk, desk_on
from tests.repo.gitrepo import ENV, git

CASES = Path(__file__).with_name("cases")
_FIRST = 1_600_000_000
_DAY = 86_400


def load(name: str) -> dict[str, Any]:
    return tomllib.loads((CASES / f"{name}.toml").read_text())


def build(repo: Path, case: dict[str, Any]) -> list[str]:
    """Make the commits of a case, a day apart; gives their names."""
    repo.mkdir(parents=True)
    git(repo, "init", "-q", "-b", "main")
    return [write(repo, row, number) for number, row in enumerate(case["commit"])]


def write(repo: Path, row: dict[str, Any], day: int = 100) -> str:
    """One commit: files written, moved and deleted, on a branch of its own where one is named."""
    if "branch" in row:
        known = git(repo, "branch", "--list", row["branch"])
        git(repo, "checkout", "-q", *(() if known else ("-b",)), row["branch"])
    for old, new in row.get("move", {}).items():
        (repo / new).parent.mkdir(parents=True, exist_ok=True)
        git(repo, "mv", old, new)
    for name in row.get("delete", ()):
        git(repo, "rm", "-q", name)
    put(repo, row.get("files", {}))
    git(repo, "add", "-A", "-f")
    if "revert" in row:
        git(repo, "revert", "--no-edit", row["revert"])
        return git(repo, "rev-parse", "HEAD")
    moment = f"{_FIRST + day * _DAY} +0000"
    environment = {**ENV, "GIT_AUTHOR_DATE": moment, "GIT_COMMITTER_DATE": moment}
    argv = ["git", "commit", "-q", "--allow-empty", "-m", row.get("message", "change")]
    subprocess.run(argv, cwd=repo, env=environment, check=True, capture_output=True)
    return git(repo, "rev-parse", "HEAD")


def put(repo: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        (repo / name).parent.mkdir(parents=True, exist_ok=True)
        (repo / name).write_text(text)


class Lab:
    """The memory of one repository."""

    def __init__(self, repo: Path, desk: Desk, commits: list[str]) -> None:
        self.repo = repo
        self.desk = desk
        self.engine = desk.engine
        self.commits = commits

    def index(self, ref: str | None = None) -> None:
        self.desk.index(ref)

    def commit(self, row: dict[str, Any], day: int = 100) -> str:
        made = write(self.repo, row, day)
        self.commits.append(made)
        self.index()
        return made

    def all(self, ref: str | None = None, **wanted: Any) -> list[Discovery]:  # noqa: ANN401 - as the value has it
        asked = MemoryFilter(ref=ref, limit=1_000, **{"state": "", **wanted})
        return list(self.engine.discoveries(None, asked, Call()).items)

    def one(self, contains: str, ref: str | None = None, **wanted: Any) -> Discovery:  # noqa: ANN401 - as the value has it
        found = [item for item in self.all(ref, **wanted) if contains in f"{item.title}\n{item.content}"]
        assert len(found) == 1, (contains, [item.content for item in found])
        return found[0]

    def show(self, contains: str, ref: str | None = None) -> MemoryHit:
        return self.engine.discovery(None, self.one(contains, ref).id, ref, Call())

    def verdict(self, contains: str, target: str, ref: str | None = None, kind: str = "") -> ClaimCheck:
        verdicts = self.show(contains, ref).verdicts
        found = [one for one in verdicts if one.claim.target == target and kind in ("", one.claim.kind)]
        assert len(found) == 1, (target, [(one.claim, one.status) for one in verdicts])
        return found[0]

    def verdicts(self, discovery_id: str, ref: str | None = None) -> tuple[ClaimCheck, ...]:
        return self.engine.discovery(None, discovery_id, ref, Call()).verdicts

    def ask(self, text: str, **wanted: Any) -> MemoryAnswer:  # noqa: ANN401 - as the value has it
        asked = MemoryQuery(text, patience=60.0, **{"sources": ("discovery",), **wanted})
        return self.engine.recall(None, asked, Call())

    def found(self, text: str, **wanted: Any) -> list[str]:  # noqa: ANN401 - as the value has it
        return [hit.discovery.content for hit in self.ask(text, **wanted).hits]

    def remember(self, content: str, **wanted: Any) -> Discovery:  # noqa: ANN401 - as the value has it
        return self.engine.remember(None, NewDiscovery(content, **wanted), Call())

    def danger(self, **wanted: Any) -> ImpactReport:  # noqa: ANN401 - as the value has it
        return self.engine.find_impacted(None, ImpactQuery(**wanted), Call())


@contextmanager
def lab_on(tmp_path: Path, case: dict[str, Any] | str, *, index: bool = True) -> Iterator[Lab]:
    repo = tmp_path / "repo"
    commits = build(repo, load(case) if isinstance(case, str) else case)
    with desk_on(repo, tmp_path / "data") as desk:
        lab = Lab(repo, desk, commits)
        if index:
            lab.index()
        yield lab

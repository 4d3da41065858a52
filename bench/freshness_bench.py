"""Freshness: what it costs to know whether the index is behind the files, with and without a watch; git beside it.

Usage: python -m bench.freshness_bench [REPO] [--files 10000] [--rounds 200] [--storm 10000]

Without REPO a repository is made. `git status --porcelain` is the peer: it answers nearly the same question.
"""

import argparse
import statistics
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from bench import ours
from bench.copies import BRANCH, copy_repository, git, settle, temporary_directory
from bench.edits import append_definition, editable
from bench.report import JUDGED_HEAD, judged, number, record, table
from bench.stdio_client import connected
from bench.targets import Target
from codecompass.engine.options import EngineOptions
from codecompass.engine.workspace.project import Project
from codecompass.engine.workspace.project_registry import ProjectRegistry
from codecompass.languages.registry import Registry
from codecompass.repo.files.file_watch import open_watch
from codecompass.store.embedded.embedded_store import EmbeddedStore

CHECK = Target(5.0, " ms")
SYNCS = Target(2.0, "", inclusive=True)
SEED = 11
PER_DIRECTORY = 10
QUIET_S = 4.0
PATIENCE_S = 180.0
HEAD_ROW = ("what", "p50 ms", "p95 ms", "max ms", "count")


@dataclass(frozen=True, slots=True)
class Cost:
    """Times of one kind of question, in milliseconds."""

    what: str
    p50: float
    p95: float
    most: float
    count: int

    def row(self) -> list[str]:
        return [self.what, number(self.p50, 3), number(self.p95, 3), number(self.most, 3), str(self.count)]


def make_repository(place: Path, files: int) -> Path:
    """Many small files, ten to a directory, two levels deep, with the usual things left out."""
    place.mkdir(parents=True)
    (place / ".gitignore").write_text("*.log\nbuild/\n", encoding="utf-8")
    for position in range(files):
        directory = place / f"area_{position // (PER_DIRECTORY * 25):03}" / f"part_{position // PER_DIRECTORY:05}"
        directory.mkdir(parents=True, exist_ok=True)
        lines = [f"def task_{position}_{line}(value):\n    return value + {line}\n" for line in range(8)]
        (directory / f"file_{position:06}.py").write_text("\n\n".join(lines), encoding="utf-8")
    git(place, "init", "--quiet", "-b", BRANCH)
    git(place, "add", "--all")
    git(place, "commit", "--quiet", "-m", "bench")
    return place


@contextmanager
def opened(repo: Path, data: Path, *, watch: bool) -> Iterator[Project]:
    projects = ProjectRegistry(
        data, EngineOptions(default_workspace=str(repo)), Registry(), EmbeddedStore, open_watch if watch else None
    )
    try:
        yield projects.open_for_query(None)
    finally:
        projects.close()


def timed(what: str, rounds: int, work: Callable[[], object], before: Callable[[int], None] | None = None) -> Cost:
    taken = []
    for position in range(rounds):
        if before is not None:
            before(position)
        began = time.perf_counter()
        work()
        taken.append((time.perf_counter() - began) * 1000)
    ordered = sorted(taken)
    return Cost(what, statistics.median(taken), ordered[int(len(ordered) * 0.95)], ordered[-1], rounds)


def costs(repo: Path, data: Path, rounds: int, *, watch: bool) -> list[Cost]:
    """The whole state of an answer, as every answer has it: nothing changed, then after an edit and its revert."""
    how = "watch" if watch else "no watch"
    with opened(repo, data, watch=watch) as project:
        ref = project.effective_ref(None)
        with project.open_view(ref) as view:
            paths = editable({path: entry.size for path, entry in view.entries.items()}, SEED)
            wanted = "fresh"

            def ask() -> None:
                found = project.get_view_state(view, ref).freshness
                if found != wanted:
                    raise SystemExit(f"The answer was '{found}' where the files are {wanted}.")

            first = timed(f"{how}: first look", 1, ask)
            still = timed(f"{how}: nothing changed", rounds, ask)
            jobs = timed(f"{how}: of it, jobs at work", rounds, project.jobs.find_active)
            path = paths[0]
            kept = (repo / path).read_bytes()
            wanted = "stale"
            edited = timed(f"{how}: after an edit", rounds // 2, ask,
                           lambda turn: append_definition(repo, path, f"bench_{turn}"))  # fmt: skip
            wanted = "fresh"

            def revert(turn: int) -> None:
                append_definition(repo, path, f"again_{turn}")
                (repo / path).write_bytes(kept)

            reverted = timed(f"{how}: after a revert", rounds // 2, ask, revert)
            return [first, still, jobs, edited, reverted]


def git_status(repo: Path, rounds: int) -> Cost:
    git(repo, "status", "--porcelain")
    return timed("git status --porcelain", rounds, lambda: subprocess.run(
        ["git", "status", "--porcelain"], cwd=repo, capture_output=True, check=True))  # fmt: skip


def storm(repo: Path, data: Path, files: int) -> dict[str, Any]:
    """A server runs; a branch that changes very many files is checked out. Counts the syncs until it is fresh."""
    changed = sorted(repo.glob("**/*.py"))[:files]
    git(repo, "switch", "--quiet", "-c", "storm")
    for position, path in enumerate(changed):
        path.write_text(f"def storm_{position}():\n    return {position}\n", encoding="utf-8")
    git(repo, "commit", "--quiet", "--all", "-m", "storm")
    git(repo, "switch", "--quiet", BRANCH)
    ours.must(ours.command("index", "--path", str(repo), repo=repo, data=data))
    settle()
    with connected(repo, data) as client:
        client.call("index_status")
        with opened(repo, data, watch=False) as project:
            before = {job.job_id for job in project.jobs.list_recent(200)}
            began = time.perf_counter()
            git(repo, "switch", "--quiet", "storm")
            switched = time.perf_counter() - began
            while True:
                with project.open_view("live") as view:
                    done = project.get_view_state(view, "live").freshness == "fresh"
                took = time.perf_counter() - began
                if done or took > PATIENCE_S:
                    break
                time.sleep(0.1)
            time.sleep(QUIET_S)
            syncs = [job for job in project.jobs.list_recent(200) if job.job_id not in before]
    return {"files": len(changed), "switch_s": round(switched, 2), "fresh_after_s": round(took, 2), "fresh": done,
            "syncs": len(syncs), "sync_ms": [job.duration_ms for job in syncs]}  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.freshness_bench", description="Measure freshness checks.")
    parser.add_argument("repo", nargs="?", type=Path, metavar="REPO")
    parser.add_argument("--files", type=int, default=10_000, metavar="N", help="files of the repository that is made")
    parser.add_argument("--rounds", type=int, default=200, metavar="N")
    parser.add_argument("--storm", type=int, default=10_000, metavar="N", help="files of the branch switch; 0 for none")
    args = parser.parse_args()
    with temporary_directory() as place:
        name = args.repo.resolve().name if args.repo else f"made of {args.files} files"
        data = place / "data"
        repo = copy_repository(args.repo.resolve(), place / "repo") if args.repo else (
            make_repository(place / "repo", args.files))  # fmt: skip
        settle()
        ours.must(ours.command("index", "--path", str(repo), repo=repo, data=data))
        rounds = max(10, args.rounds)
        found = [*costs(repo, data, rounds, watch=True), *costs(repo, data, max(10, rounds // 4), watch=False)]
        found.append(git_status(repo, max(10, rounds // 10)))
        table(f"Freshness, {name}", HEAD_ROW, [cost.row() for cost in found])
        beside = f"git {found[-1].p50:.1f} ms"
        rows = [judged(f"p95 {cost.what}", cost.p95, CHECK, 3, beside) for cost in found
                if cost.what.startswith("watch") and "first" not in cost.what]  # fmt: skip
        wild = storm(repo, data, args.storm) if args.storm else None
        if wild:
            rows.append(judged("syncs after a branch switch", float(wild["syncs"]), SYNCS, 0,
                               f"{wild['files']} files, fresh after {wild['fresh_after_s']} s"))  # fmt: skip
        table(f"Judged, {name}", JUDGED_HEAD, rows)
        record("freshness", {"repository": name, "costs": [asdict(cost) for cost in found], "storm": wild})


if __name__ == "__main__":
    main()

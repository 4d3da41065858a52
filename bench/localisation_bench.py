"""Issue localisation: which files a fix will touch, asked in the words of its commit message.

Usage: python -m bench.localisation_bench REPO… [--fixes 40] [--back 400]
       python -m bench.localisation_bench --issues MIRRORS --work DIR [--half tune|held|all] [--only NAME,…]

Each REPO is a repository with history. The tree `--back` commits ago is indexed; the fixes that follow and touch one to
three source files of that tree are the questions, their messages without paths and names of files.

With `--issues` the questions are the long messages of the fixes in `bench/issues/labels.jsonl`, whole, read from the
mirrors `MIRRORS/OWNER+NAME/repo`: where the first changed file stands (tests dropped) and the first changed function,
and whether a changed function is inside 8,000 tokens of context; beside a BM25 with anchors. Trees and indexes are kept
in `--work`.
"""

import argparse
import re
from collections.abc import Callable
from pathlib import Path

from bench.copies import git, temporary_directory
from bench.cosqa_bench import ours
from bench.issues.measures import Tally, ask_baseline, ask_engine
from bench.issues.trees import check_out, choose, open_tree, read_tree
from bench.ours import engine_on
from bench.plainbm25 import PlainBM25
from bench.report import record, table
from codecompass.engine.search.paths.path_roles import find_roles
from codecompass.model.call import Call

MOST_FILES = 3
DEPTH = 10
_FIX = re.compile(r"\b(?:fix(?:e[sd])?|bug|crash|regression|incorrect|wrong|broken|error|fail(?:s|ed|ure)?)\b", re.I)
_PATHS = re.compile(r"\S*[/\\]\S+|\b[\w-]+\.(?:py|jsx?|tsx?|go|rs|rb|java|kt|cc?|cpp|h|hs|exs?|php|scala|swift|zig)\b")
_TRAILER = re.compile(r"^(?:[A-Z][\w-]+: .*|\(?#\d+\)?)$")
_LINKS = re.compile(r"https?://\S+|\(?#\d+\)?|\b[0-9a-f]{7,40}\b")
_UNIT, _END = "\x1f", "\x1e"


def question_of(message: str) -> str:
    """A commit message as somebody would tell the problem: no paths, links, numbers, trailers."""
    lines = [line for line in message.strip().split("\n") if not _TRAILER.match(line.strip())]
    return " ".join(_LINKS.sub(" ", _PATHS.sub(" ", " ".join(lines))).split())[:400]


def fixes(repository: Path, start: str, known: set[str], wanted: int) -> list[tuple[str, set[str]]]:
    """(question, files) of the fixes after a commit, oldest first."""
    log = git(repository, "log", "--reverse", "--no-merges", "--no-renames", "--name-only", "--diff-filter=M",
              f"--format={_END}%B{_UNIT}", f"{start}..HEAD")  # fmt: skip
    found: list[tuple[str, set[str]]] = []
    for entry in log.split(_END)[1:]:
        message, _, names = entry.partition(_UNIT)
        files = {name for name in names.split("\n") if name}
        source = {name for name in files if not _roles(name) & {"test", "documentation"}}
        question = question_of(message)
        if 1 <= len(source) <= MOST_FILES and source <= known and _FIX.search(message) and len(question.split()) >= 4:
            found.append((question, source))
        if len(found) == wanted:
            break
    return found


def judged(asked: list[tuple[str, set[str]]], find: Callable[[str], list[str]]) -> dict[str, float]:
    ranks = []
    for question, files in asked:
        answers = list(dict.fromkeys(find(question)))[:DEPTH]
        ranks.append(next((at for at, path in enumerate(answers, start=1) if path in files), 0))
    count = len(ranks)
    return {
        "MRR@10": sum(1 / rank for rank in ranks if rank) / count,
        **{f"within {most}": sum(0 < rank <= most for rank in ranks) / count for most in (1, 5, 10)},
    }


def measured(repository: Path, place: Path, back: int, wanted: int) -> tuple[int, dict[str, dict[str, float]]]:
    start = git(repository, "rev-list", "--first-parent", f"--skip={back}", "--max-count=1", "HEAD")
    root = place / "repo"
    git(place, "clone", "--quiet", "--local", "--no-checkout", str(repository.resolve()), str(root))
    git(root, "checkout", "--quiet", "--detach", start)
    known = set(git(root, "ls-files").split("\n"))
    asked = fixes(repository, start, known, wanted)
    rows: dict[str, dict[str, float]] = {}
    if not asked:
        return 0, rows
    for name, model in (("codecompass", "bundled"), ("codecompass, words only", "none")):
        with engine_on(root, place / model, watch=False, model=model) as engine:
            engine.index(None, None, force=False, call=Call())
            rows[name] = judged(asked, ours(engine))
    plain = PlainBM25({path: _text(root / path) for path in known if "documentation" not in _roles(path)})
    rows["plain BM25 over files"] = judged(asked, lambda question: plain.best(question, DEPTH))
    return len(asked), rows


def _roles(path: str) -> set[str]:
    return {role.name for role in find_roles(path)}


def _text(path: Path) -> str:
    if not path.is_file() or path.is_symlink() or path.stat().st_size > 1_000_000:
        return ""
    return path.read_bytes().decode("utf-8", "replace")


def measure_issues(args: argparse.Namespace) -> None:
    """Ask the labelled issues of one half, repository by repository."""
    sums = {name: Tally() for name in ("codecompass", "BM25 with anchors")}
    repos = 0
    for name, labels in choose(args.half).items():
        if args.only and name.partition("/")[2] not in args.only.split(","):
            continue
        mirror, place = args.issues / name.replace("/", "+") / "repo", args.work / name.replace("/", "+")
        place.mkdir(parents=True, exist_ok=True)
        check_out(mirror, labels[0].base, place / "repo")
        tree = read_tree(name, place / "repo", mirror, labels)
        with open_tree(place / "repo", place / "data", "bundled") as engine:
            sums["codecompass"].add(ask_engine(engine, tree, context=True))
        sums["BM25 with anchors"].add(ask_baseline(tree))
        repos += 1
        print(f"{name}: {len(tree.issues)} issues", flush=True)
    rows = {name: tally.row() for name, tally in sums.items()}
    count = len(sums["codecompass"].files)
    shown = [[name, *(f"{value:.3f}" for value in row.values())] for name, row in rows.items()]
    table(f"{count} issues, {args.half}", ["", *rows["codecompass"]], shown)
    cpu_ms = 1_000 * sums["codecompass"].cpu_s / max(count, 1)
    print(f"\n  CPU of a search: {cpu_ms:.0f} ms")
    record("issues", {"half": args.half, "issues": count, "repositories": repos, "cpu_ms": cpu_ms, "results": rows})


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("repos", nargs="*", type=Path)
    parser.add_argument("--fixes", type=int, default=40)
    parser.add_argument("--back", type=int, default=400)
    parser.add_argument("--issues", type=Path, metavar="MIRRORS")
    parser.add_argument("--work", type=Path, default=Path("bench/out/issues"), metavar="DIR")
    parser.add_argument("--half", choices=("tune", "held", "all"), default="tune")
    parser.add_argument("--only", default="", metavar="NAME,…")
    args = parser.parse_args()
    if args.issues is not None:
        measure_issues(args)
        return
    sums: dict[str, dict[str, float]] = {}
    total = 0
    for repository in args.repos:
        with temporary_directory() as place:
            count, rows = measured(repository, place, args.back, args.fixes)
        total += count
        for name, row in rows.items():
            into = sums.setdefault(name, dict.fromkeys(row, 0.0))
            for key, value in row.items():
                into[key] += value * count
        print(f"{repository.parent.name}: {count} fixes", flush=True)
    means = {name: {key: value / total for key, value in row.items()} for name, row in sums.items()}
    shown = [[name, *(f"{value:.3f}" for value in row.values())] for name, row in means.items()]
    table(f"{total} fixes", ["", *next(iter(means.values()))], shown)
    record("localisation", {"fixes": total, "repositories": len(args.repos), "results": means})


if __name__ == "__main__":
    main()

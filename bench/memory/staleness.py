"""Staleness: claims recorded at one commit, asked for at a later one, beside what simpler rules would have said."""

import argparse
import json
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from bench.copies import temporary_directory
from bench.memory.claims import SHARES, Stated, claims_of
from bench.memory.repositories import Repository, clone, git_directory, move_to, read_repositories
from bench.memory.scores import Alarms, count
from bench.memory.trees import Tree
from bench.memory.truth import Oracle, Truth
from bench.ours import engine_on
from bench.report import number, record, table
from codecompass.model.call import Call
from codecompass.model.memory_values import MemoryHit, NewDiscovery

ALARMS = ("changed", "gone")
EDITED_NOTE = "edited since"
HEAD = ("claims", "n", "stale", "rule", "precision", "recall", "Youden J", "alarms per catch")


class Judged(NamedTuple):
    """One claim, what became of it, and what each rule says of it."""

    repository: str
    claim: Stated
    truth: Truth
    says: dict[str, bool]
    """Rule → alarm."""
    freshness: str
    verdicts: tuple[str, ...]
    commits: tuple[str, ...] = ()
    """The commits that are blamed, one for each verdict that warns; empty where none is named."""


def judge_repository(repository: Repository, source: Path, work: Path) -> Iterator[Judged]:
    """Record claims at the earlier commit with the program, move on, and ask for each of them."""
    before, after = Tree(source, repository.before), Tree(source, repository.after)
    oracle = Oracle(before, after)
    claims = claims_of(before)
    truths = [oracle.judge(claim) for claim in claims]
    tree = clone(source, work / repository.name, repository.before)
    with engine_on(tree, work / f"{repository.name}-data", watch=False) as engine:
        engine.index(None, None, force=False, call=Call())
        ids = [engine.remember(None, NewDiscovery(claim.words), Call()).id for claim in claims]
        move_to(tree, repository.after)
        engine.index(None, None, force=False, call=Call())
        for claim, truth, found in zip(claims, truths, ids, strict=True):
            if truth is not None:
                hit = engine.discovery(None, found, None, Call())
                says = {"ours": alarmed(hit, truth), **baselines(claim, before, after)}
                loud = [one for one in hit.verdicts if one.status in ALARMS or one.note == EDITED_NOTE]
                blamed = tuple(one.commit for one in loud)
                yield Judged(repository.name, claim, truth, says, hit.freshness, told(hit), blamed)


def alarmed(hit: MemoryHit, truth: Truth) -> bool:
    """Whether a reader is told. Being told where something moved to is no warning; that it was edited since is one."""
    if any(verdict.note == EDITED_NOTE for verdict in hit.verdicts):
        return True
    if hit.freshness not in ALARMS:
        return False
    loud = [verdict for verdict in hit.verdicts if verdict.status in ALARMS]
    followed = truth.state == "moved" and all(truth.path in verdict.now for verdict in loud)
    return not (followed and loud)


def baselines(claim: Stated, before: Tree, after: Tree) -> dict[str, bool]:
    """What simpler rules say: any change of the file, a missing path, an age over 90 days (all of them are older)."""
    then, now = before.blobs.get(claim.path), after.blobs.get(claim.path)
    return {"file changed": then != now, "path exists": now is None, "older than 90 days": True}


def told(hit: MemoryHit) -> tuple[str, ...]:
    return tuple(
        f"{one.claim.kind} {one.claim.target}: {one.status} was={one.was!r} now={one.now!r} {one.note}"
        for one in hit.verdicts
    )


def show(rows: list[Judged]) -> dict[str, Any]:
    """The tables, and the figures for the record."""
    groups: list[tuple[str, Callable[[Judged], bool]]] = [("all", lambda _: True)]
    groups += [(kind, lambda row, kind=kind: row.claim.kind == kind) for kind in SHARES]  # type: ignore[misc]
    lines, figures = [], {}
    for name, wanted in groups:
        chosen = [row for row in rows if wanted(row)]
        for rule in chosen[0].says if chosen else ():
            alarms = count((row.says[rule], row.truth.stale) for row in chosen)
            lines.append(_line(name, rule, alarms))
            figures[f"{name}: {rule}"] = _figures(alarms)
    table("Stale claims", HEAD, lines)
    checked = Counter(row.freshness for row in rows)
    states = Counter(row.truth.state for row in rows)
    moved = [row for row in rows if row.truth.state == "moved"]
    print(f"\n  truth: {dict(states)}; ours says: {dict(checked)}")
    print(f"  moved: {len(moved)}, of which ours raises an alarm for {sum(row.says['ours'] for row in moved)}")
    caught = [row for row in rows if row.says["ours"] and row.truth.stale]
    print(f"  caught: {len(caught)}, of which {sum(all(row.commits) for row in caught)} name the commit that did it")
    names = dict.fromkeys(row.repository for row in rows)
    by_name = {
        name: count((row.says["ours"], row.truth.stale) for row in rows if row.repository == name) for name in names
    }
    table("Ours by repository", HEAD, [_line(name, "ours", alarms) for name, alarms in by_name.items()])
    return {"rules": figures, "truth": dict(states), "ours": dict(checked), "claims": len(rows)}


def _line(name: str, rule: str, alarms: Alarms) -> list[str]:
    measures = (alarms.precision, alarms.recall, alarms.youden, alarms.alarms_per_catch)
    return [name, str(alarms.claims), str(alarms.right + alarms.missed), rule, *(number(value) for value in measures)]


def _figures(alarms: Alarms) -> dict[str, Any]:
    measures = {"precision": alarms.precision, "recall": alarms.recall, "youden": alarms.youden}
    return {**alarms._asdict(), **measures, "alarms_per_catch": alarms.alarms_per_catch}


def keep_mistakes(rows: list[Judged], path: Path) -> None:
    """Every claim that ours judged wrongly, as lines of JSON, to be read."""
    wrong = [row for row in rows if row.says["ours"] != row.truth.stale]
    with path.open("w", encoding="utf-8") as file:
        for row in wrong:
            facts = {"repository": row.repository, "kind": row.claim.kind, "words": row.claim.words,
                     "truth": row.truth.state, "ours": row.freshness, "verdicts": row.verdicts,
                     "commits": row.commits}  # fmt: skip
            file.write(json.dumps(facts, ensure_ascii=False) + "\n")


def run(args: argparse.Namespace) -> None:
    rows: list[Judged] = []
    with temporary_directory() as work:
        for repository in read_repositories(args.only, args.list):
            found = list(judge_repository(repository, git_directory(args.repos, repository), work))
            rows += found
            print(f"{repository.name}: {len(found)} claims", flush=True)
    if not rows:
        raise SystemExit("No claim was judged: see --only.")
    record("memory_staleness", show(rows))
    if args.mistakes:
        keep_mistakes(rows, args.mistakes)

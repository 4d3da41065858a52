"""Keeping up: a sync without changes, an edit until it is found, and a second branch; CodeGraph's sync beside them.

Usage: python -m bench.sync_bench REPO… [--codegraph BIN] [--repeat 3] [--changed 50]
"""

import argparse
import json
import statistics
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path

from bench import ours, peers, targets
from bench.copies import BRANCH, copy_repository, git, settle, temporary_directory
from bench.edits import append_definition, editable
from bench.measure import Measured
from bench.peers import Peer
from bench.report import JUDGED_HEAD, judged, number, record, table
from bench.stdio_client import StdioClient, connected
from bench.targets import Target
from codecompass.model.call import Call
from codecompass.model.queries.search_query import LocateQuery

SEED = 20_240_601
PATIENCE_S = 30.0
POLL_S = 0.03
Seconds = tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Line:
    """One thing measured, in seconds."""

    label: str
    values: Seconds
    target: Target
    peer: Seconds = ()

    def row(self, absent: str) -> list[str]:
        beside = number(statistics.median(self.peer), 3) + " s" if self.peer else absent
        label, value, limit, verdict, _ = judged(self.label, self.median, self.target, 3)
        return [label, value, limit, verdict, number(max(self.values), 3), beside]

    @property
    def median(self) -> float:
        return statistics.median(self.values)


def cli_sync(repo: Path, data: Path) -> Measured:
    return ours.must(ours.command("sync", "--path", str(repo), repo=repo, data=data))


def found_by_cli(repo: Path, data: Path, name: str) -> bool:
    done = ours.must(ours.command("tool", "locate_symbol", "--name", name, repo=repo, data=data))
    return any(hit["name"] == name for hit in json.loads(done.out)["results"])


def edits_by_cli(repo: Path, data: Path, names: dict[str, str]) -> Seconds:
    """Write, `codecompass sync`, then ask an engine that was open all the time, as a server is."""
    with ours.engine_on(repo, data, watch=False) as engine:

        def until_found(name: str) -> None:
            cli_sync(repo, data)
            if not engine.locate(None, LocateQuery(name, freshness="best_effort"), Call()).hits:
                raise SystemExit(f"The new definition {name} was not found after a sync.")

        return _timed_edits(repo, names, until_found)


def edits_by_commands(repo: Path, data: Path, names: dict[str, str]) -> Seconds:
    """The same with a second command to ask: the start of another process is part of it."""

    def until_found(name: str) -> None:
        cli_sync(repo, data)
        if not found_by_cli(repo, data, name):
            raise SystemExit(f"The new definition {name} was not found after a sync.")

    return _timed_edits(repo, names, until_found)


def edits_while_serving(repo: Path, data: Path, names: dict[str, str]) -> Seconds:
    """Write, then `sync_repo` and `locate_symbol` over stdio, as an agent with an open session would."""
    with connected(repo, data) as client:
        client.call("search_code", query="warm up")
        return _timed_edits(repo, names, lambda name: _ask_until_found(client, name))


def _ask_until_found(client: StdioClient, name: str) -> None:
    until = time.monotonic() + PATIENCE_S
    client.call("sync_repo")
    while time.monotonic() < until:
        answer = client.call("locate_symbol", name=name, freshness_policy="best_effort")
        if any(hit["name"] == name for hit in answer.get("results", ())):
            return
        time.sleep(POLL_S)
    raise SystemExit(f"The new definition {name} was not found within {PATIENCE_S:.0f} s.")


def _timed_edits(repo: Path, names: dict[str, str], until_found: Callable[[str], None]) -> Seconds:
    taken = []
    for path, name in names.items():
        began = time.perf_counter()
        append_definition(repo, path, name)
        until_found(name)
        taken.append(time.perf_counter() - began)
        settle()  # so that the next edit finds no file that was written a moment ago
    return tuple(taken)


def sync_in_process(repo: Path, data: Path, repeat: int) -> Seconds:
    taken = []
    with ours.engine_on(repo, data, watch=False) as engine:
        for _ in range(repeat):
            began = time.perf_counter()
            engine.index(None, None, force=False, call=Call())
            taken.append(time.perf_counter() - began)
    return tuple(taken)


def make_branches(repo: Path, paths: list[str], count: int, changed: int) -> list[str]:
    """Branches that each change that many files; the working tree ends where it was."""
    names = []
    for number_of in range(count):
        name = f"bench-{number_of}"
        git(repo, "switch", "--quiet", "-c", name, BRANCH)
        for path in paths[:changed]:
            append_definition(repo, path, f"bench_branch_{number_of}")
        git(repo, "commit", "--quiet", "--all", "-m", name)
        git(repo, "switch", "--quiet", BRANCH)
        names.append(name)
    return names


def index_branch(repo: Path, data: Path, name: str) -> float:
    return ours.must(ours.command("index", "--path", str(repo), "--ref", name, repo=repo, data=data)).wall_s


def peer_times(peer: Peer, repo: Path, names: dict[str, str], repeat: int) -> tuple[Seconds, Seconds]:
    """(sync without changes, edit until found) of a peer in its own copy; empty when it failed."""
    assert peer.sync is not None and peer.query is not None
    if not peer.build(repo).ok:
        return (), ()
    command, query = peer.sync(peer.binary, repo), peer.query
    runs = [peer.run(command, repo) for _ in range(repeat)]
    if not all(done.ok for done in runs):
        return (), ()
    still = tuple(done.wall_s for done in runs)
    taken = []
    for path, name in names.items():
        began = time.perf_counter()
        append_definition(repo, path, name)
        peer.run(command, repo)
        if name not in peer.run(query(peer.binary, repo, name), repo).out:
            return still, ()
        taken.append(time.perf_counter() - began)
    return still, tuple(taken)


def measure(source: Path, peer: Peer | None, repeat: int, changed: int) -> tuple[list[Line], int]:
    with temporary_directory() as place:
        repo, data = copy_repository(source, place / "ours" / source.name), place / "ours" / "data"
        settle()
        ours.must(ours.command("index", "--path", str(repo), repo=repo, data=data))
        files = ours.indexed_files(repo, data)
        paths = editable(files, SEED)
        branches = make_branches(repo, paths, repeat, changed)
        settle()
        cli_sync(repo, data)  # the branches' files were written again, with the bytes they had
        still = tuple(cli_sync(repo, data).wall_s for _ in range(repeat))
        inside = sync_in_process(repo, data, repeat)
        others = tuple(index_branch(repo, data, name) for name in branches)
        by_cli = edits_by_cli(repo, data, _names(paths, "cli", repeat))
        by_commands = edits_by_commands(repo, data, _names(paths, "commands", repeat))
        serving = edits_while_serving(repo, data, _names(paths, "serving", repeat))
        peer_still: Seconds = ()
        peer_edit: Seconds = ()
        if peer is not None:
            copy = copy_repository(source, place / peer.name / source.name)
            settle()
            peer_still, peer_edit = peer_times(peer, copy, _names(paths, "peer", repeat), repeat)
    branch_label = f"second branch, {min(changed, len(paths))} files differ"
    return [
        Line("no-change sync, command", still, targets.NO_CHANGE_SYNC, peer_still),
        Line("no-change sync, in process", inside, targets.NO_CHANGE_SYNC),
        Line("edit → found, sync command", by_cli, targets.EDIT_SEARCHABLE),
        Line("edit → found, two commands", by_commands, targets.EDIT_SEARCHABLE, peer_edit),
        Line("edit → found, serving", serving, targets.EDIT_SEARCHABLE),
        Line(branch_label, others, targets.SECOND_BRANCH),
    ], len(files)


def _names(paths: list[str], kind: str, count: int) -> dict[str, str]:
    return {path: f"bench_{kind}_edit_{at}" for at, path in enumerate(paths[:count])}


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.sync_bench", description="Measure how an index keeps up.")
    parser.add_argument("repos", nargs="+", type=Path, metavar="REPO")
    parser.add_argument("--repeat", type=int, default=3, metavar="N")
    parser.add_argument("--changed", type=int, default=50, metavar="N", help="files that differ on the second branch")
    peers.add_flags(parser)
    args = parser.parse_args()
    peer = peers.find_codegraph(args)
    for repo in args.repos:
        name = repo.resolve().name
        lines, files = measure(repo.resolve(), peer, max(1, args.repeat), max(1, args.changed))
        absent = "–" if peer else peers.NOT_INSTALLED
        head = (*JUDGED_HEAD[:4], "worst s", "CodeGraph")
        table(f"Keeping up, {name} ({files:,} files)", head, [line.row(absent) for line in lines])
        record("sync", {
            "repository": name, "files": files, "repeat": args.repeat,
            "lines": [asdict(line) | {"verdict": line.target.verdict(line.median)} for line in lines],
            "versions": {peer.name: peer.version()} if peer else {},
        })  # fmt: skip


if __name__ == "__main__":
    main()

"""Checks: what must hold after every step, whatever happened. A row of `CHECKS` is asked at every so many steps."""

from collections.abc import Callable, Collection, Container, Iterable
from dataclasses import dataclass
from random import Random
from typing import Any, TypeVar

from codecompass.model.call import Call
from codecompass.repo.git import shadow_directory
from tests.simulation.content import ENDINGS
from tests.simulation.disk_inventory import take_stock
from tests.simulation.dispatch_client import Seat, Told
from tests.simulation.model import Tree
from tests.simulation.questions import QUESTIONS
from tests.simulation.servers import ServerSeat
from tests.simulation.world import Violation, World

T = TypeVar("T", bound=Collection[object])
NOT_INDEXED = ("NO_INDEX", "REF_NOT_INDEXED")
NO_ANSWER = {
    "absent": NOT_INDEXED,
    "format": ("INDEX_INCOMPATIBLE",),
    "damaged": ("INDEX_INCOMPATIBLE",),
    "unsure": (*NOT_INDEXED, "INDEX_INCOMPATIBLE"),
}
GONE = ("FILE_NOT_FOUND", "SYMBOL_NOT_FOUND", "NOT_FOUND", *NOT_INDEXED)
FEW = 9
"""Places beyond which a question is not asked: an answer need not show more."""


@dataclass(frozen=True, slots=True)
class Check:
    """One rule and how often it is looked at."""

    name: str
    every: int
    run: Callable[[World, Random], None]


@dataclass(frozen=True, slots=True)
class Target:
    """Whom a question is put to, and about what."""

    seat: Seat | ServerSeat
    view: str
    arguments: dict[str, object]


def choose(world: World, rng: Random) -> Target:
    """The working tree mostly; now and then another ref or another worktree."""
    seat, draw = rng.choice(world.askers), rng.random()
    if draw < 0.15 and len(world.places) > 1:
        place = rng.choice(world.places[1:])
        return Target(seat, f"live:{place}", {"workspace": str(place)})
    if draw < 0.4:
        known = {view.removeprefix("ref:") for view in world.shown if view.startswith("ref:")}
        names = sorted(known | set(world.refs()))
        if names:
            ref = rng.choice(names)
            return Target(seat, world.view_of(ref), {"ref": ref})
    return Target(seat, world.view_of(None), {})


def expect(world: World, target: Target, asked: str, told: Told, found: Callable[[], T], wanted: Callable[[Tree], T],
           ) -> None:  # fmt: skip
    """An answer is the model's: of the state now where it claims to be fresh, else of a state that was indexed."""
    about = f"{target.seat.name}: {asked} at {target.view.replace(str(world.base), '')}"
    if may_be_silent(world, target.view, told):
        return
    if told.refusal:
        raise Violation(f"{about} failed: {told.refusal}: {str(told.payload)[:300]}")
    if told.is_part:
        expect_part(world, target, about, told, found(), wanted)
        return
    answer, states = found(), [state for state in world.shown.get(target.view, ()) if state is not None]
    now = world.current(target.view)
    if told.is_fresh and now is not None and answer != wanted(now):
        raise Violation(f"{about} is said to be fresh; it says {answer}, and true is {wanted(now)}")
    if world.is_kept(target.view):
        return
    fitting = [state for state in states if wanted(state) == answer]
    if not fitting and not (now is not None and answer == wanted(now)):
        raise Violation(f"{about} says {answer}; indexed was {[wanted(state) for state in states]}")
    if fitting and not told.is_fresh:
        world.shown[target.view] = tuple(fitting)


def expect_part(
    world: World, target: Target, about: str, told: Told, answer: Iterable[object],
    wanted: Callable[[Tree], Container[object]],
) -> None:  # fmt: skip
    """A part of a first index says that it is one, and nothing that is not true of the whole."""
    states = world.shown.get(target.view, ())
    if None not in states and not world.is_kept(target.view):
        raise Violation(f"{about} says that its first index is not finished, and it is")
    if told.is_fresh or told.payload["metadata"]["result_completeness"] == "complete":
        raise Violation(f"{about} is a part and says {told.payload['metadata']}")
    trees = [tree for tree in (*states, world.current(target.view)) if tree is not None]
    if not world.is_kept(target.view) and not any(all(item in wanted(tree) for item in answer) for tree in trees):
        raise Violation(f"{about}, a part, says {answer}; indexed was {[wanted(tree) for tree in trees]}")


def may_be_silent(world: World, view: str, told: Told) -> bool:
    """Whether a question needs no answer: nothing is indexed that could give one. Then it must be told so."""
    said = told.refusal or f"success: {str(told.payload)[:200]}"
    if lacks_room_for_git(world, told):
        return True
    if world.unusable:
        if told.refusal in NO_ANSWER[world.unusable]:
            return True
        if world.unusable == "unsure" and not told.code:
            return True
    if world.unusable not in ("", "damaged"):  # what a damaged index still answers must be right
        raise Violation(f"the index is {world.unusable}, and a question was answered with {said}")
    if world.is_kept(view) and told.refusal in NOT_INDEXED:
        return True
    states = world.shown.get(view)
    if states is None and world.is_kept(view):
        return not told.code
    if states is None and not told.refusal and view.startswith("ref:"):
        return False  # another view of the same commit may answer, and must do so rightly
    if states is None and told.refusal not in NOT_INDEXED:
        raise Violation(f"{view} was never indexed, and a question was answered with {said}")
    return states is None or (None in states and told.refusal in NOT_INDEXED)


def lacks_room_for_git(world: World, told: Told) -> bool:
    """Whether git would be needed and has no directory to run in, which a full disk keeps from being made."""
    wanted = {"HEAD": shadow_directory._HEAD, "config": shadow_directory._CONFIGS["sha1"].encode()}
    files = {name: world.home / "shadow.git" / name for name in wanted}
    intact = all(path.is_file() and path.read_bytes() == wanted[name] for name, path in files.items())
    return world.disk.is_full and told.code == "DISK_FULL" and not intact


# -- what is asked after every step ------------------------------------------------------------------------------------


def find_word(world: World, rng: Random) -> None:
    target = choose(world, rng)
    word = _pick(world, target.view, rng, lambda tree: tree.words)
    if word is None or not _is_rare(world, target.view, lambda tree: len(tree.matching(f"(?i){word}"))):
        return
    told = target.seat.ask("search_code", query=word, limit=50, **target.arguments)
    expect(world, target, f"search {word}", told, lambda: {item["path"] for item in told.payload["results"]},
           lambda tree: tree.holding(word))  # fmt: skip


def find_name(world: World, rng: Random) -> None:
    target = choose(world, rng)
    name = _pick(world, target.view, rng, lambda tree: tree.names)
    if name is None:
        return
    told = target.seat.ask("locate_symbol", name=name, limit=50, **target.arguments)
    expect(world, target, f"locate {name}", told,
           lambda: {(item["path"], item["line_start"]) for item in told.payload["results"] if item["name"] == name},
           lambda tree: tree.defining(name))  # fmt: skip


def find_lines(world: World, rng: Random) -> None:
    """Lines are looked for in the files as they are: the answer is the present, indexed or not."""
    target = choose(world, rng)
    word = _pick(world, target.view, rng, lambda tree: tree.words)
    now = world.current(target.view)
    if word is None or now is None:
        return
    pattern = word if rng.random() < 0.5 else f"{word[:4]}\\w+{word[-2:]}"
    wanted = now.matching(pattern)
    if len(wanted) > 3 * FEW:
        return
    told = target.seat.ask("grep_codebase", pattern=pattern, limit=100, caseSensitive=True, **target.arguments)
    if lacks_room_for_git(world, told):
        return
    if told.code:
        raise Violation(f"grep {pattern} at {target.view} failed: {told.code}: {str(told.payload)[:300]}")
    found = [(item["file"], item["line"]) for item in told.payload["matches"]]
    if found != wanted:
        raise Violation(f"{target.seat.name}: grep {pattern} at {target.view} says {found}, and true is {wanted}")


def show_outline(world: World, rng: Random) -> None:
    target = choose(world, rng)
    path = _pick(world, target.view, rng, lambda tree: sorted(tree.texts))
    if path is None or not path.endswith(ENDINGS):
        return
    told = target.seat.ask("get_file_outline", path=path, **target.arguments)
    states = world.shown.get(target.view, ())
    if told.code == "FILE_NOT_FOUND" and world.is_kept(target.view):
        return
    now = world.current(target.view)
    gone = None in states and now is not None and path not in now.texts  # a part reads what it lacks as it is now
    if told.code == "FILE_NOT_FOUND" and (gone or any(state and path not in state.texts for state in states)):
        return
    expect(world, target, f"outline {path}", told,
           lambda: [(item["name"], item["line_start"]) for item in told.payload["symbols"]],
           lambda tree: tree.defined(path) if path in tree.texts else [])  # fmt: skip


def show_file(world: World, rng: Random) -> None:
    place = rng.choice(world.places)
    paths = [path for path, data in world.truth(place).texts.items() if data]
    if not paths:
        return
    path = rng.choice(paths)
    told = rng.choice(world.askers).ask("read_file", path=path, workspace=str(place))
    if told.code in NOT_INDEXED and f"live:{place}" not in world.shown:
        return
    if world.unusable and told.code in NO_ANSWER[world.unusable]:
        return
    if told.code or told.payload["file"]["content"].encode() != world.truth(place).texts[path]:
        raise Violation(f"read_file {path}: {told.code} {str(told.payload)[:300]}")


def list_refs(world: World, rng: Random) -> None:
    if world.unusable == "unsure":
        return
    told = rng.choice(world.askers).ask("list_refs", limit=100)
    if world.unusable in ("format", "damaged") and told.code == "INDEX_INCOMPATIBLE":
        return
    if told.code:
        raise Violation(f"list_refs failed: {told.code}: {str(told.payload)[:300]}")
    listed = {item["name"]: item for item in told.payload["refs"] if item["kind"] in ("branch", "tag")}
    here = world.branch()
    for name, commit in world.refs().items():
        item = listed.get(name)
        if item is None or item["commit"] != commit:
            raise Violation(f"list_refs has {item} for {name}, which is at {commit}")
        states = world.shown.get(world.view_of(name), ())
        borrowed = not states and item.get("indexed_commit") == commit  # another view of the same commit
        if name != here and None not in states and bool(item.get("indexed")) != bool(states) and not borrowed:
            raise Violation(f"list_refs says of {name}: {item}; indexed were {len(states)} states")


def judge_freshness(world: World, rng: Random) -> None:
    """`fresh` is said only when it is true, and is said when nothing moved since the sync."""
    if world.unusable:
        return
    place = rng.choice(world.places)
    view = f"live:{place}"
    states = world.shown.get(view)
    told = rng.choice(world.askers).ask("index_status", workspace=str(place))
    if told.code:
        raise Violation(f"index_status failed: {told.code}: {str(told.payload)[:300]}")
    if states is None or None in states or world.is_kept(view):
        return
    now = world.truth(place)
    if told.is_fresh and not any(state is not None and state.equals(now) for state in states):
        raise Violation(f"index_status says fresh; {_difference(states, now)}")
    only = states[0] if len(states) == 1 and not world.damaged else None
    if only is not None and only.files == now.files and only.head == now.head and not told.is_fresh:
        raise Violation(f"nothing moved since the sync, and index_status says {told.payload['metadata']}")


def _difference(states: tuple[Tree | None, ...], now: Tree) -> str:
    last = states[-1]
    assert last is not None
    changed = sorted(path for path in last.files.keys() | now.files.keys()
                     if last.files.get(path) != now.files.get(path))  # fmt: skip
    return f"since the sync changed: {', '.join(changed)}"


def ask_anything(world: World, rng: Random) -> None:
    """No tool fails on a good question."""
    target = choose(world, rng)
    states = world.shown.get(target.view, ())
    if len(states) != 1 or world.unusable:
        return
    state = states[0]
    now = world.current(target.view)
    if state is None or now is None or not state.names:
        return
    tool, make = rng.choice(QUESTIONS)
    arguments = make(world, rng, state, target.arguments)
    told = target.seat.ask(tool, **arguments)
    if lacks_room_for_git(world, told):
        return
    if told.code and not _is_moot(told, state, now) and not (told.code in GONE and world.is_kept(target.view)):
        raise Violation(f"{target.seat.name}: {tool} {arguments} failed: {told.code}: {str(told.payload)[:400]}")


def _is_moot(told: Told, state: Tree, now: Tree) -> bool:
    """A question about something that may be gone since it was indexed, or not be there yet."""
    return told.code in GONE and not state.equals(now)


# -- what is looked at now and then ------------------------------------------------------------------------------------


def keep_owned(world: World, rng: Random) -> None:
    """What was written down is still there, word for word."""
    seat = rng.choice(world.seats)
    kept = seat.engine.export_memory(None, Call())
    if lost := {word for identity, word in world.notes.items() if identity not in kept or word not in kept}:
        raise Violation(f"{seat.name}: records are lost: {sorted(lost)}")
    if world.notes and not world.unusable and None not in world.shown.get(world.view_of(None), (None,)):
        identity, word = rng.choice(sorted(world.notes.items()))
        told = seat.ask("context_search", query=word)
        results: list[dict[str, Any]] = told.payload.get("results", [])
        if identity not in {item.get("id") for item in results}:
            raise Violation(f"{seat.name}: the record of {word} is not found: {told.code} {str(told.payload)[:300]}")
    if world.findings:
        keep_findings(world, seat)


def keep_findings(world: World, seat: Seat) -> None:
    """Every finding is as it was taken in; one whose file has a wrong byte may be missing, and then that is told."""
    listed = seat.engine.triage_findings(None, "", "", "", 1000)
    found = {one.record.record_id: one.record for one in listed.entries}
    spoiled = {path.stem for path in world.spoiled}
    known = {record.record_id: record for record in world.findings.values()}
    if lost := known.keys() - found.keys() - spoiled:
        raise Violation(f"{seat.name}: findings are lost: {sorted(lost)}")
    if wrong := [name for name, record in found.items() if record != known.get(name)]:
        raise Violation(f"{seat.name}: findings are not what was taken in: {[found[name] for name in wrong][:1]}")
    if untold := {name for name in spoiled - found.keys() if not any(name in one for one in listed.damaged)}:
        raise Violation(f"{seat.name}: damaged findings are missing without a word: {sorted(untold)}")


def compare_stores(world: World, rng: Random) -> None:
    """Catalog, text index and vectors hold the same, nothing dead beyond what is tolerated; and the doctor agrees."""
    if not world.servers:
        take_stock(world, rng.choice(world.seats))


CHECKS = (
    Check("find_word", 1, find_word),
    Check("find_name", 1, find_name),
    Check("judge_freshness", 1, judge_freshness),
    Check("find_lines", 2, find_lines),
    Check("show_outline", 2, show_outline),
    Check("show_file", 3, show_file),
    Check("ask_anything", 2, ask_anything),
    Check("list_refs", 4, list_refs),
    Check("keep_owned", 9, keep_owned),
    Check("compare_stores", 12, compare_stores),
)


def _pick(world: World, view: str, rng: Random, of: Callable[[Tree], list[str]]) -> str | None:
    """Something to ask for: what is there, what was indexed, or what is gone."""
    now, states = world.current(view), world.shown.get(view, ())
    pools = [of(tree) for tree in (now, *states) if tree is not None]
    if world.forgotten and rng.random() < 0.3:
        pools = [world.forgotten]
    found = sorted({item for pool in pools for item in pool})
    return rng.choice(found) if found else None


def _is_rare(world: World, view: str, count: Callable[[Tree], int]) -> bool:
    states = [world.current(view), *world.shown.get(view, ())]
    return all(count(state) <= FEW for state in states if state is not None)

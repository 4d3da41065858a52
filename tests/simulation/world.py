"""The world of a run: a repository, its index, who asks it, and what the model knows of all of them."""

import os
import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from random import Random

from codecompass.errors import Failure
from codecompass.model.triage_values import TriageRecord
from tests.repo.gitrepo import ENV
from tests.simulation.content import make_path, make_text
from tests.simulation.disk import Disk, open_disk
from tests.simulation.dispatch_client import Seat, parsing_inline
from tests.simulation.file_clock import FileClock, file_clock
from tests.simulation.forked import Forks
from tests.simulation.model import Model, Tree
from tests.simulation.run_limits import Surroundings
from tests.simulation.servers import PATIENCE_S, ServerSeat, environment_of

KEPT = "keep.txt"
"""A file that no action removes, so that the repository is never empty."""
FIRST_FILES = 14


class Violation(AssertionError):
    """Something that may never be was seen."""


class World:
    """Made for one run and thrown away with it."""

    def __init__(self, base: Path, seed: int, around: Surroundings, clock: FileClock) -> None:
        self.base, self.around, self.clock = base, around, clock
        self.root = base / "repo"
        self.disk: Disk = open_disk(base / "data", small=around.small_disk)
        self.data = self.disk.path
        self.model = Model()
        self.places: list[Path] = [self.root]
        """Working trees: the repository itself, then worktrees of it."""
        self.shown: dict[str, tuple[Tree | None, ...]] = {}
        """View → the states that it may show: one, or several after a crash; None where there may be no view."""
        self.unusable = ""
        """Why the index may not answer: it is `absent`, of another `format`, `damaged`, or `unsure` which of them."""
        self.doubts: set[str] = set()
        """Views that may lack vectors: a crash or a full disk came before they were made."""
        self.damaged = False
        """Something derived was damaged, and no sync of everything has healed it yet."""
        self.swept = False
        """The last that was published was followed by a sweep of vectors."""
        self.contents: dict[tuple[str, int], bytes] = {}
        """Store and number of every content that was ever seen → its hash."""
        self.notes: dict[str, str] = {}
        self.findings: dict[str, TriageRecord] = {}
        """Word → the record of the finding that has it in its title."""
        self.spoiled: dict[Path, bytes] = {}
        """Records with a wrong byte, and what they held before."""
        self.links: list[Path] = []
        """Names outside the tree of files that are inside it."""
        self.forgotten: list[str] = []
        """Words and names that were there once."""
        self._truths: dict[Path, Tree] = {}
        self._asked: dict[tuple[object, ...], str] = {}
        """What git was asked since anything changed."""
        self.seats = [self._seat("server"), self._seat("reader")]
        self.servers: list[ServerSeat] = []
        self.environment = environment_of(base, self.data, vectors=around.vectors)
        self.forks: Forks | None = None
        self._begin(Random(f"world {seed}"))

    def _seat(self, name: str) -> Seat:
        return Seat(name, self.root, self.data, self.around, watch=self.around.watch and name == "server")

    def _begin(self, rng: Random) -> None:
        self.root.mkdir(parents=True)
        self.git("init", "-q", "-b", "main")
        (self.root / KEPT).write_text(make_text(rng, KEPT) + "this file stays\n")
        for _ in range(FIRST_FILES):
            path = make_path(rng)
            self.write(path, make_text(rng, path))
        self.commit("begin")
        self.sync()

    def reopen(self, at: int) -> None:
        """Close one engine and open another in its place, as a restart does."""
        name = self.seats[at].name
        self.seats[at].close()
        self.seats[at] = self._seat(name)

    @property
    def askers(self) -> list[Seat | ServerSeat]:
        """All who can be asked: engines of this process, and servers."""
        return [*self.seats, *self.servers]

    def close(self) -> None:
        for server in self.servers:
            server.kill()
        for seat in self.seats:
            seat.close()
        if self.forks is not None:
            self.forks.close()
        self.disk.close()

    # -- files and git ---------------------------------------------------------------------------------------------

    def moved(self) -> None:
        """Something on disk changed: what was read of it is no proof any more."""
        self._truths.clear()
        self._asked.clear()

    def write(self, path: str, text: str | bytes, place: Path | None = None) -> None:
        target = (place or self.root) / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(text.encode() if isinstance(text, str) else text)
        self.moved()

    def git(self, *arguments: str, at: Path | None = None) -> str:
        done = self.try_git(*arguments, at=at)
        if done.returncode:
            raise RuntimeError(f"git {' '.join(arguments)}: {done.stderr.decode()}")
        return done.stdout.decode("utf-8", "surrogateescape").strip()

    def try_git(self, *arguments: str, at: Path | None = None) -> subprocess.CompletedProcess[bytes]:
        argv = ["git", "-c", "protocol.file.allow=always", "-c", "core.quotePath=false", *arguments]
        self.moved()
        return subprocess.run(argv, cwd=at or self.root, env=ENV, capture_output=True, check=False)

    def ask_git(self, *arguments: str, at: Path | None = None) -> str:
        """The same for what changes nothing; an empty answer where git fails."""
        known = self._asked.get((at, *arguments))
        if known is None:
            done = subprocess.run(["git", *arguments], cwd=at or self.root, env=ENV, capture_output=True, check=False)
            known = self._asked[at, *arguments] = done.stdout.decode("utf-8", "surrogateescape").strip()
        return known

    def commit(self, message: str, at: Path | None = None) -> None:
        self.git("add", "-A", at=at)
        self.git("commit", "-q", "--allow-empty", "-m", message, at=at)

    def branch(self, place: Path | None = None) -> str:
        """The branch that is checked out; empty when none is."""
        return self.ask_git("symbolic-ref", "-q", "--short", "HEAD", at=place)

    def refs(self, *kinds: str) -> dict[str, str]:
        """Short name → commit of every branch and tag."""
        wanted = [f"refs/{kind}" for kind in kinds or ("heads", "tags")]
        rows = self.ask_git("for-each-ref", "--format=%(refname:lstrip=2) %(objectname)", *wanted).splitlines()
        return dict(row.rsplit(" ", 1) for row in rows)

    # -- what is true ----------------------------------------------------------------------------------------------

    @property
    def home(self) -> Path:
        """The directory of the project in the data directory."""
        (found,) = (self.data / "projects").iterdir()
        return found

    def truth(self, place: Path | None = None) -> Tree:
        """The working tree as it is now."""
        place = place or self.root
        known = self._truths.get(place)
        if known is None:
            known = self._truths[place] = self.model.live(place)
        return known

    def files(self) -> list[str]:
        """Files that an action may change."""
        found = self.truth().files
        rules = {KEPT, ".gitignore", ".gitmodules", ".codecompassignore"}
        return sorted(path for path in found if path not in rules)

    def view_of(self, ref: str | None, place: Path | None = None) -> str:
        place = place or self.root
        return f"live:{place}" if ref is None or ref == self.branch(place) else f"ref:{ref}"

    def current(self, view: str) -> Tree | None:
        """What a view would show if it were made now; None for a ref that is gone."""
        kind, _, name = view.partition(":")
        if kind == "live":
            return self.truth(Path(name))
        commit = self.commit_of(name)
        return self.model.at(self.root, commit) if commit else None

    def commit_of(self, ref: str) -> str:
        return self.ask_git("rev-parse", "-q", "--verify", f"{ref}^{{commit}}")

    # -- indexing --------------------------------------------------------------------------------------------------

    def sync(self, ref: str | None = None, *, force: bool = False, at: int = 0, place: Path | None = None) -> None:
        """Index in this process; afterwards the view shows what is there now."""
        place = place or self.root
        view = self.view_of(ref, place)
        wanted = self.current(view)
        assert wanted is not None
        try:
            self._index(at, place, ref, force=force)
        except Failure as failure:
            if failure.code == "DISK_FULL" and self.disk.is_full:
                self.after_crash(view, wanted)
                return
            raise Violation(f"indexing {view.partition(':')[0]} failed: {failure.code}: {failure.message}") from failure
        self.after_sync(view, wanted)

    def _index(self, at: int, place: Path, ref: str | None, *, force: bool) -> None:
        """Beside servers another may be at work already; then this one waits its turn."""
        until = time.monotonic() + (PATIENCE_S if self.servers else 0)
        while True:
            try:
                self.seats[at].index(place, ref, force=force)
                return
            except Failure as failure:
                if failure.code != "INDEX_IN_PROGRESS" or time.monotonic() > until:
                    raise

    def settled(self) -> None:
        """All servers are at rest and have indexed what is there."""
        self.unusable = ""
        self.shown = {view: states for view, states in self.shown.items() if not view.startswith("live:")}
        self.shown[f"live:{self.root}"] = (self.truth(),)
        self.doubts.discard(f"live:{self.root}")

    def is_kept(self, view: str) -> bool:
        """Whether somebody syncs a view whenever it likes, so that nobody knows what it shows."""
        return bool(self.servers) and view.startswith("live:")

    def after_sync(self, view: str, wanted: Tree, *, disturbed: bool = False) -> None:
        """A sync that published. One that nothing kept from it also made the vectors that other refs lacked."""
        disturbed = disturbed or self.disk.is_full
        if self.unusable == "damaged":
            self._after_rebuild(view, lossy=disturbed)
        self.unusable = ""
        self.shown[view] = (wanted,)
        self.swept = not disturbed
        if disturbed:
            self.doubts.add(view)
        else:
            self.doubts = {other for other in self.doubts if other != view and not other.startswith("ref:")}

    def _after_rebuild(self, view: str, *, lossy: bool) -> None:
        """All that was indexed is there again as it is now, or still as it was.

        Not what is gone, nor other working trees, nor a branch that is checked out: a working tree answers for it.
        """
        place = Path(view.partition(":")[2]) if view.startswith("live:") else self.root
        for other, states in self.shown.items():
            if other != view:
                elsewhere = other.startswith("live:") and other != f"live:{place}"
                now = None if elsewhere or other == f"ref:{self.branch(place)}" else self.current(other)
                lost = (None,) if lossy or now is None else ()
                self.shown[other] = (*lost, *states, *((now,) if now is not None else ()))
                self.doubts.add(other)

    def after_crash(self, view: str, wanted: Tree) -> None:
        """A sync that may have ended before or after it published; it may have made a lost index anew."""
        self.swept = False
        if self.unusable == "damaged":
            self._after_rebuild(view, lossy=True)
            # It may still be damaged; then the next sync rebuilds, perhaps from a worktree that does not bring it back.
            self.shown[view] = (None, *self.shown.get(view, ()))
        if self.unusable:
            self.unusable = "unsure"
        before = self.shown.get(view, (None,))
        known = any(tree is not None and tree.equals(wanted) and tree.head == wanted.head for tree in before)
        self.shown[view] = before if known else (*before, wanted)
        self.doubts.add(view)

    def lose_index(self, how: str) -> None:
        """Nothing indexed can answer, and no view is known; a server may make it anew, nobody knows how soon."""
        self.unusable = "unsure" if self.servers else how
        self.shown.clear()

    def fork(self) -> Forks:
        if self.forks is None:
            self.forks = Forks(self.root, self.data, self.around)
        return self.forks

    def remember(self, words: list[str]) -> None:
        """Keep some words of what goes away, to ask for later."""
        self.forgotten = (self.forgotten + words)[-60:]


@contextmanager
def world_for(base: Path, seed: int, around: Surroundings) -> Iterator[World]:
    """A world on an empty directory, which is empty again afterwards."""
    with ExitStack() as stack:
        stack.enter_context(parsing_inline())
        shutil.rmtree(base, ignore_errors=True)
        os.makedirs(base)
        world = World(base, seed, around, stack.enter_context(file_clock()))
        try:
            yield world
        finally:
            world.close()
            shutil.rmtree(base, ignore_errors=True)

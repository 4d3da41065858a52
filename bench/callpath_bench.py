"""Call path of one search: the modules of ours that a `search_code` call passes between the request and its reply.

Usage: python -m bench.callpath_bench [--repo DIR] [--query TEXT] [--most 40] [--strict]

The call runs in this process through `runtime.dispatch`, as every surface makes it. One call with another query comes
first, so that nothing is loaded or opened in the traced one. Five figures are made of the calls of functions
(`sys.setprofile`), those of all threads together:

- *passed*: a module is passed when a function written in it is called; methods that Python generates for data classes
  and named tuples do not count. Modules are in the order of first entry.
- *values only*: a passed module of frozen values (`model`, `errors`). They hold data and decide nothing. They count as
  passed all the same.
- *handing on*: a passed module that calls a function of another of our modules; these are the stations of the path. The
  others are leaves (tables, values, pure functions): a reader of the path can take them by their names.
- *depth*: the number of our functions that are active when the module is first entered, its own included.
- *entered again*: a module whose function is called, directly or not, by a function of another of our modules that the
  first module itself called. The call went down, and came back up. Callbacks and overridden methods do this.

Without `--repo` a repository of three files is made. The target is held against two figures, all modules passed and
those that hand on, and each line says whether it is reached; decision 0011 says why there are two. With `--strict` the
exit code is 1 when more than `--most` modules hand on or a module is entered again.
"""

import argparse
import io
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType

from bench import ours
from bench.copies import git, temporary_directory
from codecompass.contract.tool import Host
from codecompass.engine.engine import Engine
from codecompass.model.call import Call
from codecompass.runtime.dispatch import Dispatch
from codecompass.runtime.log import Log
from codecompass.tools import TOOLS

MOST = 40
WARM_QUERY = "how are tokens checked"
QUERY = "where is a session closed"
OURS = "codecompass."
VALUES = ("model", "errors")
"""Packages of frozen values."""
FILES = {
    "auth.py": "def check_token(token):\n    '''Check a token.'''\n    return bool(token)\n",
    "session.py": "class Session:\n    def close(self):\n        '''Close a session.'''\n",
    "README.md": "# Sample\n\nSessions are closed when their token expires.\n",
}


@dataclass
class CallPath:
    """Modules in order of first entry, with their depth, and the modules that were entered again from below."""

    depths: dict[str, int] = field(default_factory=dict)
    handing_on: set[str] = field(default_factory=set)
    again: dict[str, str] = field(default_factory=dict)
    """Module → the module that called it from below, the first one."""

    @property
    def values_only(self) -> list[str]:
        """The passed modules of frozen values."""
        return [name for name in self.depths if name.partition(".")[0] in VALUES]

    def observe(self, frame: FrameType, event: str, _argument: object) -> None:
        """Record one event of `sys.setprofile`."""
        if event != "call" or not (name := _module_of(frame)):
            return
        callers = list(_our_modules(frame.f_back))
        self.depths.setdefault(name, len(callers) + 1)
        if callers and callers[0] != name:
            self.handing_on.add(callers[0])
            if name in callers:
                self.again.setdefault(name, callers[0])


def _module_of(frame: FrameType) -> str:
    """The name of our module that a function is written in; empty for others."""
    name = str(frame.f_globals.get("__name__", ""))
    is_written = not frame.f_code.co_filename.startswith("<")
    return name.removeprefix(OURS) if name.startswith(OURS) and is_written else ""


def _our_modules(frame: FrameType | None) -> Iterator[str]:
    while frame is not None:
        if name := _module_of(frame):
            yield name
        frame = frame.f_back


@contextmanager
def tracing(path: CallPath) -> Iterator[None]:
    """Observe this thread and every thread that starts meanwhile."""
    threading.setprofile(path.observe)
    sys.setprofile(path.observe)
    try:
        yield
    finally:
        sys.setprofile(None)
        threading.setprofile(None)


def trace_search(repo: Path, data: Path, query: str) -> CallPath:
    """Index a repository and trace one search in it."""
    with ours.engine_on(repo, data, watch=False) as engine:
        engine.index(None, None, force=False, call=Call())
        path = CallPath()
        _search(engine, WARM_QUERY, CallPath())
        _search(engine, query, path)
    return path


def _search(engine: Engine, query: str, path: CallPath) -> None:
    # A dispatch for each call: its worker threads start with the call, so that they are observed.
    dispatch = Dispatch(TOOLS, Host(engine), Log("error", io.StringIO()))
    try:
        with tracing(path):
            reply = dispatch.call("search_code", {"query": query})
    finally:
        dispatch.close()
    if reply.is_error:
        raise SystemExit(f"search_code failed: {reply.payload}")


def make_repository(place: Path) -> Path:
    place.mkdir()
    for name, text in FILES.items():
        (place / name).write_text(text, encoding="utf-8")
    git(place, "init", "--quiet")
    git(place, "add", ".")
    git(place, "-c", "user.name=bench", "-c", "user.email=bench@example.org", "commit", "--quiet", "-m", "Add a sample")
    return place


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.callpath_bench", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--repo", type=Path, help="repository to search; it is indexed into a temporary directory")
    parser.add_argument("--query", default=QUERY)
    parser.add_argument("--most", type=int, default=MOST, help="target: modules at most, for each of both figures")
    parser.add_argument(
        "--strict", action="store_true", help="exit code 1 when too many modules hand on or one is entered again"
    )
    args = parser.parse_args(argv)
    with temporary_directory() as place:
        repo = args.repo.resolve() if args.repo else make_repository(place / "repo")
        path = trace_search(repo, place / "data", args.query)
    for number, (name, depth) in enumerate(path.depths.items(), 1):
        print(f"{number:3}{'*' if name in path.handing_on else ' '} {'.' * min(depth, 30)} {name}")
    print(f"modules passed: {len(path.depths)} ({describe_target(len(path.depths), args.most)})")
    print(f"of these values only: {len(path.values_only)}")
    print(f"handing on to another (*): {len(path.handing_on)} ({describe_target(len(path.handing_on), args.most)})")
    print(f"entered again from below: {len(path.again)} ({describe_target(len(path.again), 0)})")
    for name, caller in path.again.items():
        print(f"     {name}, called by {caller}")
    is_reached = len(path.handing_on) <= args.most and not path.again
    return 0 if is_reached or not args.strict else 1


def describe_target(count: int, most: int) -> str:
    return f"target: at most {most}; {'reached' if count <= most else 'missed'}"


if __name__ == "__main__":
    sys.exit(main())

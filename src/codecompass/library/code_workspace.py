"""CodeWorkspace: the queries of one directory, with an engine of its own.

It changes nothing in the process of its caller: no signal handler, no umask, no environment variable. The engine is
imported when a workspace is opened, so that the types alone are cheap to import.
"""

import os
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Self

from codecompass.errors import Failure, to_system_failure
from codecompass.library.arguments import (
    check_choice,
    check_kind,
    check_number,
    check_text,
    name_methods,
    require_index,
    require_single,
)
from codecompass.model.call import Call, Progress
from codecompass.model.job import Job
from codecompass.model.memory_values import TYPES as MEMORY_TYPES
from codecompass.model.memory_values import MemoryAnswer, MemoryQuery
from codecompass.model.queries.context_bundle import SECTIONS, ContextBundle, ContextBundleQuery
from codecompass.model.queries.filters import Filters, make_invalid_value
from codecompass.model.queries.grep_query import GrepAnswer, GrepQuery
from codecompass.model.queries.navigation_queries import ReferenceReport, SymbolTarget
from codecompass.model.queries.results import Hits, Outline, ProjectStatus
from codecompass.model.queries.search_query import (
    LocateQuery,
    ReferenceQuery,
    SearchQuery,
)
from codecompass.model.states import DETAIL_LEVELS, FRESHNESS_POLICIES, MODES, USE_KINDS

if TYPE_CHECKING:
    from codecompass.contract.fields import Depth, DetailLevel, FreshnessPolicy
    from codecompass.engine.engine import Engine

StrPath = str | os.PathLike[str]
MIN_CONTEXT_TOKENS = 500


def open_workspace(
    path: StrPath, *, data_dir: StrPath | None = None, config: StrPath | None = None, watch: bool = False
) -> "CodeWorkspace":
    """Open one directory for queries, and register it if it is new. Close the result, or use it in a `with` block.

    `data_dir` and `config` override the directory of the indexes and the settings file, like the options of the command
    line. `watch` keeps the index current in the background, as a server does.
    """
    from codecompass.composition import EngineRequest, build_engine  # noqa: PLC0415 - the engine is slow to import
    from codecompass.settings import load_settings  # noqa: PLC0415

    with name_methods():
        root = os.path.realpath(path)
        if not os.path.isdir(root):
            raise Failure("INVALID_REQUEST", f"Not a directory: {root}", hint="Name an existing directory.")
        file = None if config is None else os.fspath(config)
        settings = load_settings(config=file, project=root)
        directory = settings.data_dir if data_dir is None else Path(data_dir)
        _make_data_dir(directory)
        request = EngineRequest((root,), directory, file, starts_jobs=watch, build_memory=True, watch=watch)
        engine = build_engine(settings, request)
        try:
            if watch:
                engine.keep(lambda attempt: None)
            engine.init(root)
        except BaseException:
            engine.close()
            raise
    return CodeWorkspace(root, engine, settings["query.freshness_policy"])


def _make_data_dir(directory: Path) -> None:
    try:
        # Made with the modes of the caller's umask, it might be writable by other users, and then be refused.
        directory.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise to_system_failure(error.errno, f"create the data directory {directory}") from error


class CodeWorkspace:
    """The queries of one directory. Thread-safe; methods raise `Failure` for everything that goes wrong.

    Arguments that most queries have:

    - `ref`: a branch, tag or commit that was indexed; by default the working tree.
    - `freshness`: `balanced` and `best_effort` answer from a stale index and say so in `state`; `strict` raises
      INDEX_STALE. The default is the setting `query.freshness_policy`.
    """

    def __init__(self, root: str, engine: "Engine", freshness: str) -> None:
        self.root = root
        """The real path of the directory."""
        self._engine: Engine | None = engine
        self._freshness = freshness

    # -- queries ---------------------------------------------------------------------------------------------------

    def search(
        self,
        query: str,
        *,
        limit: int = 10,
        language: str | None = None,
        mode: str | None = None,
        filters: Mapping[str, object] | None = None,
        without: Mapping[str, object] | None = None,
        detail: "DetailLevel" = "signature",
        ref: str | None = None,
        freshness: "FreshnessPolicy | None" = None,
    ) -> Hits:
        """Search by name, path, error text or question; results match all `filters` and none of `without`."""
        with self._call() as engine:
            wanted = SearchQuery(
                text=check_text("query", query),
                ref=ref,
                language=language,
                limit=check_number("limit", limit),
                detail=check_choice("detail", detail, DETAIL_LEVELS),
                freshness=self._choose_freshness(freshness),
                filters=Filters.parse(filters or {}),
                without=Filters.parse(without or {}),
                mode=check_choice("mode", mode, MODES) if mode else "",
            )
            found = engine.search(self.root, wanted, Call())
            require_index(found.state)
            return found

    def locate(
        self,
        name: str,
        *,
        kind: str | None = None,
        language: str | None = None,
        limit: int = 10,
        detail: "DetailLevel" = "signature",
        ref: str | None = None,
        freshness: "FreshnessPolicy | None" = None,
    ) -> Hits:
        """Find definitions by exact or near name; `Hit.tier` says how the name matched."""
        with self._call() as engine:
            wanted = LocateQuery(
                name=check_text("name", name),
                kind=check_kind(kind),
                language=language,
                ref=ref,
                limit=check_number("limit", limit),
                detail=check_choice("detail", detail, DETAIL_LEVELS),
                freshness=self._choose_freshness(freshness),
            )
            found = engine.locate(self.root, wanted, Call())
            require_index(found.state)
            return found

    def references(
        self,
        name: str | None = None,
        *,
        handle: str | None = None,
        path: StrPath | None = None,
        line: int | None = None,
        kinds: Iterable[str] = (),
        resolution: str = "all",
        limit: int = 50,
        explain: bool = False,
        ref: str | None = None,
        freshness: "FreshnessPolicy | None" = None,
    ) -> ReferenceReport:
        """Find the uses of a symbol: by name (which `path` restricts), by the handle of a result, or by path and line.

        `resolution` is the least certainty: `resolved`, `ambiguous` or `all`. `explain` also lists mentions of the name
        that are proven not to be uses.
        """
        with self._call() as engine:
            wanted = ReferenceQuery(
                target=self._read_target(name, handle, path, line),
                ref=ref,
                limit=check_number("limit", limit),
                kinds=tuple(check_choice("kinds", kind, USE_KINDS) for kind in kinds),
                resolution=check_choice("resolution", resolution, ("resolved", "ambiguous", "all")),
                freshness=self._choose_freshness(freshness),
                explain=explain,
            )
            return engine.references(self.root, wanted, Call())

    def outline(
        self,
        path: StrPath | None = None,
        *,
        handle: str | None = None,
        depth: "Depth" = "all",
        ref: str | None = None,
        freshness: "FreshnessPolicy | None" = None,
    ) -> Outline:
        """Return the symbols of a file as a tree; the handle of a symbol selects that symbol and its members."""
        with self._call() as engine:
            file = self._to_relative(path)
            require_single(path=file, handle=handle)
            depth_name = check_choice("depth", depth, ("top", "all"))
            policy = self._choose_freshness(freshness)
            return engine.outline(self.root, file, ref, depth_name, Call(), policy, handle)

    def grep(
        self,
        pattern: str,
        *,
        glob: str | None = None,
        case_sensitive: bool = False,
        limit: int = 50,
        filters: Mapping[str, object] | None = None,
        ref: str | None = None,
        freshness: "FreshnessPolicy | None" = None,
    ) -> GrepAnswer:
        """Find lines that match an RE2 regular expression, in files whose path matches the glob."""
        with self._call() as engine:
            if not pattern:
                raise make_invalid_value("pattern", "minLength", "must not be empty")
            wanted = GrepQuery(
                pattern=pattern,
                case_sensitive=case_sensitive,
                glob=glob,
                filters=Filters.parse(filters or {}),
                ref=ref,
                limit=check_number("limit", limit),
                freshness=self._choose_freshness(freshness),
            )
            return engine.grep(self.root, wanted, Call())

    def context(
        self,
        query: str,
        *,
        max_tokens: int = 4_000,
        sections: Iterable[str] = SECTIONS,
        language: str | None = None,
        ref: str | None = None,
        freshness: "FreshnessPolicy | None" = None,
    ) -> ContextBundle:
        """Collect the code that answers a question within a token budget: definitions, callers, tests, docs."""
        from codecompass.tools.get_code_context import estimate_piece_cost  # noqa: PLC0415 - loads all tools

        with self._call() as engine:
            chosen = {check_choice("sections", section, SECTIONS) for section in sections}
            wanted = ContextBundleQuery(
                text=check_text("query", query),
                max_tokens=check_number("max_tokens", max_tokens, MIN_CONTEXT_TOKENS),
                sections=tuple(section for section in SECTIONS if section in chosen),
                language=language,
                ref=ref,
                freshness=self._choose_freshness(freshness),
            )
            found = engine.bundle(self.root, wanted, estimate_piece_cost, Call())
            require_index(found.state)
            return found

    def memory(
        self,
        query: str,
        *,
        type: str | None = None,
        module: str | None = None,
        limit: int = 5,
        ref: str | None = None,
        freshness: "FreshnessPolicy | None" = None,
    ) -> MemoryAnswer:
        """Search recorded and mined decisions, rules, patterns and issues, and check whether each still holds."""
        with self._call() as engine:
            wanted = MemoryQuery(
                text=check_text("query", query),
                type=check_choice("type", type, MEMORY_TYPES) if type else "",
                module=module or "",
                limit=check_number("limit", limit),
                ref=ref,
                freshness=self._choose_freshness(freshness),
            )
            found = engine.recall(self.root, wanted, Call())
            require_index(found.state)
            return found

    # -- index and status ------------------------------------------------------------------------------------------

    def index(
        self, *, ref: str | None = None, force: bool = False, progress: Callable[[Progress], None] | None = None
    ) -> Job:
        """Index the working tree, or a ref, and wait for it; what is indexed already is only updated, unless `force`.

        `progress` may be called from several threads; an exception that it raises ends the job.
        """
        call = Call() if progress is None else Call(report=progress)
        interval = sys.getswitchinterval()
        with self._call() as engine:
            try:
                return engine.index(self.root, ref, force=force, call=call)
            finally:
                # A job shortens it, which is good for the job but not for the other threads of the caller.
                sys.setswitchinterval(interval)

    def sync(self, *, ref: str | None = None, progress: Callable[[Progress], None] | None = None) -> Job:
        """Update the index to the present files, or to the present commit of a ref, and wait for it."""
        return self.index(ref=ref, progress=progress)

    def status(self, *, ref: str | None = None) -> ProjectStatus:
        """Return what is indexed, how fresh it is, and the recent jobs."""
        with self._call() as engine:
            return engine.status(self.root, ref)

    # -- opening and closing ---------------------------------------------------------------------------------------

    def close(self) -> None:
        """Release files, locks and threads; a second call does nothing."""
        engine, self._engine = self._engine, None
        if engine is not None:
            engine.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<CodeWorkspace {self.root}{'' if self._engine else ' (closed)'}>"

    # -- shared by the methods -------------------------------------------------------------------------------------

    @contextmanager
    def _call(self) -> "Iterator[Engine]":
        with name_methods():
            if self._engine is None:
                raise Failure("INVALID_REQUEST", "The workspace is closed.", hint="Open it again with open_workspace.")
            yield self._engine

    def _choose_freshness(self, policy: str | None) -> "FreshnessPolicy":
        return check_choice("freshness", self._freshness if policy is None else policy, FRESHNESS_POLICIES)

    def _to_relative(self, path: StrPath | None) -> str | None:
        """Return a path relative to the root; an absolute path outside it stays as it is, and is not found."""
        if path is None or not os.path.isabs(path):
            return None if path is None else os.fspath(path)
        inner = os.path.relpath(os.path.realpath(path), self.root)
        return os.fspath(path) if inner.startswith("..") else Path(inner).as_posix()

    def _read_target(
        self, name: str | None, handle: str | None, path: StrPath | None, line: int | None
    ) -> SymbolTarget:
        file = self._to_relative(path)
        if line is not None and file is None:
            raise make_invalid_value("line", "dependentRequired", "a line needs its path")
        require_single(name=name, handle=handle, line=None if line is None else file)
        if name is not None:
            return SymbolTarget(name=check_text("name", name), path=file)
        return SymbolTarget(handle=handle) if handle is not None else SymbolTarget(path=file, line=line)

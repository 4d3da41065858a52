"""Shell completion: names of the project, from its index, its refs and the tables; no engine is built."""

import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from codecompass.agents.agent_table import AGENTS_BY_NAME
from codecompass.contract.tool import TOOLSETS
from codecompass.languages.registry import Registry
from codecompass.model.code.kinds import SECONDARY
from codecompass.model.ids import make_project_id
from codecompass.repo.git.repository import list_refs
from codecompass.repo.workspace import Workspace, open_workspace
from codecompass.store.embedded.embedded_store import EmbeddedStore
from codecompass.surfaces.cli.command_lines import TOOL_NAMES
from codecompass.surfaces.cli.completion.word_completion import NameLists, relate_paths
from codecompass.surfaces.cli.help.parser_sections import list_subcommands
from codecompass.surfaces.cli.parser import ArgumentParser

_MAX_ROWS = 2_000
_MAX_SYMBOLS = 100


class IndexedNames:
    """Lists names for completion. The index is opened when a name of it is first asked for, and never created."""

    def __init__(self, root: str, data_directory: Path) -> None:
        self._root = root
        self._data_directory = data_directory

    def list_symbols(self, prefix: str) -> Iterable[str]:
        """List names of definitions that begin with a prefix, whatever its case; none for an empty one."""
        if not prefix:
            return []
        with self._open_store() as (store, _), store.pin() as snapshot:
            rows = snapshot.find_symbols(prefix.casefold(), prefix=True, limit=_MAX_ROWS)
        # Headings and keys are no symbols that a command takes.
        return list(dict.fromkeys(row.name for row in rows if row.kind not in SECONDARY))[:_MAX_SYMBOLS]

    def list_paths(self, _: str) -> Iterable[str]:
        """List the indexed files of this working tree; if it is not indexed, those of another view."""
        with self._open_store() as (store, workspace), store.pin() as snapshot:
            views = sorted(snapshot.views(), key=lambda row: not row.name.endswith(workspace.worktree_key))
            found = [path for path, entry in snapshot.entries(views[0]).items() if entry.blob] if views else []
        return relate_paths(str(workspace.root), os.path.realpath(os.getcwd()), found)

    def list_refs(self, _: str) -> Iterable[str]:
        workspace = open_workspace(self._root)
        rows = list_refs(workspace.git) if workspace.git is not None else ()
        return ["live", *(row.name for row in rows)]

    @contextmanager
    def _open_store(self) -> Iterator[tuple[EmbeddedStore, Workspace]]:
        workspace = open_workspace(self._root)
        directory = self._data_directory / "projects" / make_project_id(workspace.project_key)
        if not (directory / "index.db").is_file():
            raise FileNotFoundError(directory)
        store = EmbeddedStore(directory)
        try:
            yield store, workspace
        finally:
            store.close()


def list_sources(parser: ArgumentParser, root: str, data_directory: Path) -> NameLists:
    """Return the sources of names for the project at a root."""
    names = IndexedNames(root, data_directory)
    return {
        "symbols": names.list_symbols,
        "paths": names.list_paths,
        "refs": names.list_refs,
        "tools": lambda _: sorted(TOOL_NAMES),
        "commands": lambda _: [name for name, _, _ in list_subcommands(parser)],
        "agents": lambda _: list(AGENTS_BY_NAME),
        "languages": lambda _: _list_languages(),
        "toolsets": lambda _: TOOLSETS,
    }


def _list_languages() -> list[str]:
    registry = Registry()
    return sorted(registry.display_name(name) for name in registry.languages)

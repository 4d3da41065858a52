""".NET project files: the implicit imports of the source files in and below a project directory."""

import re
from functools import cached_property

PROJECT_FILE = re.compile(r"\.[a-z]+proj$")
_USING = re.compile(r"<Using\s+([^>]*?)/?>")
_INCLUDE = re.compile(r'\bInclude\s*=\s*"([\w.]+)"')


class DotnetProjects:
    """The project files of one generation, read once; a source file belongs to the nearest one above it."""

    def __init__(self, texts: dict[str, str]) -> None:
        self._texts = texts

    @cached_property
    def _imports(self) -> dict[str, list[str]]:
        """Directory → namespaces that its project files import."""
        found: dict[str, list[str]] = {}
        for path, text in self._texts.items():
            if PROJECT_FILE.search(path) or path.endswith(".props"):
                names = [name for line in _USING.findall(text) for name in _INCLUDE.findall(line)]
                found.setdefault(path.rpartition("/")[0], []).extend(names)
        return found

    @cached_property
    def _project_directories(self) -> frozenset[str]:
        return frozenset(path.rpartition("/")[0] for path in self._texts if PROJECT_FILE.search(path))

    def list_imports(self, path: str) -> list[str]:
        """Return the namespaces that the project files import for a source file."""
        return list(dict.fromkeys(name for above in _list_ancestors(path) for name in self._imports.get(above, ())))

    def is_same_project(self, one: str, other: str) -> bool:
        """Return whether two files share a project; without project files, whether the second is below the first."""
        mine = next((above for above in _list_ancestors(one) if above in self._project_directories), None)
        if mine is None:
            directory = one.rpartition("/")[0]
            return not directory or other.startswith(directory + "/")
        return mine == next((above for above in _list_ancestors(other) if above in self._project_directories), None)


def _list_ancestors(path: str) -> list[str]:
    """Return the directories above a file, nearest first; the root is empty."""
    found = []
    while path:
        path = path.rpartition("/")[0]
        found.append(path)
    return found

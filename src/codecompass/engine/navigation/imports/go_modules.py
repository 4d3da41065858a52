"""Go modules: map import paths to directories of one repository through its go.mod files."""

import re
from functools import cached_property

_MODULE = re.compile(r'^\s*module\s+"?([^\s"/][^\s"]*)', re.MULTILINE)
_NAME = "go.mod"


class GoModules:
    """The Go modules of one generation, read once; a go.mod without a module line is ignored."""

    def __init__(self, directories: frozenset[str], texts: dict[str, str]) -> None:
        self._directories = directories
        self._texts = texts

    @cached_property
    def _roots(self) -> list[tuple[str, str]]:
        """(import path, directory) of every module, longest path first."""
        found = []
        for path, text in self._texts.items():
            above, _, name = path.rpartition("/")
            line = _MODULE.search(text) if name == _NAME else None
            if line:
                found.append((line.group(1), above))
        return sorted(found, key=lambda item: -len(item[0]))

    def find(self, module: str) -> list[str] | None:
        """Return the directory of an import path; None for an external module."""
        for prefix, above in self._roots:
            if module == prefix or module.startswith(prefix + "/"):
                place = "/".join(part for part in (above, module[len(prefix) + 1 :]) if part)
                if place in self._directories:
                    return [place + "/"]
        copied = [f"{above}/vendor/{module}".lstrip("/") for _, above in self._roots]
        for place in copied:
            if place in self._directories:
                return [place + "/"]
        inside = any(module == prefix or module.startswith(prefix + "/") for prefix, _ in self._roots)
        return [] if inside else None

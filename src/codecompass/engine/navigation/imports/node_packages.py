"""Node packages: resolve bare module names through package.json files and tsconfig path rules."""

import json
import re
from functools import cached_property
from typing import Any

_COMMENT = re.compile(r'("(?:\\.|[^"\\])*")|//[^\n]*|/\*.*?\*/', re.DOTALL)
_TRAILING_COMMA = re.compile(r",(\s*[}\]])")
_MAX_CONFIGS = 400
"""Maximum number of configuration files that are read."""


class NodePackages:
    """The packages of one generation, read once; a file that is not valid JSON is ignored."""

    extensions = (".ts", ".tsx", ".d.ts", ".mts", ".cts", ".js", ".jsx", ".mjs", ".cjs", ".vue", ".svelte")

    def __init__(self, files: frozenset[str], texts: dict[str, str]) -> None:
        self._files = files
        self._texts = texts

    def find_paths(self, path: str, module: str) -> list[str] | None:
        """Return candidate paths without extension for a bare module name, best first; None for an external package."""
        found = self._match_path_rules(path, module)
        for name, directory in self._packages:
            if module == name or module.startswith(name + "/"):
                below = module[len(name) :].strip("/")
                bases = [directory, join_path(directory, "src"), join_path(directory, "lib")]
                if below:
                    found += [join_path(base, below) for base in bases]
                else:
                    found += [*self._list_entry_points(directory), *bases]
                break
        return found or None

    def _match_path_rules(self, path: str, module: str) -> list[str]:
        """Apply the `paths` and `baseUrl` of the tsconfig files above a file, nearest first."""
        found = []
        for directory, base, rules in self._rules:
            if directory and not path.startswith(directory + "/"):
                continue
            for pattern, targets in rules.items():
                head, star, tail = pattern.partition("*")
                if module != pattern if not star else not (module.startswith(head) and module.endswith(tail)):
                    continue
                middle = module[len(head) : len(module) - len(tail) if tail else None] if star else ""
                found += [join_path(base, target.replace("*", middle)) for target in targets]
            place = join_path(base, module)
            if any(place + end in self._files or f"{place}/index{end}" in self._files for end in self.extensions):
                found.append(place)
        return found

    @cached_property
    def _packages(self) -> list[tuple[str, str]]:
        """(package name, directory), longest name first."""
        found = []
        for path in self._find_configs("package.json"):
            data = self._parse_json(path)
            name = data.get("name")
            if isinstance(name, str) and name:
                found.append((name, path.rpartition("/")[0]))
        return sorted(found, key=lambda item: (-len(item[0]), len(item[1])))

    def _list_entry_points(self, directory: str) -> list[str]:
        """Return the entry points of a package.json, mapped back to source paths."""
        data = self._parse_json(f"{directory}/package.json".lstrip("/"))
        named = [data.get(key) for key in ("source", "types", "typings", "module", "main")]
        found = []
        for entry in named:
            if isinstance(entry, str):
                plain = re.sub(r"(?:\.d)?\.[cm]?[jt]sx?$", "", entry.removeprefix("./"))
                inner = re.sub(r"^(?:dist|lib|build|out|esm|cjs)/", "src/", plain)
                found += [join_path(directory, plain), join_path(directory, inner)]
        return [*found, join_path(directory, "index"), join_path(directory, "src/index")]

    @cached_property
    def _rules(self) -> list[tuple[str, str, dict[str, list[str]]]]:
        """(directory of the file, base directory, patterns), nearest directory first."""
        found = []
        names = [path for path in self._texts if re.search(r"(?:^|/)[jt]sconfig[\w.-]*\.json$", path)]
        for path in sorted(names)[:_MAX_CONFIGS]:
            options = self._parse_json(path).get("compilerOptions")
            if not isinstance(options, dict):
                continue
            directory = path.rpartition("/")[0]
            base = options.get("baseUrl")
            paths = options.get("paths")
            rules = {
                str(key): [str(item) for item in value]
                for key, value in (paths.items() if isinstance(paths, dict) else ())
                if isinstance(value, list)
            }
            if rules or isinstance(base, str):
                found.append((directory, join_path(directory, base if isinstance(base, str) else ""), rules))
        return sorted(found, key=lambda item: -len(item[0]))

    def _find_configs(self, name: str) -> list[str]:
        return sorted(path for path in self._texts if path == name or path.endswith("/" + name))[:_MAX_CONFIGS]

    def _parse_json(self, path: str) -> dict[str, Any]:
        text = self._texts.get(path)
        if text is None:
            return {}
        try:
            data = json.loads(_TRAILING_COMMA.sub(r"\1", _COMMENT.sub(lambda match: match[1] or "", text)))
        except (ValueError, RecursionError):
            return {}
        return data if isinstance(data, dict) else {}


def join_path(directory: str, relative: str) -> str:
    """Join a relative path to a directory and normalise it; the result never leaves the root."""
    parts = directory.split("/") if directory else []
    for part in relative.split("/"):
        if part == ".." and parts:
            parts.pop()
        elif part not in ("", ".", ".."):
            parts.append(part)
    return "/".join(parts)

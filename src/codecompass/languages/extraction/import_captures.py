"""Import captures: one Import for each imported name, from the captures `import.*` of a language's query."""

from tree_sitter import Node

from codecompass.languages.language_spec import LanguageSpec
from codecompass.model.code.facts import Import


def read_imports(spec: LanguageSpec, matches: list[dict[str, list[Node]]], source: bytes) -> tuple[Import, ...]:
    """Return one Import for each imported name; quotes around a module (`"./x"`, `<stdio.h>`) are removed."""
    found: dict[tuple[int, str, str, str], Import] = {}
    implied: set[str] = set()
    whole = {captures["import"][0].start_byte for captures in matches if "import.whole" in captures}
    for captures in matches:
        if "import.name" in captures and captures["import"][0].start_byte in whole:
            continue
        line = captures["import"][0].start_point.row + 1
        parts = captures.get("import.module", ())
        parts = parts if spec.space_joint else parts[:1]
        module = spec.space_joint.join(_decode(source, node) for node in parts).strip("\"'`")
        if "import.module.end" in captures:
            first, last = captures["import.module"][0], captures["import.module.end"][0]
            module = source[first.start_byte : last.end_byte].decode("utf-8", "replace")
        module = module.strip("<>") if module.startswith("<") else module
        if "import.implied" in captures:
            if module in implied:
                continue
            implied.add(module)
        for node in captures.get("import.default", ()):
            alias = _decode(source, node)
            found.setdefault((line, module, "default", alias), Import(module, "default", alias, line))
        names = [word for node in captures.get("import.name", ()) for word in _decode(source, node).split()]
        names = names or ["*" if "import.star" in captures else ""]
        aliases = [_decode(source, node) for node in captures.get("import.alias", ())]
        prefix = _read_import_prefix(spec, captures["import"][0], source) if spec.import_prefix else []
        for position, name in enumerate(names):
            alias = aliases[position] if len(aliases) == len(names) else ""
            origin, name = _split_import_target(spec, [*prefix, module], name)
            found.setdefault((line, origin, name, alias), Import(origin, name.strip("\"'`:"), alias, line))
    return _drop_duplicates(list(found.values()))


def _read_import_prefix(spec: LanguageSpec, node: Node, source: bytes) -> list[str]:
    """Return the path prefixes of the enclosing import lists, outermost first."""
    parts: list[str] = []
    above = node.parent
    while above is not None:
        path = above.child_by_field_name(spec.import_prefix.get(above.type, ""))
        if path is not None:
            parts.insert(0, _decode(source, path))
        above = above.parent
    return parts


def _split_import_target(spec: LanguageSpec, path: list[str], name: str) -> tuple[str, str]:
    """Return (module, name); a bare name is a module, and the keyword for the module itself becomes its last part."""
    module = path[0] if len(path) == 1 else spec.separator.join(part for part in path if part)
    if not spec.import_prefix and not (spec.split_imports and not name):
        return module, name
    if name == spec.import_self and module:
        module, _, name = module.rpartition(spec.separator)
    return (module, name) if module else (name, "")


def _drop_duplicates(imports: list[Import]) -> tuple[Import, ...]:
    """Drop an import without an alias if the same import has one: two patterns may match the same name."""
    aliased = {(item.line, item.module, item.name) for item in imports if item.alias}
    named = {(item.line, item.module) for item in imports if item.name}
    kept = [
        item
        for item in imports
        if (item.alias or (item.line, item.module, item.name) not in aliased)
        and (item.name or item.alias or (item.line, item.module) not in named)
    ]
    return tuple(sorted(kept, key=lambda item: item.line))


def _decode(source: bytes, node: Node) -> str:
    return source[node.start_byte : node.end_byte].decode("utf-8", "replace")

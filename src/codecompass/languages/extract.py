"""The one extractor: a syntax tree and the captures of a language's query become Facts.

Capture names are the whole interface between a language's data and this code:

    definition.<kind>  the node of a definition           name      its name, up to `name.end` where that is captured
    body               where its signature ends           scope     a scope written elsewhere (receiver, impl, A::b)
    modifier           words that decide visibility       reference.<role>  the name that is mentioned
    import             an import statement                import.module / import.name / import.alias  its parts
    comment, doc       prose                              package   the package the file declares
    exported           a name some other line makes public import.default  the local name of a module's default export
    visibility.<word>  the visibility of the definition, said outright by the pattern
    hoist              the definition counts to what is around the enclosing one (a parameter that is a field)
    binding.name       a name (binding.member: a member of the type around) whose value is of binding.type, is
                       binding.value, or an item of binding.item; binding.returns and binding.result speak of what
                       the function around gives
    holder             the type whose member the reference of the same pattern is (the fields in `Point { x: 1 }`)

When two patterns give the same name the earlier pattern of the file wins. The kind and the role `none` claim a name
without saying anything of it.
"""

from dataclasses import dataclass, field

from tree_sitter import Node, QueryCursor, Tree

from codecompass.languages.mentions import Mentions, Roles, bound_names, find_bindings, find_names, known_bare_names
from codecompass.languages.nesting import Nesting
from codecompass.languages.registry import Language
from codecompass.languages.shape import (
    Sections,
    Site,
    doc_text,
    outer_node,
    read_visibility,
    says_const,
    signature_text,
    wrapper_table,
)
from codecompass.languages.spec import LanguageSpec
from codecompass.languages.wrapped import open_macros
from codecompass.model.code import ROLES, Comment, Definition, Facts, Import

MAX_DEFINITIONS = 20_000
_FUNCTIONS = frozenset({"fn", "method"})
_WEAK = 1_000_000
"""Added to the pattern of a `read`: every role that says more wins, wherever its pattern stands."""
_REFERENCES = {f"reference.{role}": role for role in (*ROLES, "none")}


@dataclass(slots=True)
class _Raw:
    """What one pass over the matches collects, before nesting is known."""

    definitions: dict[int, tuple[int, str, Node, dict[str, list[Node]]]] = field(default_factory=dict)
    references: Roles = field(default_factory=dict)
    holders: dict[int, tuple[int, Node]] = field(default_factory=dict)
    bindings: list[dict[str, list[Node]]] = field(default_factory=list)
    imports: list[dict[str, list[Node]]] = field(default_factory=list)
    comments: list[tuple[bool, Node]] = field(default_factory=list)
    exported: set[str] = field(default_factory=set)
    package: str = ""
    wrappers: list[Node] = field(default_factory=list)


def extract(language: Language, source: bytes) -> Facts:
    """Parse one blob. Never fails on bad source: what cannot be parsed is counted in `parse_errors`."""
    if not source.isascii():
        # Predicates of the queries read names as UTF-8; bad bytes must be gone before.
        source = source.decode("utf-8", "replace").encode()
    tree, opened = open_macros(language, source, language.parser.parse(source))
    raw = _collect(language, tree, source)
    raw.references.update((node.start_byte, (0, "call", node)) for node in opened)
    lines = _LineTable(source)
    definitions = _definitions(language.spec, raw, source)
    nesting = Nesting(definitions, language.spec.methods_in)
    imports = _imports(language.spec, raw, source)
    names = find_names(language, tree)
    # A name that is passed on from elsewhere is both defined here and used.
    defined = {at for at, found in raw.definitions.items() if found[1] not in ("none", "use")}
    bound = bound_names(language.spec, names, nesting, imports, source, defined)
    mentions = Mentions(language, source, nesting, bound, lines.starts)
    known = known_bare_names(language.spec, nesting, imports)
    return Facts(
        language=language.spec.report_as or language.spec.name,
        line_count=len(lines.starts),
        definitions=definitions,
        references=mentions.collect(raw.references, raw.holders, defined, names, known),
        imports=imports,
        comments=_comments(raw),
        chunks=(),
        parse_errors=_count_errors(tree) if tree.root_node.has_error else 0,
        notes=(),
        package=raw.package,
        bindings=find_bindings(raw.bindings, nesting, source, mentions, names),
    )


class _LineTable:
    """Where each line starts: cheaper than asking the tree for the row of each of many points."""

    def __init__(self, source: bytes) -> None:
        self.starts = [0]
        find = source.find
        at = find(b"\n")
        while at >= 0:
            self.starts.append(at + 1)
            at = find(b"\n", at + 1)
        if len(self.starts) > 1 and self.starts[-1] == len(source):
            self.starts.pop()


def _collect(language: Language, tree: Tree, source: bytes) -> _Raw:
    raw = _Raw()
    references = raw.references
    for pattern, captures in QueryCursor(language.query).matches(tree.root_node):
        for label, nodes in captures.items():
            if label in _REFERENCES:
                role = _REFERENCES[label]
                rank = pattern + _WEAK if role == "read" else pattern
                for node in nodes:
                    at = node.start_byte
                    known = references.get(at)
                    if known is None or rank < known[0]:
                        references[at] = (rank, role, node)
            else:
                _take(raw, label, nodes, pattern, captures, source)
    return raw


def _take(
    raw: _Raw, label: str, nodes: list[Node], pattern: int, captures: dict[str, list[Node]], source: bytes
) -> None:
    """Keep one capture that is no reference."""
    group, _, detail = label.partition(".")
    if group == "definition":
        names = captures.get("name")
        key = names[0].start_byte if names else nodes[0].start_byte
        found = raw.definitions.get(key)
        if found is None or pattern < found[0]:
            raw.definitions[key] = (pattern, detail, nodes[0], captures)
    elif label == "import":
        raw.imports.append(captures)
    elif label in ("comment", "doc"):
        raw.comments.extend((label == "doc", node) for node in nodes)
    elif label == "wrapper":
        raw.wrappers.extend(nodes)
    elif label == "package":
        raw.package = _text(source, nodes[0])
    elif group == "binding":
        if not raw.bindings or raw.bindings[-1] is not captures:  # one match has several such captures
            raw.bindings.append(captures)
    elif label == "holder":
        _hold(raw, nodes[0], pattern, captures)
    elif label == "exported":
        raw.exported.update(_text(source, node) for node in nodes)


def _hold(raw: _Raw, holder: Node, pattern: int, captures: dict[str, list[Node]]) -> None:
    for label in captures.keys() & _REFERENCES.keys():
        for node in captures[label]:
            held = raw.holders.get(node.start_byte)
            if held is None or pattern < held[0]:
                raw.holders[node.start_byte] = (pattern, holder)


def _text(source: bytes, node: Node) -> str:
    return source[node.start_byte : node.end_byte].decode("utf-8", "replace")


def _definitions(spec: LanguageSpec, raw: _Raw, source: bytes) -> tuple[Definition, ...]:
    """Definitions in source order with their nesting: a stack of open ranges gives each its parent."""
    sites = []
    memo: dict[int, Sections] = {}
    wrappers = wrapper_table(raw.wrappers)
    for _, kind, node, captures in raw.definitions.values():
        names = captures.get("name")
        if kind != "none" and names and names[0].end_byte > names[0].start_byte:
            sites.append(Site(spec, source, kind, node, outer_node(wrappers, node), names[0], captures, memo))
    sites.sort(key=lambda site: (site.outer.start_byte, -site.outer.end_byte, site.name.start_byte))
    found: list[Definition] = []
    outside: list[int] = []
    open_ranges: list[tuple[int, int]] = []
    before = (-1, -1)
    for site in sites[:MAX_DEFINITIONS]:
        span = (site.outer.start_byte, site.outer.end_byte)
        while open_ranges and open_ranges[-1][0] <= span[0]:
            open_ranges.pop()
        # Names of one statement (`a, b = 1, 2`) stand beside each other, and the first holds what is inside.
        twin = span == before
        parent = found[-1].parent if twin else next((at for end, at in reversed(open_ranges) if end >= span[1]), -1)
        if site.kind in spec.not_local and parent >= 0 and found[parent].kind in _FUNCTIONS:
            continue
        before = span
        found.append(_definition(site, found, parent, raw.exported))
        if spec.visibility.sections and "scope" in site.captures:
            outside.append(len(found) - 1)
        if not twin:
            open_ranges.append((span[1], len(found) - 1))
    if outside:
        _as_declared(found, outside)
    return tuple(found)


def _name(site: Site) -> tuple[str, int]:
    """The name and how many bytes of its first node are no part of it."""
    last = site.captures.get("name.end")
    if last:
        text = site.source[site.name.start_byte : last[0].end_byte].decode("utf-8", "replace")
        return " ".join(text.split()), 0
    text = _text(site.source, site.name)
    bare = text.lstrip(site.spec.name_prefix) if site.spec.name_prefix else text
    return bare, len(text) - len(bare)


def _as_declared(found: list[Definition], outside: list[int]) -> None:
    """A member defined outside its container is as visible as the declaration inside says."""
    inside = {(item.scope, item.name): item.visibility for item in found if item.parent >= 0 and item.kind == "method"}
    for at in outside:
        item = found[at]
        found[at] = item._replace(visibility=inside.get((item.scope, item.name), item.visibility))


def _definition(site: Site, found: list[Definition], parent: int, exported: set[str]) -> Definition:
    spec, outer = site.spec, site.outer
    around = found[parent] if parent >= 0 else None
    kind, (name, skipped) = site.kind, _name(site)
    if kind == "fn" and ((around and around.kind in spec.methods_in) or "scope" in site.captures):
        kind = "method"
    if kind == "var" and ((spec.upper_const and name.isupper()) or (spec.const_by and says_const(site))):
        kind = "const"
    scope_nodes = site.captures.get("scope")
    scope = spec.separator.join(_text(site.source, node) for node in scope_nodes) if scope_nodes else ""
    if around:
        inside = "" if "hoist" in site.captures else around.name
        scope = spec.separator.join(part for part in (around.scope, inside, scope) if part)
    end = outer.end_point
    # A node that ends at column 0 ends with the line break of the line before.
    line_end = end.row + 1 if end.column or end.row == outer.start_point.row else end.row
    return Definition(
        kind=kind,
        name=name,
        scope=scope,
        parent=parent,
        line_start=outer.start_point.row + 1,
        line_end=line_end,
        byte_start=outer.start_byte,
        byte_end=outer.end_byte,
        name_line=site.name.start_point.row + 1,
        name_col=site.name.start_point.column + skipped,
        signature=signature_text(site),
        visibility="public" if parent < 0 and name in exported else read_visibility(site, around),
        doc=doc_text(site),
        decorators=site.decorators(),
    )


def _imports(spec: LanguageSpec, raw: _Raw, source: bytes) -> tuple[Import, ...]:
    """One Import per imported name; quotes around a module (`"./x"`, `<stdio.h>`) are not part of it."""
    found: dict[tuple[int, str, str, str], Import] = {}
    for captures in raw.imports:
        line = captures["import"][0].start_point.row + 1
        module = "".join(_text(source, node) for node in captures.get("import.module", ())[:1]).strip("\"'`")
        module = module.strip("<>") if module.startswith("<") else module
        for node in captures.get("import.default", ()):
            alias = _text(source, node)
            found.setdefault((line, module, "default", alias), Import(module, "default", alias, line))
        names = [_text(source, node) for node in captures.get("import.name", ())] or [""]
        aliases = [_text(source, node) for node in captures.get("import.alias", ())]
        prefix = _import_prefix(spec, captures["import"][0], source) if spec.import_prefix else []
        for position, name in enumerate(names):
            alias = aliases[position] if len(aliases) == len(names) else ""
            origin, name = _import_target(spec, [*prefix, module], name) if spec.import_prefix else (module, name)
            found.setdefault((line, origin, name, alias), Import(origin, name.strip("\"'`:"), alias, line))
    return _without_shadows(list(found.values()))


def _import_prefix(spec: LanguageSpec, node: Node, source: bytes) -> list[str]:
    """The paths that the lists around an import put before its own, outermost first."""
    parts: list[str] = []
    above = node.parent
    while above is not None:
        path = above.child_by_field_name(spec.import_prefix.get(above.type, ""))
        if path is not None:
            parts.insert(0, _text(source, path))
        above = above.parent
    return parts


def _import_target(spec: LanguageSpec, path: list[str], name: str) -> tuple[str, str]:
    """Module and name; a bare name is a module, and the word for the module itself gives way to its last part."""
    module = spec.separator.join(part for part in path if part)
    if name == spec.import_self and module:
        module, _, name = module.rpartition(spec.separator)
    return (module, name) if module else (name, "")


def _without_shadows(imports: list[Import]) -> tuple[Import, ...]:
    """Drop an alias-less twin of an aliased import: two patterns of a query may see the same name."""
    aliased = {(item.line, item.module, item.name) for item in imports if item.alias}
    named = {(item.line, item.module) for item in imports if item.name}
    kept = [
        item
        for item in imports
        if (item.alias or (item.line, item.module, item.name) not in aliased)
        and (item.name or item.alias or (item.line, item.module) not in named)
    ]
    return tuple(sorted(kept, key=lambda item: item.line))


def _comments(raw: _Raw) -> tuple[Comment, ...]:
    spans: dict[int, Comment] = {}
    for is_doc, node in raw.comments:
        first, last = node.start_point, node.end_point
        line_end = last.row + 1 if last.column else max(last.row, first.row + 1)
        known = spans.get(node.start_byte)
        is_doc = is_doc or bool(known and known.is_doc)
        spans[node.start_byte] = Comment(is_doc, first.row + 1, line_end, node.start_byte, node.end_byte)
    return tuple(spans[at] for at in sorted(spans))


def _count_errors(tree: Tree) -> int:
    """Error and missing nodes, counted with a cursor: recursion would not survive deep nesting."""
    count, cursor, visited = 0, tree.walk(), 0
    while visited < 50_000:
        visited += 1
        node = cursor.node
        if node is None:
            break
        if node.is_error or node.is_missing:
            count += 1
        if node.has_error and not node.is_error and cursor.goto_first_child():
            continue
        while not cursor.goto_next_sibling():
            if not cursor.goto_parent():
                return max(count, 1)
    return max(count, 1)

"""Extractor: builds Facts from a syntax tree and the captures of a language's query.

Capture names are the interface between a language's data and this code:

    definition.<kind>  the node of a definition           name      its name, up to `name.end` where that is captured
    lead, tail         its first and last node, if no node contains the whole
    body               where its signature ends           scope     a scope written elsewhere (receiver, impl, A::b)
    modifier           words that decide visibility       reference.<role>  the referenced name
    import             an import statement                import.module / import.name / import.alias  its parts
    import.module.end  the last part of a module name without a common node
    package.part       one of several clauses that form the package
    import.star        the import binds all names of its module, without explicit syntax
    import.implied     a module that is used without an import statement; the first use counts
    import.whole       the import binds the whole module, although it lists names
    comment, doc       prose                              package   the package the file declares
    exported           a name that another line exports    import.default  the local name of a module's default export
    exported.member    an exported member                   exported.all    a type that is exported with its members
    visibility.<word>  the visibility of the definition, given by the pattern
    hoist              the definition belongs to the parent of the enclosing one (a parameter that is a field)
    binding.name       a name (binding.member: a member of the enclosing type) with the type binding.type, the value
                       binding.value, an item of binding.item, the member of that name of binding.part, or a type
                       test for binding.test; binding.returns and binding.result describe the return value of the
                       enclosing function, binding.module the value the file exports, binding.receiver the receiver
                       type of the enclosing function; binding.doubt is an unknown value, kept if another value of
                       the name is known
    level.<number>     the level of a heading: its definition extends to the next heading that is not deeper
    level.seen         the underline of a heading (`overline` the line above it), whose character gives the level, in
                       the order of first use
    links              prose whose links, by the pattern of the language, are imports of other files; links.none are
                       parts of it that are not prose
    embed              text in another language: see `embedded_languages.py`
    holder             the type that has the referenced member of the same pattern (the fields in `Point { x: 1 }`)

If two patterns capture the same name, the earlier pattern of the file wins. The kind and the role `none` claim a name
without producing anything.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

from tree_sitter import Node, QueryCursor, Tree

from codecompass.languages.extraction.bindings import find_bindings
from codecompass.languages.extraction.definition_assembly import assemble_definitions
from codecompass.languages.extraction.definition_traits import find_traits
from codecompass.languages.extraction.doc_types import add_documented_types
from codecompass.languages.extraction.import_captures import read_imports
from codecompass.languages.extraction.mentions import (
    ReferenceCollector,
    RoleCaptures,
    find_bound_names,
    find_names,
    find_visible_names,
)
from codecompass.languages.extraction.nesting import Nesting
from codecompass.languages.extraction.signatures import (
    AccessSections,
    DefinitionSite,
    build_signature,
    find_outer_node,
    is_const,
    map_wrappers,
    read_documentation,
)
from codecompass.languages.extraction.trait_builder import TraitSource
from codecompass.languages.extraction.visibility import read_visibility
from codecompass.languages.formats.grammar_fixups import parse_with_fixups
from codecompass.languages.formats.item_macros import expand_item_macros
from codecompass.languages.formats.parse_errors import find_parse_errors
from codecompass.languages.formats.sections import find_links, get_heading_level, nest_sections
from codecompass.languages.formats.statements import add_unparsed_statements, parse_statements
from codecompass.languages.language_spec import LanguageSpec
from codecompass.languages.registry import Language
from codecompass.languages.taint.risk_finder import ParsedSource, find_risks
from codecompass.model.code.facts import REFERENCE_ROLES, Comment, Definition, Facts
from codecompass.model.code.traits import Analysis

_FUNCTIONS = frozenset({"fn", "method"})
_READ_PENALTY = 1_000_000
"""Added to the pattern index of a `read`, so that every more specific role wins."""
QueryMatch = tuple[int, dict[str, list[Node]]]
_REFERENCES = {f"reference.{role}": role for role in (*REFERENCE_ROLES, "none")}


@dataclass(slots=True)
class _CollectedCaptures:
    """Captures collected in one pass over the matches, before nesting is known."""

    most: int
    definitions: dict[int, tuple[int, str, Node, dict[str, list[Node]]]] = field(default_factory=dict)
    references: RoleCaptures = field(default_factory=dict)
    holders: dict[int, tuple[int, Node]] = field(default_factory=dict)
    bindings: list[dict[str, list[Node]]] = field(default_factory=list)
    imports: list[dict[str, list[Node]]] = field(default_factory=list)
    comments: list[tuple[bool, Node]] = field(default_factory=list)
    exported: set[str] = field(default_factory=set)
    package: str = ""
    wrappers: list[Node] = field(default_factory=list)
    levels: dict[tuple[int, int], int] = field(default_factory=dict)
    links: list[Node] = field(default_factory=list)
    linkless: list[Node] = field(default_factory=list)


def extract(language: Language, source: bytes) -> Facts:
    """Parse one blob and extract its facts. Never fails on bad source: errors are counted in `parse_errors`."""
    source = clean_utf8(source)
    if language.line_reader is not None:
        return language.line_reader.read(source)
    if language.spec.statements:
        return _extract_statements(language, source)
    tree, opened = expand_item_macros(language, source, parse_with_fixups(language, source))
    return extract_tree(language, source, tree, opened)


def _extract_statements(language: Language, source: bytes) -> Facts:
    reading, lines = parse_statements(language, source), LineTable(source)
    facts = extract_tree(language, source, reading.tree, (), lines)
    return add_unparsed_statements(language, facts, source, reading.broken, lines.starts) if reading.broken else facts


def clean_utf8(source: bytes) -> bytes:
    """Replace invalid UTF-8, because query predicates require valid UTF-8."""
    return source if source.isascii() else source.decode("utf-8", "replace").encode()


def extract_tree(
    language: Language,
    source: bytes,
    tree: Tree,
    opened: Sequence[Node] = (),
    lines: "LineTable | None" = None,
    embeds: list[QueryMatch] | None = None,
) -> Facts:
    """Extract the facts of a parsed tree; `opened` are names of macros whose contents were parsed as code.

    Matches for text in other languages are added to `embeds`.
    """
    raw = _collect_captures(language, tree, source, embeds)
    raw.references.update((node.start_byte, (0, "call", node)) for node in opened)
    lines = lines or LineTable(source)
    definitions = assemble_definitions(
        language.spec, _build_definitions(language.spec, raw, source), raw.exported, raw.package, source
    )
    if raw.levels:
        definitions = nest_sections(definitions, raw.levels, language.spec.separator, lines.starts, tree)
    nesting = Nesting(definitions, language.spec.methods_in)
    imports = read_imports(language.spec, raw.imports, source)
    if raw.links:
        imports += find_links(language.links, raw.links, raw.linkless, source)
    names = find_names(language, tree)
    # A re-exported name is both a definition and a reference.
    defined = {at for at, found in raw.definitions.items() if found[1] not in ("none", "use")}
    bound = find_bound_names(language.spec, names, nesting, imports, source, defined)
    mentions = ReferenceCollector(language, source, nesting, bound, lines.starts)
    known = find_visible_names(language.spec, nesting, imports)
    references = mentions.collect(raw.references, raw.holders, defined, names, known)
    found = find_bindings(raw.bindings, nesting, source, mentions, names)
    faults, fault_count = find_parse_errors(tree, source)
    claimed = names.silent.union(defined, [at for at, (_, role, _) in raw.references.items() if role != "read"])
    traits = find_traits(TraitSource(language.spec, source, nesting, names.captures, references, imports, claimed))
    file = ParsedSource(language, source, tree, nesting, imports, references, lines.starts, names.every)
    return Facts(
        language=language.spec.report_as or language.spec.name,
        line_count=len(lines.starts),
        definitions=definitions,
        references=references,
        imports=imports,
        comments=_build_comments(raw),
        chunks=(),
        parse_errors=fault_count,
        notes=(),
        package=raw.package,
        bindings=add_documented_types(language.spec, nesting, found, raw.comments, source),
        insight=Analysis(traits, faults, find_risks(file)),
    )


class LineTable:
    """Offsets of line starts: cheaper than asking the tree for the row of many points."""

    def __init__(self, source: bytes) -> None:
        self.starts = [0]
        find = source.find
        at = find(b"\n")
        while at >= 0:
            self.starts.append(at + 1)
            at = find(b"\n", at + 1)
        if len(self.starts) > 1 and self.starts[-1] == len(source):
            self.starts.pop()


def _collect_captures(
    language: Language, tree: Tree, source: bytes, embeds: list[QueryMatch] | None
) -> _CollectedCaptures:
    raw = _CollectedCaptures(language.spec.most_definitions)
    references = raw.references
    cursor = QueryCursor(language.query)
    if language.spec.query_depth >= 0:
        cursor.set_max_start_depth(language.spec.query_depth)
    for pattern, captures in cursor.matches(tree.root_node):
        for label, nodes in captures.items():
            if label in _REFERENCES:
                role = _REFERENCES[label]
                rank = pattern + _READ_PENALTY if role == "read" else pattern
                for node in nodes:
                    at = node.start_byte
                    known = references.get(at)
                    if known is None or rank < known[0]:
                        references[at] = (rank, role, node)
            elif label == "embed":
                if embeds is not None:
                    embeds.append((pattern, captures))
            else:
                _store_capture(raw, label, nodes, pattern, captures, source)
    return raw


def _store_capture(
    raw: _CollectedCaptures, label: str, nodes: list[Node], pattern: int, captures: dict[str, list[Node]], source: bytes
) -> None:
    """Store one capture that is not a reference."""
    group, _, detail = label.partition(".")
    if group == "definition":
        names = captures.get("name")
        key = names[0].start_byte if names else nodes[0].start_byte
        found = raw.definitions.get(key)
        if (found is None and len(raw.definitions) < raw.most) or (found and pattern < found[0]):
            raw.definitions[key] = (pattern, detail, nodes[0], captures)
    elif label == "import":
        raw.imports.append(captures)
    elif label in ("comment", "doc"):
        raw.comments.extend((label == "doc", node) for node in nodes)
    elif label == "wrapper":
        raw.wrappers.extend(nodes)
    elif label == "package":
        raw.package = _decode(source, nodes[0])
    elif label == "package.part":
        raw.package = f"{raw.package}.{_decode(source, nodes[0])}".lstrip(".")
    elif group == "binding":
        if not raw.bindings or raw.bindings[-1] is not captures:  # one match may have several of these captures
            raw.bindings.append(captures)
    elif label == "holder":
        _store_holder(raw, nodes[0], pattern, captures)
    elif group == "exported":
        raw.exported.update(_decode(source, node) + (f":{detail}" if detail else "") for node in nodes)
    else:
        _store_prose_capture(raw, label, nodes, captures, source)


def _store_prose_capture(
    raw: _CollectedCaptures, label: str, nodes: list[Node], captures: dict[str, list[Node]], source: bytes
) -> None:
    group, _, detail = label.partition(".")
    if group == "level":
        name = captures["name"][0].start_point
        raw.levels[(name.row + 1, name.column)] = get_heading_level(detail, nodes[0], "overline" in captures, source)
    elif group == "links":
        (raw.linkless if detail else raw.links).extend(nodes)


def _store_holder(raw: _CollectedCaptures, holder: Node, pattern: int, captures: dict[str, list[Node]]) -> None:
    for label in _REFERENCES.keys() & captures.keys():
        for node in captures[label]:
            held = raw.holders.get(node.start_byte)
            if held is None or pattern < held[0]:
                raw.holders[node.start_byte] = (pattern, holder)


def _decode(source: bytes, node: Node) -> str:
    return source[node.start_byte : node.end_byte].decode("utf-8", "replace")


def _build_definitions(spec: LanguageSpec, raw: _CollectedCaptures, source: bytes) -> tuple[Definition, ...]:
    """Build the definitions in source order; a stack of open ranges gives each its parent."""
    sites = []
    memo: dict[int, AccessSections] = {}
    wrappers = map_wrappers(raw.wrappers)
    for _, kind, node, captures in raw.definitions.values():
        names = captures.get("name")
        if kind != "none" and names and names[0].end_byte > names[0].start_byte:
            sites.append(
                DefinitionSite(spec, source, kind, node, find_outer_node(wrappers, node), names[0], captures, memo)
            )
    sites.sort(key=lambda site: (site.first.start_byte, -site.last.end_byte, site.name.start_byte))
    found: list[Definition] = []
    outside: list[int] = []
    open_ranges: list[tuple[int, int]] = []
    before = (-1, -1)
    known: set[tuple[int, str, str]] = set()
    for site in sites[: spec.most_definitions]:
        span = (site.first.start_byte, site.last.end_byte)
        while open_ranges and open_ranges[-1][0] <= span[0]:
            open_ranges.pop()
        # Names of one statement (`a, b = 1, 2`) are siblings, and the first contains what is inside.
        twin = span == before
        parent = found[-1].parent if twin else next((at for end, at in reversed(open_ranges) if end >= span[1]), -1)
        if site.kind in spec.not_local and parent >= 0 and found[parent].kind in _FUNCTIONS:
            continue
        item = _build_definition(site, found, parent, raw.exported)
        if item.kind in spec.first_only:
            if (parent, item.scope, item.name) in known:
                del raw.definitions[site.name.start_byte]
                continue
            known.add((parent, item.scope, item.name))
        before = span
        found.append(item)
        if spec.visibility.sections and "scope" in site.captures:
            outside.append(len(found) - 1)
        if not twin:
            open_ranges.append((span[1], len(found) - 1))
    if outside:
        _apply_declared_visibility(found, outside)
    return tuple(found)


def _read_name(site: DefinitionSite) -> tuple[str, int]:
    """Return the name, and the number of leading bytes of its node that do not belong to it."""
    last = site.captures.get("name.end")
    if last:
        text = site.source[site.name.start_byte : last[0].end_byte].decode("utf-8", "replace")
        return " ".join(text.split()), 0
    text = _decode(site.source, site.name)
    around = site.spec.name_quotes if site.kind != "section" else ""
    bare = text.lstrip(site.spec.name_prefix + around) if around or site.spec.name_prefix else text
    skipped = len(text) - len(bare)
    bare = (bare.rstrip(around) or text) if around else bare
    if site.spec.name_until:
        head, _, rest = bare.partition(site.spec.name_until)
        bare = bare if rest and _is_title(bare) else head
    return bare, skipped


def _is_title(name: str) -> bool:
    """Whether a name is a sentence (of a test), in which separators are plain punctuation."""
    return " " in name.strip()


def _apply_declared_visibility(found: list[Definition], outside: list[int]) -> None:
    """Give members defined outside their container the visibility of the declaration inside."""
    inside = {(item.scope, item.name): item.visibility for item in found if item.parent >= 0 and item.kind == "method"}
    for at in outside:
        item = found[at]
        found[at] = item._replace(visibility=inside.get((item.scope, item.name), item.visibility))


def _build_definition(site: DefinitionSite, found: list[Definition], parent: int, exported: set[str]) -> Definition:
    spec, first, last = site.spec, site.first, site.last
    around = found[parent] if parent >= 0 else None
    kind, (name, skipped) = site.kind, _read_name(site)
    written = "scope" in site.captures and not spec.scoped_functions
    if kind == "fn" and (written or (around and around.kind in spec.methods_in)):
        kind = "method"
    if kind == "var" and ((spec.upper_const and name.isupper()) or (spec.const_by and is_const(site))):
        kind = "const"
    scope_nodes = site.captures.get("scope")
    scope = spec.separator.join(_decode(site.source, node) for node in scope_nodes) if scope_nodes else ""
    if spec.name_paths and spec.separator in name and not name.endswith(spec.separator) and not _is_title(name):
        scope, _, name = name.rpartition(spec.separator)
        skipped += len(scope) + len(spec.separator)
    if around:
        inside = "" if "hoist" in site.captures else around.name
        scope = spec.separator.join(part for part in (around.scope, inside, scope) if part)
    end = last.end_point
    # A node that ends at column 0 ends with the line break of the previous line.
    line_end = end.row + 1 if end.column or end.row == first.start_point.row else end.row
    return Definition(
        kind=kind,
        name=name,
        scope=scope,
        parent=parent,
        line_start=first.start_point.row + 1,
        line_end=line_end,
        byte_start=first.start_byte,
        byte_end=last.end_byte,
        name_line=site.name.start_point.row + 1,
        name_col=site.name.start_point.column + skipped,
        signature=build_signature(site),
        visibility="public" if parent < 0 and name in exported else read_visibility(site, around),
        doc=read_documentation(site),
        decorators=site.find_decorators(),
    )


def _build_comments(raw: _CollectedCaptures) -> tuple[Comment, ...]:
    spans: dict[int, Comment] = {}
    for is_doc, node in raw.comments:
        first, last = node.start_point, node.end_point
        line_end = last.row + 1 if last.column else max(last.row, first.row + 1)
        known = spans.get(node.start_byte)
        is_doc = is_doc or bool(known and known.is_doc)
        spans[node.start_byte] = Comment(is_doc, first.row + 1, line_end, node.start_byte, node.end_byte)
    return tuple(spans[at] for at in sorted(spans))

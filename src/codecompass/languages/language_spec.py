"""Language specification: the schema of `language.toml`."""

import tomllib
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

from codecompass.errors import Failure


@dataclass(frozen=True, slots=True)
class VisibilityRule:
    """How visibility is determined. `strategy` names a function in `visibility.py`; the rest are its parameters."""

    strategy: str = "modifiers"
    default: str = "public"
    top_level: str = ""
    """Default for definitions outside any other; empty means `default`."""
    in_interface: str = ""
    """Default for members of an interface or trait; empty means `default`."""
    inside: dict[str, str] = field(default_factory=dict)
    """Kind of the enclosing definition → default for its members."""
    words: dict[str, str] = field(default_factory=dict)
    """Modifier text → visibility, longest word first wins (`pub(crate)` before `pub`)."""
    exported_by: tuple[str, ...] = ()
    """Node types that, wrapped around a definition, make it public."""
    sections: dict[str, str] = field(default_factory=dict)
    """Node types of access sections; values are empty, `words` gives the visibility."""
    section_kinds: tuple[str, ...] = ()
    """Kinds to which an access section applies; empty means all."""
    section_through: tuple[str, ...] = ()
    """Node types between a member and the body through which a section applies (preprocessor conditionals)."""
    nodes: tuple[str, ...] = ()
    """Node types of modifiers that are children of a definition; no capture needed."""


@dataclass(frozen=True, slots=True)
class ResolveRule:
    """How names are resolved. Strategies are implemented in `engine/navigation`; the rest are their parameters."""

    imports: str = "none"
    """Strategy that resolves an import to files: see `imports/module_index.py`. Languages with one strategy see each
    other's names; a word after a colon separates some of them (`includes:recipes`)."""
    reach: str = "file"
    """Scope of names visible without an import: `file`, `directory`, `package`, or `project`. `includes` means the
    files it includes, transitively; declaration and definition of one name are then one symbol."""
    pointers: bool = False
    """Indexing an object yields the same type, because it may be a pointer to many."""
    self_words: tuple[str, ...] = ()
    """Receivers that refer to the enclosing type."""
    super_words: tuple[str, ...] = ()
    """Receivers that refer to its supertypes."""
    self_types: tuple[str, ...] = ()
    """Type names that refer to the enclosing type."""
    late_types: tuple[str, ...] = ()
    """Those of them that refer to the runtime type of the receiver (late static binding)."""
    plain_import: str = "none"
    """Name bound by an import of a whole module: `root` its first word, `last` its last, `star` all its names."""
    bare_members: bool = False
    """Members of the enclosing type are visible without a receiver."""
    body_scope: bool = False
    """Members of a type are visible without a receiver in its body, outside functions."""
    open_types: bool = False
    """Members of a type may be defined in other files."""
    member_prefix: str = ""
    """Prefix of a bare name that is a member of the current object."""
    constructors: tuple[str, ...] = ()
    """Members that a call of the type invokes."""
    makers: tuple[str, ...] = ()
    """Members of every type that return an instance of it (`new`)."""
    unwrap: tuple[str, ...] = ()
    """Generic types treated as their first argument (`Optional[X]`, `Promise<X>`)."""
    containers: tuple[str, ...] = ()
    """Generic types whose last argument is the item type."""
    default_export: str = ""
    """The name under which a file's default export is imported."""
    module_value: str = ""
    """Assignment target whose value an import of the whole file binds (`module.exports`)."""
    function_types: bool = False
    """A function with members assigned outside it is a constructor of objects with these members."""
    namespaces: bool = False
    """Modules are namespaces declared in files, independent of paths: see `resolver/namespaces.py`."""
    outer_namespaces: bool = False
    """Names of enclosing namespaces are visible too."""
    outer_members: bool = True
    """Members of outer types are visible without a receiver; else only their types and constants."""
    open_word: str = ""
    """The keyword that a type must have to be split over several places, if `open_types` (`partial`)."""
    shared_import: str = ""
    """The keyword of an import that applies to all files of the project (`global`)."""
    extension_mark: str = ""
    """Text in the signature of an extension method, which is called as a member of its first parameter."""
    file_variables: bool = True
    """File-level variables are visible inside functions."""
    field_accessors: bool = False
    """A call of a field returns its value."""
    bare_calls: bool = False
    """Naming a function calls it, without parentheses."""
    module_words: tuple[str, ...] = ()
    """Keywords of relative module paths: root, current module, parent (`crate`, `self`, `super`). Paths are then
    resolved name by name, also through types and modules inside files."""
    nested_modules: bool = False
    """Submodules of a file are in a directory of the same name."""
    transparent: tuple[str, ...] = ()
    """Members that return the object itself, if its type does not define them (`unwrap`, `clone`)."""
    item_members: tuple[str, ...] = ()
    """Members of a container that return one item (`first`, `pop`)."""
    module_objects: bool = False
    """Modules are values, so any receiver may be a module."""
    object_literals: bool = False
    """A literal may be an object with members."""
    closed_literals: bool = False
    """No code can add members to the types of numbers and strings."""
    any_types: tuple[str, ...] = ()
    """Types that give no information about members (`any`)."""
    builtins: tuple[str, ...] = ()
    """Names built into the language, unless shadowed."""
    variable_mark: str = ""
    """Prefix of variables (`$`): they are visible only in their file, and a member is named without it."""
    root_functions: bool = False
    """Functions and constants fall back to the global namespace."""
    receivers: bool = False
    """A function declares its receiver type before its name, and is called as a member of it."""
    blocks: bool = False
    """Members of a type are in separate blocks (kind `impl`), in any file, also for external types."""
    lending_word: str = ""
    """The keyword of a nested type whose members are also members of the outer type (`companion`)."""
    inner_word: str = ""
    """The default name of such a nested type."""
    implicit_names: tuple[str, ...] = ()
    """Implicitly bound names with unknown values."""
    spread_kinds: tuple[str, ...] = ()
    """Kinds whose members are also names of the enclosing scope (constructors, methods of a type class)."""
    open_kinds: tuple[str, ...] = ()
    """Kinds of definitions that are visible without an import from anywhere."""
    overload_marks: tuple[str, ...] = ()
    """Decorators of functions that only declare an overload."""
    overloads_first: bool = False
    """Of several functions of one name in one scope the last is the implementation, the others declare overloads."""


@dataclass(frozen=True, slots=True)
class FactsRule:
    """How types are inferred from values, by node type: see `languages/extraction/definition_traits.py`."""

    literals: dict[str, str] = field(default_factory=dict)
    """Node type of a literal → its type."""
    makers: dict[str, str] = field(default_factory=dict)
    """Node type of a constructor expression → the field (or index of the child) that names the type; empty if the
    whole expression does."""
    capital_makers: tuple[str, ...] = ()
    """Those of them that are ordinary calls, and construct an object only if the name is capitalized."""
    named_makers: tuple[str, ...] = ()
    """Members of types that construct an object of the type (`new`)."""
    plain: tuple[str, ...] = ()
    """Node types of names and members: an assignment of one of these is an alias."""
    types_around: bool = False
    """The type of a parameter surrounds its name (`char *argv[]`)."""
    through: tuple[str, ...] = ()
    """Node types of expressions whose type is that of their last part (brackets, the address of)."""
    untyped: tuple[str, ...] = ()
    """Keywords in the place of a type (`var`, `auto`)."""


@dataclass(frozen=True, slots=True)
class LineRule:
    """A line rule of a format without a grammar: `languages/formats/line_formats.py` documents the keys."""

    match: str = ""
    kind: str = ""
    level: int = 0
    under: str = ""
    slack: int = 1
    """Maximum difference in length between a heading and its underline."""
    fence: bool = False
    comment: bool = False
    module: str = ""


@dataclass(frozen=True, slots=True)
class LanguageSpec:
    """All data about one language, as used by detection, extraction and resolution."""

    name: str
    directory: Path
    grammar: str = ""
    lines: tuple[LineRule, ...] = ()
    """Line rules of a format without a grammar."""
    extensions: tuple[str, ...] = ()
    filenames: tuple[str, ...] = ()
    name_starts: tuple[str, ...] = ()
    """Prefixes of file names whose extension decides nothing."""
    shebangs: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()
    turn: int = 0
    """Order of detection patterns: lower values first."""
    contested: dict[str, list[str]] = field(default_factory=dict)
    """Extension → patterns; a match in the first bytes claims the file from the language that lists the extension."""
    disowned: dict[str, list[str]] = field(default_factory=dict)
    """Extension → patterns; a match means that no known language applies: see `detection.py`."""
    overlooked: dict[str, list[str]] = field(default_factory=dict)
    """Extension → patterns of text to ignore in detection (comments, code for another compiler)."""
    templated: bool = False
    """Files are commonly templates: see `template_tags.py`."""
    separator: str = "."
    module: str = "none"
    """Strategy that turns a path into a module name: `dotted`, `crate`, `package`, `path`, `unit`, `none`."""
    module_roots: tuple[str, ...] = ("src", "lib")
    """Leading directories that are not part of a module's name."""
    module_files: tuple[str, ...] = ()
    """File stems that represent their directory (`__init__`, `mod`, `index`)."""
    doc: tuple[str, ...] = ("comment_before",)
    doc_prefixes: tuple[str, ...] = ()
    """Prefixes of documentation comments; empty accepts any comment."""
    doc_types: dict[str, str] = field(default_factory=dict)
    """Documentation tag → what the type after it describes: a `parameter` or `member` named after it, what the
    function `returns`, or the `value` of the field."""
    prompts: tuple[str, ...] = ()
    """Prompt and continuation prompt of an interactive session: in comments and documents, code follows them."""
    inner_doc_prefixes: tuple[str, ...] = ()
    """Prefixes of comments that document the enclosing definition (strategy `body_comment`)."""
    comment_nodes: tuple[str, ...] = ("comment",)
    attribute_nodes: tuple[str, ...] = ()
    """Node types of attributes that may carry documentation (strategies `attribute_before`, `attribute_inside`)."""
    decorator_nodes: tuple[str, ...] = ()
    decorators_outside: bool = False
    """Decorators may be siblings before the definition, not inside it or its wrapper."""
    lead_words: tuple[str, ...] = ()
    """Keywords that are siblings before a definition (`pub`)."""
    wrappers: tuple[str, ...] = ()
    """Node types that wrap a definition (`decorated_definition`, `export_statement`)."""
    declarators: tuple[str, ...] = ()
    """Node types that nest around a name (`*f(int)`); the signature of a definition ends with the outermost."""
    methods_in: tuple[str, ...] = ("class", "struct", "enum", "trait", "interface", "impl")
    """A `fn` directly inside one of these kinds is a `method`."""
    scoped_functions: bool = False
    """A `fn` with an explicit scope is not made a `method`; the pattern decides."""
    joints: tuple[str, ...] = ()
    """The only member access operators, without spaces; empty means the usual ones."""
    joint: str = ""
    """An additional member access operator (`:` of `a:b()`)."""
    dots_join: bool = True
    """A dot is member access; else it is an operator."""
    space_joint: str = ""
    """Namespace separator, if it differs from member access. A path is relative to the current namespace or starts with
    an imported name, unless the separator comes first."""
    upper_const: bool = False
    """An all-capitals `var` is a `const`."""
    line_heads: tuple[str, ...] = ()
    """Kinds whose signature is the line of their name."""
    const_by: tuple[str, ...] = ()
    """Keywords that make a `var` a `const`, unless its declarator is a pointer."""
    not_local: tuple[str, ...] = ()
    """Kinds that are local, not definitions, directly inside a `fn` or `method`."""
    name_prefix: str = ""
    """Characters that the grammar includes in a name but that do not belong to it (`:` of a symbol)."""
    name_paths: bool = False
    """The grammar has one token for a qualified name (`A.B`): all but the last part is the scope."""
    name_quotes: str = ""
    """Quote characters around a name; titles of sections keep them."""
    query_depth: int = -1
    """Maximum depth at which patterns may start, 0 for the root; deeper subtrees are skipped. A negative value means
    no limit."""
    plain_when: tuple[str, ...] = ()
    """Notes that make a file plain text (`generated`: not worth listing)."""
    most_definitions: int = 20_000
    """Maximum number of definitions in one file."""
    name_until: str = ""
    """Text that ends a name if the grammar's token is longer (`=` of the word `ll=`)."""
    first_only: tuple[str, ...] = ()
    """Kinds of which only the first occurrence of a name in a scope is a definition; later ones are writes."""
    import_prefix: dict[str, str] = field(default_factory=dict)
    """Node type of an import list → its field with the common path."""
    item_macros: str = ""
    """Query for macros in item position: captures `name` and `body`."""
    item_nodes: tuple[str, ...] = ()
    """Node types of which one must occur for the body of a macro to be read as definitions."""
    split_imports: bool = False
    """The last name of an import path is the imported name, the rest is the module."""
    mends: tuple[tuple[str, str], ...] = ()
    """(pattern, filler) for text that the grammar cannot parse: see `grammar_fixups.py`."""
    misread: tuple[tuple[str, str], ...] = ()
    """The same for text that the grammar misparses without an error."""
    links: str = ""
    """Pattern for links in prose (capture `links`): its first non-empty group names a file."""
    embed_names: dict[str, str] = field(default_factory=dict)
    """Language name that is used only in this host (`module` of a script) → language."""
    hazard: str = ""
    """Pattern for text that crashes the grammar's parser; it is not parsed."""
    cells: bool = False
    """The format contains programs line by line: see `notebooks.py`. Only these are indexed as text."""
    cell_magic: str = ""
    """Pattern for magic lines of a cell; its first group names the language of the whole cell."""
    joined: tuple[str, ...] = ()
    """Kinds of which adjacent items with one name are one definition (the equations of a function)."""
    reaching: tuple[str, ...] = ()
    """Kinds whose statement without a body contains everything up to the next one (`package Foo;`)."""
    behind_prefixes: tuple[str, ...] = ()
    """Prefixes of comments that document the preceding definition (strategy `comment_behind`)."""
    statements: tuple[tuple[str, str], ...] = ()
    """(pattern that the source must contain, pattern that splits it into statements): see `statements.py`."""
    statement_blocks: str = ""
    """Pattern for the start of a statement with nested statements; only there open and close are counted."""
    statement_heads: tuple[tuple[str, str], ...] = ()
    """(pattern for the head of a statement that the grammar cannot parse, kind it defines)."""
    statement_holders: tuple[str, ...] = ()
    """Kinds with members in a parenthesized list."""
    statement_member: str = ""
    """Pattern for an item of that list that is a member."""
    statement_body: str = ""
    """Pattern for the end of the head of such a statement."""
    statement_uses: tuple[tuple[str, str], ...] = ()
    """(pattern for a reference in such a statement, its role)."""
    import_self: str = ""
    """The name that, imported from a module, means the module itself."""
    linted: bool = False
    """Whether the linter of `engine/index/linter.py` supports it."""
    report_as: str = ""
    """Language name under which a dialect is reported."""
    visibility: VisibilityRule = field(default_factory=VisibilityRule)
    resolve: ResolveRule = field(default_factory=ResolveRule)
    facts: FactsRule = field(default_factory=FactsRule)


def _freeze_lists(table: dict[str, Any]) -> dict[str, Any]:
    """Convert the lists of a TOML table to tuples."""
    return {key: tuple(value) if isinstance(value, list) else value for key, value in table.items()}


def load_spec(directory: Path) -> LanguageSpec:
    """Read `language.toml`; an unknown or missing key is an error that names file and key."""
    path = directory / "language.toml"
    raw = tomllib.loads(path.read_text(encoding="utf-8"))
    rule, resolve, facts = raw.pop("visibility", {}), raw.pop("resolve", {}), raw.pop("facts", {})
    lines = raw.pop("lines", [])
    _check_keys(path, raw, LanguageSpec, ignore={"directory", "visibility", "resolve", "facts", "lines"})
    for row in lines:
        _check_keys(path, row, LineRule, ignore=set())
    _check_keys(path, rule, VisibilityRule, ignore=set())
    _check_keys(path, resolve, ResolveRule, ignore=set())
    _check_keys(path, facts, FactsRule, ignore=set())
    for key in ("name", "grammar") if (directory / "tags.scm").exists() else ("name",):
        if key not in raw:
            raise Failure("INTERNAL", f"{path.parent.name}/language.toml lacks the key '{key}'")
    visibility, resolution = VisibilityRule(**_freeze_lists(rule)), ResolveRule(**_freeze_lists(resolve))
    values = FactsRule(**_freeze_lists(facts))
    rows = tuple(LineRule(**row) for row in lines)
    frozen = _freeze_lists(raw)
    return LanguageSpec(
        **frozen, directory=directory, lines=rows, visibility=visibility, resolve=resolution, facts=values
    )


def _check_keys(path: Path, raw: dict[str, object], shape: type, ignore: set[str]) -> None:
    known = {item.name for item in fields(shape)} - ignore
    for key in raw:
        if key not in known:
            raise Failure("INTERNAL", f"{path.parent.name}/language.toml has the unknown key '{key}'")

"""LanguageSpec: one language as its `language.toml` describes it."""

import tomllib
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

from codecompass.errors import Failure


@dataclass(frozen=True, slots=True)
class VisibilityRule:
    """How visibility is read. `strategy` names a function in `visibility.py`; the rest are its words."""

    strategy: str = "modifiers"
    default: str = "public"
    top_level: str = ""
    """Default for definitions outside any other; empty means `default`."""
    in_interface: str = ""
    """Default for members of an interface or trait; empty means `default`."""
    inside: dict[str, str] = field(default_factory=dict)
    """Kind of the enclosing definition → default for what stands in it."""
    words: dict[str, str] = field(default_factory=dict)
    """Modifier text → visibility, longest word first wins (`pub(crate)` before `pub`)."""
    exported_by: tuple[str, ...] = ()
    """Node types that, wrapped around a definition, make it public."""
    sections: dict[str, str] = field(default_factory=dict)
    """Node type of an access section → empty, the words say what it means."""
    section_kinds: tuple[str, ...] = ()
    """Kinds an access section speaks of; empty means all."""
    section_through: tuple[str, ...] = ()
    """Node types between a member and its body that a section reaches into (preprocessor conditionals)."""
    nodes: tuple[str, ...] = ()
    """Node types of modifiers that are children of a definition; these need no capture."""


@dataclass(frozen=True, slots=True)
class ResolveRule:
    """How names find their definitions. Strategies are functions of the navigation; the rest are its words."""

    imports: str = "none"
    """Strategy that finds the files an import names: see `imports/module_index.py`. Languages of one strategy see each
    other's names; a word behind a colon sets some of them apart (`includes:recipes`)."""
    reach: str = "file"
    """Whose names a file sees without an import: `file` its own, `directory`, `package`, or `project` all. `includes`
    are those of the files it includes, directly or not, and what declares and defines one name is one thing."""
    pointers: bool = False
    """An index into an object gives an object of the same type, because it may point to many."""
    self_words: tuple[str, ...] = ()
    """Receivers that mean the type around the function."""
    super_words: tuple[str, ...] = ()
    """Receivers that mean the types above that one."""
    self_types: tuple[str, ...] = ()
    """Type names that mean the type around."""
    late_types: tuple[str, ...] = ()
    """Those of them that mean the type of the object on which a function is called, wherever the function stands."""
    plain_import: str = "none"
    """What an import of a whole module binds: `root` its first word, `last` its last, `star` all its names."""
    bare_members: bool = False
    """Members of the type around are seen without a receiver."""
    body_scope: bool = False
    """Members of a type are seen without a receiver in its body, outside all functions."""
    open_types: bool = False
    """Members of a type may stand outside its file."""
    member_prefix: str = ""
    """What a bare name starts with that is a member of the object at hand."""
    constructors: tuple[str, ...] = ()
    """Members that a call of the type calls."""
    makers: tuple[str, ...] = ()
    """Names of members of every type that give an instance of it (`new`)."""
    unwrap: tuple[str, ...] = ()
    """Generic types that stand for their first argument (`Optional[X]`, `Promise<X>`)."""
    containers: tuple[str, ...] = ()
    """Generic types whose last argument is what they hold."""
    default_export: str = ""
    """The name under which a file's default export is imported."""
    module_value: str = ""
    """What a file assigns to so that an import of the whole file binds that value."""
    function_types: bool = False
    """A function whose members are written outside it makes objects that have them."""
    namespaces: bool = False
    """Modules are namespaces that files declare, wherever the files lie: see `resolver/namespaces.py`."""
    outer_namespaces: bool = False
    """The names of the namespaces around one's own are seen too."""
    outer_members: bool = True
    """Members of the types around the innermost are seen without a receiver; else only types and constants of them."""
    open_word: str = ""
    """The word in a type's signature without which it is written in one place only, in spite of `open_types`."""
    shared_import: str = ""
    """The word before an import that holds for all files of the project."""
    extension_mark: str = ""
    """What the signature of a function holds that is called as a member of its first parameter."""
    file_variables: bool = True
    """Variables that are bound outside all functions are seen inside them."""
    field_accessors: bool = False
    """A call of a field gives its value."""
    bare_calls: bool = False
    """A function that is named is called, without parentheses."""
    module_words: tuple[str, ...] = ()
    """Words that name a module by where it stands: the root of all, the one around, the one above. Paths are then
    followed name by name, through types and modules inside files too."""
    nested_modules: bool = False
    """The modules below a file lie in a directory of its name."""
    transparent: tuple[str, ...] = ()
    """Members that give the object itself, where its type has none of that name (`unwrap`, `clone`)."""
    item_members: tuple[str, ...] = ()
    """Members that give one of what a holder of many holds (`first`, `pop`)."""
    module_objects: bool = False
    """A module is a value like any other, so that any receiver may be one."""
    object_literals: bool = False
    """A literal may be an object with members of its own."""
    any_types: tuple[str, ...] = ()
    """Types that say nothing of the members of a value."""
    builtins: tuple[str, ...] = ()
    """Names the language itself gives, unless something else of that name is seen."""
    variable_mark: str = ""
    """What variables begin with: they are seen in their own file only, and a member is named without it."""
    root_functions: bool = False
    """Functions and constants that a namespace lacks are those outside all namespaces."""
    receivers: bool = False
    """A function says before its name for which type it is written, and is called as a member of that."""
    blocks: bool = False
    """Members of a type stand in further blocks (kind `impl`), in any file, for types from outside too."""
    lending_word: str = ""
    """The word in the signature of a type inside another one whose members are members of the outer one."""
    inner_word: str = ""
    """The name under which such a type can be written although it has none."""
    implicit_names: tuple[str, ...] = ()
    """Names that are bound without being written; what they stand for is unknown."""
    spread_kinds: tuple[str, ...] = ()
    """Kinds whose members are also names of what is around them (constructors, the methods of a type class)."""
    open_kinds: tuple[str, ...] = ()
    """Kinds of definitions that are seen without an import wherever they stand."""
    overload_marks: tuple[str, ...] = ()
    """Decorators of functions that only declare one way to call the implementation."""
    overloads_first: bool = False
    """Of several functions of one name in one scope the last is the implementation, the others declare overloads."""


@dataclass(frozen=True, slots=True)
class FactsRule:
    """What values tell of their types: node types as keys, see `languages/extraction/definition_traits.py`."""

    literals: dict[str, str] = field(default_factory=dict)
    """Node type of a literal → the type it has."""
    makers: dict[str, str] = field(default_factory=dict)
    """Node type of an expression that makes an object → the field (or number of the child) that names its type; empty
    where the whole of it does."""
    capital_makers: tuple[str, ...] = ()
    """Those of them that are ordinary calls, and make an object where the name begins with a capital."""
    named_makers: tuple[str, ...] = ()
    """Members of types that make an object of the type (`new`)."""
    plain: tuple[str, ...] = ()
    """Node types of values that are names or members: what is given one of these is an alias."""
    types_around: bool = False
    """The type of a parameter is all that stands around its name (`char *argv[]`)."""
    through: tuple[str, ...] = ()
    """Node types of expressions whose type is that of their last part (brackets, the address of)."""
    untyped: tuple[str, ...] = ()
    """Words that stand where a type stands and name none (`var`, `auto`)."""


@dataclass(frozen=True, slots=True)
class LineRule:
    """What lines of a format without a grammar mean: `languages/formats/line_formats.py` explains every key."""

    match: str = ""
    kind: str = ""
    level: int = 0
    under: str = ""
    slack: int = 1
    """By how many signs the line under a heading may be longer or shorter than it."""
    fence: bool = False
    comment: bool = False
    module: str = ""


@dataclass(frozen=True, slots=True)
class LanguageSpec:
    """Everything the extractor needs to know of one language."""

    name: str
    directory: Path
    grammar: str = ""
    lines: tuple[LineRule, ...] = ()
    """What is read of a format that has no grammar."""
    extensions: tuple[str, ...] = ()
    filenames: tuple[str, ...] = ()
    name_starts: tuple[str, ...] = ()
    """How file names begin that no ending settles."""
    shebangs: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()
    turn: int = 0
    """Claims of languages with a lower turn are tried first."""
    contested: dict[str, list[str]] = field(default_factory=dict)
    """Ending → patterns of which one found in the first bytes claims a file from whoever lists that ending."""
    disowned: dict[str, list[str]] = field(default_factory=dict)
    """Ending → patterns of which one says that a file is in none of our languages: see `detection.py`."""
    overlooked: dict[str, list[str]] = field(default_factory=dict)
    """Ending → patterns whose matches (comments, code for another compiler) are no evidence for anybody."""
    templated: bool = False
    """Files are commonly made by template engines: see `template_tags.py`."""
    separator: str = "."
    module: str = "none"
    """Strategy that turns a path into a module name: `dotted`, `crate`, `package`, `path`, `unit`, `none`."""
    module_roots: tuple[str, ...] = ("src", "lib")
    """Leading directories that are not part of a module's name."""
    module_files: tuple[str, ...] = ()
    """File stems that stand for their directory (`__init__`, `mod`, `index`)."""
    doc: tuple[str, ...] = ("comment_before",)
    doc_prefixes: tuple[str, ...] = ()
    """A comment counts as documentation only when it starts with one of these; empty accepts any."""
    doc_types: dict[str, str] = field(default_factory=dict)
    """Word in documentation → what the type behind it is the type of: a `parameter` or `member` named after it, what
    the function `returns`, or the `value` of the field."""
    inner_doc_prefixes: tuple[str, ...] = ()
    """How a comment starts that documents the definition it stands in (strategy `body_comment`)."""
    comment_nodes: tuple[str, ...] = ("comment",)
    attribute_nodes: tuple[str, ...] = ()
    """Node types of attributes that may carry documentation (strategies `attribute_before`, `attribute_inside`)."""
    decorator_nodes: tuple[str, ...] = ()
    decorators_outside: bool = False
    """Decorators may stand before the definition as its siblings, not inside it or its wrapper."""
    lead_words: tuple[str, ...] = ()
    """Words that stand before a definition as siblings of its node (`pub`)."""
    wrappers: tuple[str, ...] = ()
    """Node types around a definition that belong to it (`decorated_definition`, `export_statement`)."""
    declarators: tuple[str, ...] = ()
    """Node types that nest around a name (`*f(int)`); the head of a definition ends with the outermost."""
    methods_in: tuple[str, ...] = ("class", "struct", "enum", "trait", "interface", "impl")
    """A `fn` directly inside one of these kinds is a `method`."""
    scoped_functions: bool = False
    """A `fn` with a scope written before its name stays one; the pattern says which are methods."""
    joints: tuple[str, ...] = ()
    """The only signs that join a member to its object, without space between; empty means the usual ones."""
    joint: str = ""
    """A sign that, besides the usual ones, joins a member to its object (`:` of `a:b()`)."""
    dots_join: bool = True
    """A dot joins a member to its object; else it is an operator."""
    space_joint: str = ""
    """What joins namespaces to the names in them, where members are joined otherwise. A path of them begins in one's
    own namespace or with an imported name, unless the joint stands first."""
    upper_const: bool = False
    """An all-capitals `var` is a `const`."""
    line_heads: tuple[str, ...] = ()
    """Kinds whose signature is the line their name stands on."""
    const_by: tuple[str, ...] = ()
    """A `var` with one of these words before it is a `const`, unless its declarator says that it points to one."""
    not_local: tuple[str, ...] = ()
    """Kinds that directly inside a `fn` or `method` are local and no definitions."""
    name_prefix: str = ""
    """Characters that the grammar counts to a name and that are no part of it (`:` of a symbol)."""
    name_paths: bool = False
    """The grammar has one word for a name with what is around it (`A.B`): all but the last part is its scope."""
    name_quotes: str = ""
    """Characters that may stand around a name and are no part of it; titles of sections are kept as written."""
    query_depth: int = -1
    """How deep in the tree patterns begin at most, 0 at the root; what no pattern follows is passed over unseen. Below
    zero they begin anywhere."""
    plain_when: tuple[str, ...] = ()
    """Notes about a file that make it plain text (`generated`: what a program wrote is not worth listing)."""
    most_definitions: int = 20_000
    """How many definitions of one file are kept."""
    name_until: str = ""
    """What ends a name where the grammar runs on (`=` of the word `ll=`)."""
    first_only: tuple[str, ...] = ()
    """Kinds of which only the first of a name in one place is a definition; what follows writes to it."""
    import_prefix: dict[str, str] = field(default_factory=dict)
    """Node type of a list of imports → the field of it that holds the path all of them share."""
    item_macros: str = ""
    """Query for macros that stand where definitions stand: `name` its name, `body` what it is given."""
    item_nodes: tuple[str, ...] = ()
    """Node types of which at least one shows that what a macro is given are definitions."""
    split_imports: bool = False
    """The last name of an import's path is what it imports from the rest."""
    mends: tuple[tuple[str, str], ...] = ()
    """Pairs of a pattern and a filler for what the grammar cannot read: see `grammar_fixups.py`."""
    misread: tuple[tuple[str, str], ...] = ()
    """Pairs of the same form for what the grammar takes for something else, without an error."""
    links: str = ""
    """Pattern for links in prose (capture `links`): its first group that is not empty names a file."""
    embed_names: dict[str, str] = field(default_factory=dict)
    """What the languages of embedded text are called only here (`module` of a script) → the language."""
    hazard: str = ""
    """Pattern for text on which the grammar's parser dies; it stays text."""
    cells: bool = False
    """The format holds programs line by line: see `notebooks.py`. Only these are indexed as text."""
    cell_magic: str = ""
    """Pattern for lines of a cell that are no code; its first group names the language of the whole cell."""
    joined: tuple[str, ...] = ()
    """Kinds of which several that follow each other under one name are one definition (the equations of a function)."""
    reaching: tuple[str, ...] = ()
    """Kinds whose statement, without a body, holds all that follows up to the next one (`package Foo;`)."""
    behind_prefixes: tuple[str, ...] = ()
    """How a comment starts that documents what stands before it (strategy `comment_behind`)."""
    statements: tuple[tuple[str, str], ...] = ()
    """Pairs of a pattern that a source must hold and of one that splits it into statements: see `statements.py`."""
    statement_blocks: str = ""
    """Pattern for the start of a statement that may hold others; only there what opens and closes counts."""
    statement_heads: tuple[tuple[str, str], ...] = ()
    """Pairs of a pattern for the head of a statement that the grammar cannot read and of the kind it defines."""
    statement_holders: tuple[str, ...] = ()
    """Kinds whose list in brackets holds members."""
    statement_member: str = ""
    """Pattern for an item of that list that is a member."""
    statement_body: str = ""
    """Pattern for what ends the head of such a statement."""
    statement_uses: tuple[tuple[str, str], ...] = ()
    """Pairs of a pattern for a mention in such a statement and of its role."""
    import_self: str = ""
    """The name that, imported from a module, means the module itself."""
    linted: bool = False
    """Whether the linter of `engine/index/linter.py` reads it."""
    report_as: str = ""
    """A dialect with a grammar of its own is reported under this language's name."""
    visibility: VisibilityRule = field(default_factory=VisibilityRule)
    resolve: ResolveRule = field(default_factory=ResolveRule)
    facts: FactsRule = field(default_factory=FactsRule)


def _frozen(table: dict[str, Any]) -> dict[str, Any]:
    """A TOML table with its lists as tuples."""
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
    visibility, resolution = VisibilityRule(**_frozen(rule)), ResolveRule(**_frozen(resolve))
    values = FactsRule(**_frozen(facts))
    rows = tuple(LineRule(**row) for row in lines)
    frozen = _frozen(raw)
    return LanguageSpec(
        **frozen, directory=directory, lines=rows, visibility=visibility, resolve=resolution, facts=values
    )


def _check_keys(path: Path, raw: dict[str, object], shape: type, ignore: set[str]) -> None:
    known = {item.name for item in fields(shape)} - ignore
    for key in raw:
        if key not in known:
            raise Failure("INTERNAL", f"{path.parent.name}/language.toml has the unknown key '{key}'")

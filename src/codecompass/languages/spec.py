"""LanguageSpec: one language as its `language.toml` describes it."""

import tomllib
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

from codecompass.errors import Failure


@dataclass(frozen=True, slots=True)
class VisibilityRule:
    """How visibility is read. `strategy` names a function in `shape.py`; the rest are its words."""

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
    """Strategy that finds the files an import names: see `engine/navigate/modules.py`."""
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
    plain_import: str = "none"
    """What an import of a whole module binds: `root` its first word, `last` its last, `star` all its names."""
    bare_members: bool = False
    """Members of the type around are seen without a receiver."""
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
    """Modules are namespaces that files declare, wherever the files lie: see `engine/navigate/namespaces.py`."""
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
    builtins: tuple[str, ...] = ()
    """Names the language itself gives, unless something else of that name is seen."""
    open_kinds: tuple[str, ...] = ()
    """Kinds of definitions that are seen without an import wherever they stand."""


@dataclass(frozen=True, slots=True)
class LanguageSpec:
    """Everything the extractor needs to know of one language."""

    name: str
    grammar: str
    directory: Path
    extensions: tuple[str, ...] = ()
    filenames: tuple[str, ...] = ()
    shebangs: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()
    separator: str = "."
    module: str = "none"
    """Strategy that turns a path into a module name: `dotted`, `crate`, `package`, `path`, `none`."""
    module_roots: tuple[str, ...] = ("src", "lib")
    """Leading directories that are not part of a module's name."""
    module_files: tuple[str, ...] = ()
    """File stems that stand for their directory (`__init__`, `mod`, `index`)."""
    doc: tuple[str, ...] = ("comment_before",)
    doc_prefixes: tuple[str, ...] = ()
    """A comment counts as documentation only when it starts with one of these; empty accepts any."""
    inner_doc_prefixes: tuple[str, ...] = ()
    """How a comment starts that documents the definition it stands in (strategy `body_comment`)."""
    comment_nodes: tuple[str, ...] = ("comment",)
    decorator_nodes: tuple[str, ...] = ()
    decorators_outside: bool = False
    """Decorators may stand before the definition as its siblings, not inside it or its wrapper."""
    wrappers: tuple[str, ...] = ()
    """Node types around a definition that belong to it (`decorated_definition`, `export_statement`)."""
    declarators: tuple[str, ...] = ()
    """Node types that nest around a name (`*f(int)`); the head of a definition ends with the outermost."""
    methods_in: tuple[str, ...] = ("class", "struct", "enum", "trait", "interface", "impl")
    """A `fn` directly inside one of these kinds is a `method`."""
    upper_const: bool = False
    """An all-capitals `var` is a `const`."""
    const_by: tuple[str, ...] = ()
    """A `var` with one of these words before it is a `const`, unless its declarator says that it points to one."""
    not_local: tuple[str, ...] = ()
    """Kinds that directly inside a `fn` or `method` are local and no definitions."""
    name_prefix: str = ""
    """Characters that the grammar counts to a name and that are no part of it (`:` of a symbol)."""
    import_prefix: dict[str, str] = field(default_factory=dict)
    """Node type of a list of imports → the field of it that holds the path all of them share."""
    item_macros: str = ""
    """Query for macros that stand where definitions stand: `name` its name, `body` what it is given."""
    item_nodes: tuple[str, ...] = ()
    """Node types of which at least one shows that what a macro is given are definitions."""
    import_self: str = ""
    """The name that, imported from a module, means the module itself."""
    report_as: str = ""
    """A dialect with a grammar of its own is reported under this language's name."""
    visibility: VisibilityRule = field(default_factory=VisibilityRule)
    resolve: ResolveRule = field(default_factory=ResolveRule)


def _frozen(table: dict[str, Any]) -> dict[str, Any]:
    """A TOML table with its lists as tuples."""
    return {key: tuple(value) if isinstance(value, list) else value for key, value in table.items()}


def load_spec(directory: Path) -> LanguageSpec:
    """Read `language.toml`; an unknown or missing key is an error that names file and key."""
    path = directory / "language.toml"
    raw = tomllib.loads(path.read_text(encoding="utf-8"))
    rule, resolve = raw.pop("visibility", {}), raw.pop("resolve", {})
    _check_keys(path, raw, LanguageSpec, ignore={"directory", "visibility", "resolve"})
    _check_keys(path, rule, VisibilityRule, ignore=set())
    _check_keys(path, resolve, ResolveRule, ignore=set())
    for key in ("name", "grammar"):
        if key not in raw:
            raise Failure("INTERNAL", f"{path.parent.name}/language.toml lacks the key '{key}'")
    visibility, resolution = VisibilityRule(**_frozen(rule)), ResolveRule(**_frozen(resolve))
    return LanguageSpec(**_frozen(raw), directory=directory, visibility=visibility, resolve=resolution)


def _check_keys(path: Path, raw: dict[str, object], shape: type, ignore: set[str]) -> None:
    known = {item.name for item in fields(shape)} - ignore
    for key in raw:
        if key not in known:
            raise Failure("INTERNAL", f"{path.parent.name}/language.toml has the unknown key '{key}'")

"""Symbol kinds: canonical names, and all accepted spellings."""

import re

KINDS = (
    "fn", "method", "struct", "class", "enum", "trait", "interface", "const", "var", "type", "mod", "impl", "use",
    "macro", "field", "property", "section", "key", "rule", "table",
)  # fmt: skip

ALIASES = {
    "function": "fn", "func": "fn", "def": "fn", "subroutine": "fn", "procedure": "fn", "proc": "fn",
    "constructor": "method", "member_function": "method", "classmethod": "method",
    "structure": "struct", "union": "struct", "record": "struct",
    "klass": "class", "object": "class",
    "enumeration": "enum", "protocol": "interface", "iface": "interface", "mixin": "trait",
    "constant": "const", "static": "const", "variable": "var", "let": "var", "global": "var",
    "type_alias": "type", "typealias": "type", "typedef": "type", "alias": "type",
    "module": "mod", "namespace": "mod", "package": "mod",
    "implementation": "impl", "import": "use", "include": "use", "require": "use", "using": "use",
    "define": "macro", "attribute": "field", "attr": "field", "member": "field", "prop": "property",
    "accessor": "property", "getter": "property", "setter": "property",
    "message": "struct", "service": "interface", "rpc": "method",
    "heading": "section", "header": "section", "chapter": "section", "title": "section", "stage": "section",
    "option": "key", "setting": "key", "config_key": "key", "configuration_key": "key", "resource": "key",
    "block": "key", "entry": "key",
    "target": "rule", "recipe": "rule", "selector": "rule", "css_rule": "rule",
    "view": "table", "relation": "table",
}  # fmt: skip

CALLABLE = frozenset({"fn", "method", "macro"})
SECONDARY = frozenset({"section", "key", "rule"})
"""Kinds of prose and configuration: they match by name too, but rank after code."""
CONTAINER = frozenset({"class", "struct", "enum", "trait", "interface", "mod", "impl", "section"})


def normalize_kind(spelling: str) -> str | None:
    """Return the canonical name of a kind, or None if it is unknown."""
    word = spelling.strip().lower().replace("-", "_").replace(" ", "_")
    return word if word in KINDS else ALIASES.get(word)


def expand_kind(kind: str) -> frozenset[str]:
    """Return the kinds that match a filter: methods are often called functions, so `fn` also matches methods."""
    return frozenset({"fn", "method"}) if kind == "fn" else frozenset({kind})


FILE = "file"
"""The kind of a whole file in filters; no definition has it."""
ANY_KIND = (*KINDS, FILE)
_SYNTAX_KINDS = {
    "actor": "class", "extension": "impl", "trigger": "fn", "index": "key", "element": "key", "export": "use",
    "export_named": "use", "export_default": "use", "export_all": "use", "script": "section", "style": "section",
    "code": "section", "config": "section", "config_section": "section", "style_rule": "rule", "document": FILE,
}  # fmt: skip
"""Syntax tree node name without its suffix → kind."""
_CAMEL_BOUNDARY = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_KIND_SUFFIX = re.compile(r"_(?:declaration|definition|block|item|statement|spec|signature)$")


def parse_kind_filter(spelling: str) -> frozenset[str]:
    """Parse a filter word in any spelling (`function`, `FunctionDeclaration`) to kinds; empty if unknown."""
    word = _CAMEL_BOUNDARY.sub("_", spelling.strip()).lower().replace("-", "_").replace(" ", "_")
    for name in (word, _KIND_SUFFIX.sub("", word)):
        if name == FILE:
            return frozenset({FILE})
        kind = normalize_kind(name) or _SYNTAX_KINDS.get(name)
        if kind:
            return expand_kind(kind)
    return frozenset()

"""Query intent: classify a query by rules in order; the first that matches decides."""

import re

from codecompass.model.states import Intent

_ERROR = re.compile(
    r"\b(?:error|exception|panic|fatal|traceback|errno)\b\s*(?::(?!:)|[(\[])|\bTraceback \(most recent"
    r"|\b(?:E|ERR)[-_]?\d{2,}\b|\bat line \d+|thread '[^']*' panicked"
    r"|^\s*File \"|0x[0-9a-fA-F]{4,}|\b[A-Z]\w*(?:Error|Exception)\s*:(?!:)",
    re.IGNORECASE,
)
_QUOTED = re.compile(r"^\s*(?:\"[^\"]+\"|`[^`]+`|'[^']+')\s*$")
_PATHLIKE = re.compile(r"^[\w.@+~*-]+$|^(?=[^\w]*\w)[\w.@+~-]*(?:[/\\][\w.@+~*-]+)*[/\\]?$")
_EXTENSIONS = frozenset(
    "adoc asm bash bat bazel bzl c cc cfg cjs clj cmake conf cpp cs csproj css csv cxx d dart dockerfile el erl"
    " ex exs f90 fs go gradle graphql groovy h hbs hcl hh hpp hrl hs htm html hxx ini ipynb java jl js json jsonc"
    " jsx kt kts less lock lua m md mdx mjs mk ml mli mm nim nix pas php pl plist pm proto ps1 py pyi pyx r rake"
    " rb rkt rs rst s sass sbt scala scm scss sh sln sol sql svelte svg swift tcl tex tf thrift toml ts tsv tsx"
    " txt v vb vim vue xml xsd yaml yml zig zsh".split()
)
"""File extensions; `os.path` and `Foo.open` have none of these."""
_IDENTIFIER = re.compile(r"^\\?[A-Za-z_$][\w$]*(?:(?:::|\.|#|->|\\)[A-Za-z_$~][\w$]*)*(?:\(\))?[!?]?$")
_NAMESPACED = re.compile(r"^\\?[A-Z]\w*(?:\\[A-Z]\w*)+$")
"""A capital after every backslash: a namespace, hardly ever a directory."""
_KIND_WORDS = frozenset(
    "fn func function def method class struct enum trait interface type const var mod module macro".split()
)


def classify(query: str) -> Intent:
    """Return `symbol`, `path`, `error` or `natural_language`."""
    text = query.strip()
    words = text.split()
    if _ERROR.search(text) or _QUOTED.search(text):
        return "error"
    if len(words) == 1:
        return _classify_word(text)
    if len(words) == 2 and words[0].lower() in _KIND_WORDS and _IDENTIFIER.match(words[1]):
        return "symbol"
    return "natural_language"


def _classify_word(word: str) -> Intent:
    if _NAMESPACED.match(word):
        return "symbol"
    ending = word.rpartition(".")[2] if "." in word else ""
    if _PATHLIKE.match(word) and ("/" in word or "\\" in word or ending in _EXTENSIONS):
        return "path"
    return "symbol" if _IDENTIFIER.match(word) else "natural_language"

"""The levels of the program as data: which package may import which. What is not listed is forbidden."""

LEVELS: dict[str, tuple[str, ...]] = {
    "errors": (),
    "ownership": ("errors",),
    "model": ("errors", "model"),
    "settings": ("errors", "ownership"),
    "text": ("errors", "model", "text"),
    "triage": ("errors", "model", "text", "triage"),
    "repo": ("errors", "model", "text", "repo"),
    "languages": ("errors", "model", "text", "languages"),
    "fetch": ("errors", "model", "text", "fetch"),
    "embed": ("errors", "ownership", "model", "text", "embed"),
    "store.ports": ("model", "store.exchange", "store.memory", "store.nearness", "store.words"),
    "store.words": (),
    "store.memory": ("model",),
    "store.exchange": ("model", "store.ports", "store.nearness"),
    "store.nearness": ("model", "store.ports"),
    "store.packing": ("model",),
    "store.embedded": (
        "errors", "model", "text", "store.ports", "store.exchange", "store.memory", "store.nearness", "store.packing",
        "store.words",
        "store.embedded",
    ),
    "store.embedded.store": (
        "errors", "model", "text", "store.ports", "store.packing", "store.embedded", "store.portable",
    ),
    "store.portable": (
        "errors", "model", "text", "store.ports", "store.exchange", "store.nearness", "store.packing", "store.words",
        "store.embedded",
        "store.portable",
    ),
    "engine": (
        "errors", "ownership", "model", "text", "repo", "languages", "fetch", "embed", "store.ports", "store.exchange",
        "store.memory", "store.nearness", "store.packing", "store.words", "triage", "engine", "__init__",
    ),
    "contract": ("errors", "model", "contract", "__init__"),
    "tools": ("errors", "model", "contract", "tools"),
    "runtime": ("errors", "model", "contract", "runtime"),
    "surfaces": ("errors", "ownership", "model", "contract", "runtime", "surfaces", "__init__"),
    "serving": ("*",),
    "app": ("*",),
    "__main__": ("app",),
    "__init__": (),
}
"""Longest matching name wins: `store.ports` is looked up before `store`."""

THIRD_PARTY: dict[str, frozenset[str]] = {
    "apsw": frozenset({"store.embedded", "store.embedded.store", "store.portable"}),
    "sqlite_vec": frozenset({"store.embedded", "store.embedded.store", "store.portable"}),
    "tantivy": frozenset({"store.embedded"}),
    "zstandard": frozenset({"store.packing", "store.embedded", "fetch"}),
    "tree_sitter": frozenset({"languages"}),
    "tree_sitter_language_pack": frozenset({"languages"}),
    "mcp": frozenset({"surfaces"}),
    "mcp_types": frozenset({"surfaces"}),
    "starlette": frozenset({"surfaces"}),
    "uvicorn": frozenset({"surfaces"}),
    "h11": frozenset({"surfaces", "fetch"}),
    "rich": frozenset({"surfaces"}),
    "argparse": frozenset({"surfaces"}),
    "watchfiles": frozenset({"repo"}),
    "pypdfium2": frozenset({"text"}),
    "mammoth": frozenset({"text"}),
    "subprocess": frozenset({"repo"}),
    "multiprocessing": frozenset(),
    "sqlite3": frozenset(),
}
"""Packages that belong to certain levels only."""

"""Follow-up: what a caller may usefully ask next. Only tool names, refs and identifiers are said here."""

import re

from codecompass.model.result import Hit

_SAFE_NAME = re.compile(r"^[A-Za-z_$][\w$]{0,79}$")
_SAFE_PATH = re.compile(r"^[\w.@+~/-]{1,240}$")
"""A path that cannot be read as a sentence: whoever names a file must not be able to give orders through advice."""


def after_search(
    hits: tuple[Hit, ...], total: int, query: str, ref: str, language: str | None
) -> tuple[dict[str, object], ...]:
    """Narrow when much was left out, follow up on the best hit, and never leave an empty answer without advice."""
    if not hits:
        return ({"tool": "index_status", "ref": ref}, {"tool": "sync_repo", "ref": ref})
    actions: list[dict[str, object]] = []
    top = hits[0]
    if top.name and _SAFE_NAME.match(top.name) and top.result_type != "file":
        actions.append({"tool": "locate_symbol", "name": top.name, "ref": ref})
    if _SAFE_PATH.match(top.path):
        actions.append({"tool": "get_file_outline", "path": top.path, "ref": ref})
    if total > len(hits) and language is None and top.language not in ("", "text"):
        actions.append({"tool": "search_code", "query": query[:200], "language": top.language, "ref": ref})
    return tuple(actions)


def after_locate(
    hits: tuple[Hit, ...], total: int, name: str, ref: str, kind: str | None
) -> tuple[dict[str, object], ...]:
    if not hits:
        return ({"tool": "search_code", "query": name[:200], "ref": ref}, {"tool": "index_status", "ref": ref})
    if total > len(hits) and kind is None:
        return ({"tool": "locate_symbol", "name": name[:200], "kind": hits[0].kind, "ref": ref},)
    return ()


def not_indexed(ref: str) -> tuple[dict[str, object], ...]:
    return ({"tool": "index_repo", "ref": ref}, {"tool": "index_status", "ref": ref})

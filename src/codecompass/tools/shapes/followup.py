"""Suggested next actions: complete tool calls that a caller may make next.

They contain only names of tools, refs, handles, the caller's own words, and names and paths that cannot be read as a
sentence: the author of a file name must not be able to give instructions through a suggestion.
"""

import re
from typing import Any

from codecompass.model.queries.results import Hits
from codecompass.model.queries.search_query import LocateQuery, SearchQuery

Action = dict[str, Any]

MAX_REPEATED = 500
"""Longer queries are repeated by their first line."""
_SAFE_NAME = re.compile(r"[A-Za-z_$][\w$]{0,79}")
_SAFE_PATH = re.compile(r"[\w.@+~/-]{1,240}")


def suggest_after_search(query: SearchQuery, found: Hits) -> list[Action]:
    """Suggest calls about the best result, a narrower search when truncated, or a wider one when empty."""
    ref = found.state.ref
    if not found.hits:
        return _suggest_indexing(found) or _suggest_wider_search(query, ref)
    top = found.hits[0]
    actions: list[Action] = []
    if top.symbol_id:
        actions.append({"tool": "find_references", "symbol_id": top.symbol_id, "ref": ref})
    if top.result_type == "snippet" and _SAFE_NAME.fullmatch(top.name):
        actions.append({"tool": "locate_symbol", "name": top.name, "ref": ref})
    if _SAFE_PATH.fullmatch(top.path):
        actions.append({"tool": "get_file_outline", "path": top.path, "ref": ref})
    if found.truncated and query.language is None and top.language not in ("", "text"):
        actions.append(repeat_search(query, ref, language=top.language))
    return actions


def suggest_after_locate(query: LocateQuery, found: Hits) -> list[Action]:
    """Suggest references, a narrower call by kind when truncated, or a search when no definition matches."""
    ref = found.state.ref
    if not found.hits:
        wider = [repeat_locate(query, ref)] if query.kind or query.language else []
        wider += [repeat_locate(query, ref) | {"name": name} for name in found.near[:2]]
        return _suggest_indexing(found) or [
            *wider,
            {"tool": "search_code", "query": query.name, "ref": ref, "limit": 5},
        ]
    top = found.hits[0]
    if top.tier == "prefix":
        # A prefix match is a guess: suggest the nearest name, or a search for the words.
        nearest = [repeat_locate(query, ref) | {"name": top.name}] if _SAFE_NAME.fullmatch(top.name) else []
        return [*nearest, {"tool": "search_code", "query": query.name, "ref": ref, "limit": 5}]
    actions: list[Action] = [{"tool": "find_references", "symbol_id": top.symbol_id, "ref": ref}]
    if found.truncated and query.kind is None:
        actions.append(repeat_locate(query, ref, kind=top.kind))
    return actions


def repeat_search(query: SearchQuery, ref: str, **changes: object) -> Action:
    return {"tool": "search_code", "query": _shorten(query.text), "ref": ref, **changes}


def _shorten(text: str) -> str:
    """Return a query as a suggestion repeats it: of a pasted text only the first line."""
    return text if len(text) <= MAX_REPEATED else text.lstrip().split("\n", 1)[0][:MAX_REPEATED]


def repeat_locate(query: LocateQuery, ref: str, **changes: object) -> Action:
    return {"tool": "locate_symbol", "name": query.name, "ref": ref, **changes}


def _suggest_indexing(found: Hits) -> list[Action]:
    ref = found.state.ref
    if found.state.indexing == "ready":
        return []
    return [{"tool": "index_repo", "ref": ref}, {"tool": "index_status", "ref": ref}]


def _suggest_wider_search(query: SearchQuery, ref: str) -> list[Action]:
    if query.language:
        return [repeat_search(query, ref)]
    words = query.text.split()
    if len(words) > 1:
        return [repeat_search(query, ref) | {"query": max(words, key=len)}]
    # Not locate_symbol: a word that search does not find is not a definition, and that tool would suggest search again.
    literal = re.escape(query.text[:90])
    return [{"tool": "grep_codebase", "pattern": literal, "ref": ref}, {"tool": "sync_repo", "ref": ref}]

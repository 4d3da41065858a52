"""JSON shapes of the tool `search`: one hit list for each kind of text and hits by file, within a byte budget."""

from dataclasses import dataclass
from typing import Any

from codecompass.contract.encoding import encode
from codecompass.contract.tool import Answer
from codecompass.model.queries.results import Hit, HitDetails, Hits
from codecompass.model.states import TextMode
from codecompass.tools.inspect_symbol import shape_message, shape_risks, shape_traits
from codecompass.tools.shapes.hit_shapes import (
    RELAXED_WARNING,
    assess_completeness,
    filter_text_gaps,
    list_gap_warnings,
    shape_source,
)
from codecompass.tools.shapes.paging import AnswerPage, PageItems

LISTS = {"code": "code", "extracted-prose": "extractedProse", "prose": "prose", "records": "records"}
"""The list of each mode, in the order of hits with equal score in a bundle."""
HEADLINE_WORDS = 7
HEADLINE_CHARS = 120
CUT_WARNING = (
    "The answer was cut to its size; ask for fewer hits (top), less of each (output compact) or narrower filters."
)

Shaped = dict[str, Any]


@dataclass(frozen=True, slots=True)
class HitShape:
    """Which fields of a hit are shown."""

    whole: bool = False
    context: bool = False
    explain: bool = False
    source: bool = False
    """Numbered source lines, for a caller in this process."""


def shape_hit(hit: Hit, shape: HitShape) -> Shaped:
    """Shape one hit with the documented fields; empty ones are left out."""
    facts = hit.facts or HitDetails()
    shaped: Shaped = {
        "id": hit.result_id,
        "file": hit.path,
        "start": facts.byte_start,
        "end": facts.byte_end,
        "startLine": hit.line_start,
        "endLine": hit.line_end,
        "ext": _get_extension(hit.path),
        "kind": hit.kind or ("file" if hit.result_type == "file" else ""),
        "name": hit.name,
        "headline": format_headline(hit, facts),
        "score": round(hit.score, 4),
        "scoreType": classify_score(hit),
        "sparseScore": round(hit.reasons.bm25_score, 4),
        "sparseType": "bm25",
    }
    if not hit.reasons.bm25_score:
        # The hit matched only by name or path.
        del shaped["sparseScore"], shaped["sparseType"]
    if shape.context:
        shaped["context"] = {"before": list(facts.before), "lines": list(facts.lines), "after": list(facts.after)}
    if shape.source:
        shaped |= shape_source(hit) | {"lang": hit.language, "qualifiedName": hit.qualified_name}
    if shape.whole:
        shaped |= _shape_metadata(hit, facts)
    if shape.explain:
        shaped["scoreBreakdown"] = shape_score_breakdown(hit)
    return {key: value for key, value in shaped.items() if value != ""}


def format_headline(hit: Hit, facts: HitDetails) -> str:
    """Return the first words of the documentation, else the name, else the matching line."""
    words = facts.doc.split()[:HEADLINE_WORDS]
    text = " ".join(words) or hit.name or hit.snippet
    return text if len(text) <= HEADLINE_CHARS else text[: HEADLINE_CHARS - 1] + "…"


def _get_extension(path: str) -> str:
    stem, dot, ending = path.rpartition("/")[2].rpartition(".")
    return f".{ending.lower()}" if dot and stem else ""


def _shape_metadata(hit: Hit, facts: HitDetails) -> Shaped:
    """Shape all facts of a hit besides its location."""
    shaped: Shaped = {
        "lang": hit.language,
        "qualifiedName": hit.qualified_name,
        "signature": hit.signature,
        "symbolId": hit.symbol_id,
        "symbolStableId": hit.symbol_stable_id,
        "snippet": hit.snippet or hit.body_preview,
        "docmeta": _shape_docmeta(hit, facts),
        "lint": [shape_message(row) for row in facts.diagnostics],
        "risk": shape_risks(facts.risks),
        **_shape_history(facts),
    }
    return {key: value for key, value in shaped.items() if value not in ("", [], {})}


def _shape_docmeta(hit: Hit, facts: HitDetails) -> Shaped:
    """Shape the traits of a definition, or the fields of a record."""
    if facts.record:
        return {"record": dict(facts.record)}
    return shape_traits(hit.visibility, facts.doc, facts.decorators, facts.traits) if facts.traits else {}


def _shape_history(facts: HitDetails) -> Shaped:
    """Shape the git history of the file with the documented names."""
    file = facts.history
    if file is None or file.last is None:
        return {}
    shaped: Shaped = {"last_author": file.last.author, "last_modified": file.last.date, "churn_commits": file.commits}
    return shaped if file.churn is None else shaped | {"churn": file.churn}


def classify_score(hit: Hit) -> str:
    """Return the type of a score: `blend` of features; for a record `bm25`, or `filter` when only filters matched."""
    if not hit.factors:
        return "blend"
    return "bm25" if hit.reasons.bm25_score else "filter"


def shape_score_breakdown(hit: Hit) -> Shaped:
    """Shape the feature values that produced the score."""
    why = hit.reasons
    sparse: Shaped = {"type": "bm25", "score": round(why.bm25_score, 4)}
    for factor in hit.factors if why.bm25_score else ():
        words = {part.name: round(part.contribution, 4) for part in factor.parts}
        sparse |= {"best": round(1 / factor.weight, 4), "words": words}
    return {
        "selected": {"type": classify_score(hit), "score": round(hit.score, 4)},
        "sparse": sparse,
        "ann": {"type": "vector", "score": round(why.semantic_score, 4)},
        "blend": {
            "exactMatch": round(why.exact_match_boost, 4),
            "qualifiedName": round(why.qualified_name_boost, 4),
            "path": round(why.path_affinity, 4),
            "bm25": round(why.bm25_score, 4),
        },
        "symbol": {"definition": round(why.definition_boost, 4), "kind": round(why.kind_match, 4)},
    }


# -- bundles -----------------------------------------------------------------------------------------------------------


def group_by_file(lists: dict[str, list[Shaped]]) -> Shaped:
    """Group the hits of all lists by file, best files first."""
    files: dict[str, list[Shaped]] = {}
    for name in LISTS.values():
        for index, hit in enumerate(lists.get(name, ())):
            files.setdefault(hit["file"], []).append(_shape_entry(name, index, hit))
    groups = [_shape_group(file, hits) for file, hits in files.items()]
    groups.sort(key=lambda one: (-one["totalScore"], -one["topScore"], -one["modeCount"], one["file"]))
    return {"schemaVersion": 1, "groups": groups}


def _shape_entry(name: str, index: int, hit: Shaped) -> Shaped:
    kept = ("score", "scoreType", "id", "file", "start", "end")
    return {"mode": name, "index": index, **{key: hit[key] for key in kept}}


def _shape_group(file: str, hits: list[Shaped]) -> Shaped:
    order = list(LISTS.values())
    hits.sort(key=lambda hit: (-hit["score"], order.index(hit["mode"]), hit["index"], hit["id"]))
    modes = [mode for mode in order if any(hit["mode"] == mode for hit in hits)]
    return {
        "bundleId": f"file:{file}",
        "file": file,
        "hitCount": len(hits),
        "totalScore": round(sum(hit["score"] for hit in hits), 4),
        "topScore": hits[0]["score"],
        "modeCount": len(modes),
        "modes": modes,
        "hits": hits,
    }


# -- the answer --------------------------------------------------------------------------------------------------------


def build_answer(
    head: Shaped, found: dict[TextMode, Hits], shape: HitShape, page: AnswerPage, warnings: tuple[str, ...]
) -> Answer:
    """Build the answer: lists, bundles and statistics within the byte budget; the lowest-ranked hits are cut first."""
    state = next(iter(found.values())).state
    items = page.select(state.generation, *((hits.hits, lambda hit: hit.result_id) for hits in found.values()))
    shaped = {LISTS[mode]: [shape_hit(hit, shape) for hit in items.get_items(at)] for at, mode in enumerate(found)}
    messages = list(dict.fromkeys((*warnings, *(text for hits in found.values() for text in hits.warnings))))
    if any(hits.relaxed and hits.hits for hits in found.values()):
        messages.append(RELAXED_WARNING)
    messages += [
        text for text in (*state.warnings, *list_gap_warnings(filter_text_gaps(state))) if text not in messages
    ]
    room = (
        page.max_bytes
        - len(encode({**head, "stats": _build_stats(found, shaped, items), "warnings": [*messages, CUT_WARNING]}))
        - 200
    )
    kept = take_fitting(shaped, room)
    if kept != shaped:
        messages.append(CUT_WARNING)
    payload: Shaped = {
        **head,
        **{name: kept.get(name, []) for name in LISTS.values()},
        "bundles": group_by_file(kept),
        "stats": _build_stats(found, kept, items),
        **items.make_cursor([len(kept[LISTS[mode]]) for mode in found], truncated=_is_truncated(found)),
    }
    if messages:
        payload["warnings"] = messages
    return Answer(payload, state, warnings=tuple(messages))


def take_fitting(lists: dict[str, list[Shaped]], room: int) -> dict[str, list[Shaped]]:
    """Take as many of the first hits of every list as fit together, counting their entries in bundles as well."""
    kept: dict[str, list[Shaped]] = {name: [] for name in lists}
    files: set[str] = set()
    for index in range(max((len(hits) for hits in lists.values()), default=0)):
        for name, hits in lists.items():
            if index >= len(hits):
                continue
            hit = hits[index]
            room -= len(encode(hit)) + len(encode(_shape_entry(name, index, hit))) + 2
            if hit["file"] not in files:
                files.add(hit["file"])
                room -= len(encode(_shape_group(hit["file"], [_shape_entry(name, index, hit)])))
            if room < 0:
                return kept
            kept[name].append(hit)
    return kept


def _is_truncated(found: dict[TextMode, Hits]) -> bool:
    return any(hits.truncated for hits in found.values())


def _build_stats(found: dict[TextMode, Hits], lists: dict[str, list[Shaped]], items: PageItems) -> Shaped:
    """Build the statistics: totals and completeness of each list, and the freshness of the view."""
    modes: Shaped = {}
    state = next(iter(found.values())).state
    for at, (mode, hits) in enumerate(found.items()):
        shown = len(lists[LISTS[mode]])
        cut = hits.truncated or items.page.offsets[at] + shown < len(hits.hits)
        modes[LISTS[mode]] = {
            "total": hits.total,
            "totalExact": hits.complete,
            "shown": shown,
            "relaxed": hits.relaxed,
            "completeness": assess_completeness(state, cut=cut, gaps=filter_text_gaps(state)),
        }
    intent = next((hits.intent for hits in found.values() if hits.intent), "natural_language")
    return {
        "modes": modes,
        "intent": intent,
        "annAvailable": any(hits.vectors for hits in found.values()),
        "branch": state.ref,
        "freshness": state.freshness,
        "indexedCommit": state.indexed_commit,
    }

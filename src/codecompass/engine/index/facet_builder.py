"""Facet builder: per-blob summaries, built when a blob is parsed and tested when filters narrow a search.

Most filter values occur literally in the source, and the trigram index finds the files that contain them. Facets cover
what does not: kinds, counts, marks, inferred types and risk findings.
"""

import re
from collections.abc import Callable, Iterable

from codecompass.model.code.facets import ANY_WORD, HAS_DIAGNOSTICS, FacetQuery, Facets
from codecompass.model.code.facts import Facts
from codecompass.model.code.kinds import FILE, KINDS
from codecompass.model.code.risk_facts import Risks
from codecompass.model.queries.filters import VISIBILITIES, Filters

_KIND_BIT = {kind: 1 << at for at, kind in enumerate(KINDS)}
_VISIBILITY_BIT = {word: 1 << at for at, word in enumerate(VISIBILITIES)}
_MARK_BIT = {"async": 2, "generator": 4, "returns": 8}
_COUNTS = {
    "branchesMin": "branches", "loopsMin": "loops", "breaksMin": "breaks", "continuesMin": "continues",
}  # fmt: skip
_RISKS = ("risk", "riskTag", "riskSource", "riskSink", "riskCategory", "riskFlow")
NAME_FILTERS = (
    "import", "calls", "uses", "signature", "param", "decorator", "returnType", "throws", "reads", "writes", "mutates",
    "alias", "awaits", "extends",
)  # fmt: skip
"""Filters whose values consist of names that occur in the source."""
EXACT_NAME_FILTERS = ("import", "calls", "uses", "param")
"""Those of them that match whole names, so that every word of the value is a word of the source."""
_RUN = re.compile(r"[A-Za-z0-9_]{3,}")
_SHORT = re.compile(r"(?<![A-Za-z0-9_])[A-Za-z0-9_]{1,2}(?![A-Za-z0-9_])")
_SHORT_BYTES = re.compile(_SHORT.pattern.encode())
_MAX_WORDS_LENGTH = 4_000
"""Maximum characters of facet words; a blob with more matches any word, which costs a read and loses nothing."""


def build_facets(facts: Facts, source: bytes, shown: Callable[[str], str]) -> Facets:
    """Build the facets of a blob; `shown` maps a language to its name in answers."""
    insight, items = facts.insight, facts.definitions
    marks = {word for row in insight.traits for word in row.marks}
    flows = [row.flow for row in insight.traits]
    bits = sum(bit for word, bit in _MARK_BIT.items() if word in marks and word != "returns")
    bits |= _MARK_BIT["returns"] if any(flow.returns for flow in flows) else 0
    bits |= HAS_DIAGNOSTICS if insight.diagnostics else 0
    languages = {facts.language or "text", *(shown(part.language) or part.language for part in facts.segments)}
    return Facets(
        kinds=_to_bits(_KIND_BIT, {item.kind for item in items}),
        visibilities=_to_bits(_VISIBILITY_BIT, {item.visibility for item in items}),
        marks=bits,
        branches=max((flow.branches for flow in flows), default=0),
        loops=max((flow.loops for flow in flows), default=0),
        breaks=max((flow.breaks for flow in flows), default=0),
        continues=max((flow.continues for flow in flows), default=0),
        types=_join_words({item.type for row in insight.traits for item in row.types}),
        risks=_join_words(collect_risk_words(insight.risks)),
        languages=f" {' '.join(sorted(filter(None, languages)))} ",
        short_words=_collect_short_words(source),
    )


def collect_risk_words(risks: Risks) -> set[str]:
    """Collect every word that a risk filter may ask for."""
    found = {word for item in risks.uses for word in (item.name, item.category, *item.tags)}
    for flow in risks.flows:
        found |= {flow.name, flow.origin.name, flow.reach.name, flow.reach.category, *flow.tags}
    return found


def _to_bits(table: dict[str, int], words: Iterable[str]) -> int:
    return sum(table.get(word, 0) for word in words)


def _collect_short_words(source: bytes) -> str:
    """Collect words of one and two letters; a source with too many matches any word."""
    found = b" ".join(sorted(set(_SHORT_BYTES.findall(source)))).decode("ascii")
    return f" {found} " if len(found) <= _MAX_WORDS_LENGTH else ANY_WORD


def _join_words(words: set[str]) -> str:
    """Join words in lower case, one per line; a blob with too many matches any word, so that none is lost."""
    text = "\n".join(sorted({word.lower() for word in words if word}))
    return text if len(text) <= _MAX_WORDS_LENGTH else ANY_WORD


def to_facet_query(filters: Filters) -> FacetQuery:
    """Return the facets that every blob with a matching definition must have."""
    marks, least, types, risks = 0, [], [], []
    kinds = visibilities = 0
    lint = False
    short: list[str] = []
    for row, value in filters:
        if row.field in _COUNTS and isinstance(value, int) and value:
            least.append((_COUNTS[row.field], value))
        elif row.field in _MARK_BIT and value is True:
            marks |= _MARK_BIT[row.field]
        elif row.field == "lint" and value is True:
            lint = True
        elif row.field == "type" and isinstance(value, tuple) and FILE not in value:
            kinds = _to_bits(_KIND_BIT, [word for word in value if isinstance(word, str)])
        elif row.field == "visibility" and isinstance(value, tuple):
            visibilities = _to_bits(_VISIBILITY_BIT, [word for word in value if isinstance(word, str)])
        elif row.field == "inferredType" and isinstance(value, str):
            types.append(value.lower())
        elif row.field in _RISKS and isinstance(value, str):
            risks.append(value.lower())
        elif row.field in EXACT_NAME_FILTERS and isinstance(value, str):
            short += _SHORT.findall(value)
    return FacetQuery(kinds, visibilities, marks, tuple(least), tuple(types), tuple(risks), (), lint, tuple(short))


def split_names(value: str) -> list[str]:
    """Return the names in a value that must occur in the source, longest first."""
    return sorted(dict.fromkeys(_RUN.findall(value)), key=len, reverse=True)

"""Facet SQL: translation of a facet query into a SQL condition."""

from codecompass.model.code.facets import ANY_WORD, HAS_DIAGNOSTICS, FacetQuery

_COUNTS = {name: name for name in ("branches", "loops", "breaks", "continues")}


def build_facet_condition(query: FacetQuery) -> tuple[str, tuple[int | str, ...]]:
    """Return the SQL condition for a facet query, and its bindings."""
    terms: list[str] = ["1"]
    bindings: list[int | str] = []

    def add(term: str, *values: int | str) -> None:
        terms.append(term)
        bindings.extend(values)

    if query.kinds:
        add("kinds & ?", query.kinds)
    if query.visibilities:
        add("visibilities & ?", query.visibilities)
    if query.marks:
        add("marks & ? = ?", query.marks, query.marks)
    for name, least in query.least:
        add(f"{_COUNTS[name]} >= ?", least)
    for column, needles in (("types", query.types), ("risks", query.risks)):
        for needle in needles:
            add(f"(instr({column}, ?) OR {column} = ?)", needle, ANY_WORD)
    if query.languages:
        add("(" + " OR ".join(["instr(languages, ?)"] * len(query.languages)) + ")",
            *(f" {name} " for name in query.languages))  # fmt: skip
    for word in query.short_words:
        add("(instr(short_words, ?) OR short_words = ?)", f" {word} ", ANY_WORD)
    if query.lint:
        add("(marks & ? OR blob IN (SELECT blob FROM lint WHERE length(pack) > 1))", HAS_DIAGNOSTICS)
    return " AND ".join(terms), tuple(bindings)

"""Language information: descriptions of all languages, derived from their data."""

import re
from collections.abc import Iterable

from codecompass.languages.registry import Language, Registry
from codecompass.model.code.language import LanguageInfo

_TIER_FACTS = (
    ("full", {"references", "values", "traits"}),
    ("code", {"references", "values"}),
    ("names", {"references"}),
    ("outline", {"definitions"}),
)
"""Tier → required facts, best first; a format without any is plain text."""


def describe_languages(registry: Registry) -> tuple[LanguageInfo, ...]:
    """Return one description for each reported language name, sorted by name."""
    shown: dict[str, list[str]] = {}
    for name in registry.languages:
        shown.setdefault(registry.display_name(name), []).append(name)
    specs = [language.spec for language in registry.languages.values()]
    contested = {ending for spec in specs for ending in (*spec.contested, *spec.disowned)}
    return tuple(_describe_language(registry, name, sorted(shown[name]), contested) for name in sorted(shown))


def _describe_language(registry: Registry, shown: str, names: list[str], contested: set[str]) -> LanguageInfo:
    languages = [registry.languages[name] for name in names]
    specs = [language.spec for language in languages]
    facts = tuple(dict.fromkeys(fact for language in languages for fact in _list_facts(language)))
    endings = {ending for spec in specs for ending in (*spec.extensions, *spec.contested)}
    return LanguageInfo(
        name=shown,
        dialects=tuple(name for name in names if name != shown),
        tier=next((tier for tier, needed in _TIER_FACTS if needed <= set(facts)), "text"),
        facts=facts,
        extensions=_sort_unique(endings - contested),
        contested=_sort_unique(endings & contested),
        filenames=_sort_unique(
            one for spec in specs for one in (*spec.filenames, *(f"{at}…" for at in spec.name_starts))
        ),
        shebangs=_sort_unique(word for spec in specs for word in spec.shebangs),
        aliases=_sort_unique(word for spec in specs for word in spec.aliases),
    )


def _sort_unique(words: Iterable[str]) -> tuple[str, ...]:
    return tuple(sorted(set(words), key=lambda word: (word.lower(), word)))


def _list_facts(language: Language) -> list[str]:
    spec = language.spec
    captures = set(re.findall(r"@(\w+)", language.read_query("tags.scm")))
    signs = {
        "definitions": "definition" in captures or spec.lines or spec.cells,
        "references": "reference" in captures or language.read_query("names.scm").strip(),
        "imports": captures & {"import", "links"} or any(row.module for row in spec.lines),
        "files": spec.resolve.imports.partition(":")[0] != "none",
        "values": "binding" in captures,
        "traits": (language.read_query("facts.scm") + language.read_query("flows.scm")).strip(),
        "embedded": language.read_query("embed.scm").strip() or spec.cells,
    }
    return [fact for fact, sign in signs.items() if sign]

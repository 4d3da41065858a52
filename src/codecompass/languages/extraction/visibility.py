"""Visibility of definitions, by the strategy that a language selects in its data."""

from bisect import bisect_right

from tree_sitter import Node

from codecompass.languages.extraction.signatures import (
    MAX_SIGNATURE,
    AccessSections,
    DefinitionSite,
    collapse_whitespace,
    read_name,
)
from codecompass.model.code.facts import Definition

_INTERFACES = frozenset({"interface", "trait"})


def read_visibility(site: DefinitionSite, around: Definition | None) -> str:
    """Return the visibility by the strategy of the language; a capture `visibility.<word>` takes precedence."""
    word = next((label.partition(".")[2] for label in site.captures if label.startswith("visibility.")), "")
    word = word or _VISIBILITY_STRATEGIES[site.spec.visibility.strategy](site, around)
    if word == "around":  # inherited from the enclosing definition
        return around.visibility if around else site.spec.visibility.default
    return word


def _use_default(site: DefinitionSite, around: Definition | None) -> str:
    rule = site.spec.visibility
    if around is None:
        return rule.top_level or rule.default
    if around.kind in rule.inside:
        return rule.inside[around.kind]
    return (rule.in_interface or rule.default) if around.kind in _INTERFACES else rule.default


def _read_underscore(site: DefinitionSite, around: Definition | None) -> str:
    """Return private for a leading underscore, except for dunder names."""
    name = read_name(site)
    dunder = name.startswith("__") and name.endswith("__")
    return "private" if name.startswith("_") and not dunder else "public"


def _read_capital(site: DefinitionSite, around: Definition | None) -> str:
    """Return public for a capital first letter."""
    return "public" if read_name(site)[:1].isupper() else site.spec.visibility.default


def _read_modifiers(site: DefinitionSite, around: Definition | None) -> str:
    """Check words captured as `modifier`, then export wrappers, then private names (`#`), then the defaults."""
    rule = site.spec.visibility
    nodes = list(site.captures.get("modifier", ()))
    if rule.nodes:
        holder: Node | None = site.node
        while holder is not None and holder.start_byte >= site.outer.start_byte and not nodes:
            nodes = [child for child in holder.children if child.type in rule.nodes]
            holder = holder.parent if holder != site.outer else None
    if site.first != site.outer:
        nodes.append(site.first)
    text = " ".join(collapse_whitespace(site.source[node.start_byte : node.end_byte]) for node in nodes)
    if text:
        words = set(text.split())
        for word in sorted(rule.words, key=len, reverse=True):
            if word in words or (not word.isalnum() and word in text):
                return rule.words[word]
    above = site.node.parent
    while above is not None and rule.exported_by and above.start_byte >= site.outer.start_byte:
        if above.type in rule.exported_by:
            return "public"
        above = above.parent
    if read_name(site).startswith("#"):
        return "private"
    return _use_default(site, around)


def _read_sections(site: DefinitionSite, around: Definition | None) -> str:
    """Check modifiers, then the nearest access section above (`private:`, `private`), then the defaults."""
    rule = site.spec.visibility
    if around is None:
        return _read_modifiers(site, around)
    body, name = site.outer.parent, read_name(site).lstrip(site.spec.name_prefix or None)
    marked = "modifier" in site.captures
    applies = not marked and (not rule.section_kinds or site.kind in rule.section_kinds)
    while body is not None:
        starts, named = _find_sections(site, body)
        if name in named:
            return named[name]
        at = bisect_right(starts, site.outer.start_byte, key=lambda start: start[0]) - 1
        if applies and at >= 0:
            return starts[at][1]
        body = body.parent if body.type in rule.section_through else None
    if not marked and around.kind in rule.inside:
        return rule.inside[around.kind]
    return _read_modifiers(site, around)


def _find_sections(site: DefinitionSite, body: Node) -> AccessSections:
    """Return the access sections of a body, computed once: visiting siblings per member would be quadratic."""
    known = site.memo.get(body.id)
    if known is None:
        rule = site.spec.visibility
        starts: list[tuple[int, str]] = []
        named: dict[str, str] = {}
        for child in body.children:
            if child.type not in rule.sections:
                continue
            first, *rest = collapse_whitespace(site.source[child.start_byte : child.end_byte][:MAX_SIGNATURE]).split(
                " "
            )
            word = rule.words.get(first.rstrip(":("))
            if word and not rest:
                starts.append((child.start_byte, word))
            elif word and site.spec.name_prefix and rest[0].startswith(site.spec.name_prefix):
                named.update((item.strip(",()" + site.spec.name_prefix), word) for item in rest)
        known = site.memo[body.id] = (starts, named)
    return known


_VISIBILITY_STRATEGIES = {
    "underscore": _read_underscore,
    "capital": _read_capital,
    "modifiers": _read_modifiers,
    "sections": _read_sections,
    "listed": _use_default,
}

"""Misses: what went wrong, by the shape of the text around it, with examples to look at."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from bench.accuracy.definitions import Located
from bench.accuracy.jumps import Jump
from bench.accuracy.navigation import definition_at
from bench.accuracy.ours import Ours
from bench.accuracy.places import shape
from bench.accuracy.references import Answer
from bench.accuracy.sources import Place
from bench.accuracy.truth import Truth
from codecompass.model.queries.navigation_queries import SymbolNode


@dataclass(frozen=True, slots=True)
class Miss:
    group: str
    place: Place
    true: str
    ours: str


def of_definitions(located: Iterable[Located]) -> Iterator[Miss]:
    for item in located:
        if not item.first:
            symbol = item.question.symbol
            yield Miss(f"not first, {symbol.named.kind}", symbol.home, item.question.text, item.instead)


def of_answers(truth: Truth, answers: Iterable[Answer]) -> Iterator[Miss]:
    """What `all` does not find, and what `resolved + ambiguous` finds wrongly."""
    for answer in answers:
        name = answer.symbol.named.dotted
        found = answer.found("resolved + ambiguous")
        for place in sorted(answer.true - found):
            use = answer.ours.get(place)
            how = "missed" if use is None else "unresolved"
            yield Miss(f"{how}, {shape(truth, place)}", place, name, "")
        for place in sorted(found - answer.true):
            said = ", ".join(sorted(_short(key) for key in truth.at[place])) if truth.spoken(place) else "(silent)"
            how = "truth silent" if said == "(silent)" else "wrong"
            yield Miss(f"{how}, {shape(truth, place)}", place, said, f"{answer.ours[place].resolution} {name}")


def of_jumps(truth: Truth, jumps: Iterable[Jump]) -> Iterator[Miss]:
    for jump in jumps:
        if jump.outcome != "right":
            true = ", ".join(item.named.dotted for item in jump.meant)
            group = f"{jump.outcome}, {shape(truth, jump.place)}, {jump.meant[0].named.kind}"
            yield Miss(group, jump.place, true, _say("", jump.offered))


def explained(ours: Ours, place: Place) -> str:
    """What we say the name at a place means."""
    return _say(*definition_at(ours, place))


def show(
    truth: Truth,
    title: str,
    misses: Iterable[Miss],
    examples: int,
    explain: Callable[[Place], str] = lambda place: "nothing",
) -> None:
    """Groups by size, each with examples spread over the repository; only what is shown is asked about."""
    groups: dict[str, list[Miss]] = defaultdict(list)
    for miss in misses:
        groups[miss.group].append(miss)
    sizes = Counter({group: len(found) for group, found in groups.items()})
    print(f"\n### {title}: {sizes.total()} in {len(sizes)} groups\n")
    for group, size in sizes.most_common():
        print(f"{size:6} {group}")
        step = max(1, size // examples)
        for miss in groups[group][::step][:examples]:
            path, line, column = miss.place
            print(f"         {path}:{line}:{column}  {truth.sources.shown(miss.place)}")
            print(f"             truth: {miss.true}   ours: {miss.ours or explain(miss.place)}")


def _say(resolution: str, nodes: tuple[SymbolNode, ...]) -> str:
    names = [f"{node.qualified_name} ({node.path}:{node.line_start})" for node in nodes[:3]]
    more = [f"and {len(nodes) - 3} more"] if len(nodes) > 3 else []
    return f"{resolution} {', '.join([*names, *more]) or 'nothing'}".strip()


def _short(key: str) -> str:
    return key.rsplit(" ", 1)[-1]

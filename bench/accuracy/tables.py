"""Tables: the figures of several repositories as Markdown, each one and all together."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from bench.accuracy import references as referring
from bench.accuracy.definitions import Located
from bench.accuracy.jumps import OUTCOMES, Jump, of_kinds
from bench.accuracy.references import GREP, SETTINGS, Answer
from bench.accuracy.score import Counts, share
from bench.accuracy.truth import Truth
from bench.peers import NOT_INSTALLED

TARGETS = {"definitions": 0.97, "python": 0.80, "typescript": 0.75}
"""Definitions found first; F1 of call sites by language."""
ANSWERS_HEAD = (
    "repository", "answer", "symbols", "places", "precision", "recall", "F1", "F1 by symbol",
    "F1 where the truth speaks",
)  # fmt: skip
_EVERY = (*SETTINGS, GREP)


@dataclass
class Findings:
    """All that was measured in one repository; a measure that was not asked for is empty."""

    truth: Truth
    has_tags: bool = True
    located: list[Located] = field(default_factory=list)
    answers: dict[str, list[Answer]] = field(default_factory=dict)
    """By measure: `references`, `members`, `calls`."""
    jumps: list[Jump] = field(default_factory=list)


def markdown(title: str, head: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    if rows:
        lines = [head, ["---"] + ["---:"] * (len(head) - 1), *rows]
        print(f"\n### {title}\n\n" + "\n".join(f"| {' | '.join(line)} |" for line in lines), flush=True)


def groups(every: Sequence[Findings]) -> Mapping[str, Sequence[Findings]]:
    """Each repository by itself, then those of a language together."""
    alone = {f"{item.truth.repository} ({item.truth.language})": [item] for item in every}
    languages = Counter(item.truth.language for item in every)
    several = [name for name, count in languages.items() if count > 1]
    return alone | {f"**{name}, all**": [item for item in every if item.truth.language == name] for name in several}


def show_definitions(every: Sequence[Findings]) -> dict[str, float]:
    rows, figures = [], {}
    for name, items in groups(every).items():
        found = [located for item in items for located in item.located]
        if found:
            figures[name] = share(sum(item.first for item in found), len(found))
            among = share(sum(item.among_ten for item in found), len(found))
            tagged = share(sum(item.tagged for item in found), len(found))
            beside = f"{tagged:.3f}" if items[0].has_tags else NOT_INSTALLED
            rows.append([name, str(len(found)), f"{figures[name]:.3f}", f"{among:.3f}", beside])
    head = ("repository", "definitions", "ours first", "ours, bare name among 10", "ctags first")
    markdown(f"Definitions by name (target {TARGETS['definitions']:.2f} first)", head, rows)
    return figures


def show_answers(every: Sequence[Findings], measure: str, title: str) -> dict[str, dict[str, Counts]]:
    """One line for each repository and setting; the counts over all symbols by group and setting."""
    rows, figures = [], {}
    for name, items in groups(every).items():
        answers = [answer for item in items for answer in item.answers.get(measure, ())]
        if not answers:
            continue
        figures[name] = {setting: referring.score(answers, setting).micro for setting in _EVERY}
        places = sum(len(answer.true) for answer in answers)
        for setting in _EVERY:
            label = f"ours, {setting}" if setting in SETTINGS else _baseline(measure)
            judged = sum((answer.judged(setting) for answer in answers), Counts())
            figures_of = referring.score(answers, setting).row()
            rows.append([name, label, str(len(answers)), str(places), *figures_of, f"{judged.f1:.3f}"])
    markdown(title, ANSWERS_HEAD, rows)
    return figures


def _baseline(measure: str) -> str:
    return "grep `name(`" if measure == "calls" else GREP


def show_jumps(every: Sequence[Findings]) -> dict[str, dict[str, int]]:
    rows, figures = [], {}
    for name, items in groups(every).items():
        found = [jump for item in items for jump in item.jumps]
        for label, kinds in (("", ()), (", without members", (*referring.KINDS, "nested"))):
            chosen = of_kinds(found, kinds)
            if chosen:
                counts = Counter(jump.outcome for jump in chosen)
                figures[name + label] = dict(counts)
                shares = [f"{share(counts[outcome], len(chosen)):.3f}" for outcome in OUTCOMES]
                tagged = share(sum(jump.tagged for jump in chosen), len(chosen))
                beside = f"{tagged:.3f}" if items[0].has_tags else NOT_INSTALLED
                rows.append([name + label, str(len(chosen)), *shares, beside])
    head = ("repository", "mentions", "right", "among several", "elsewhere", "nowhere", "ctags, first of that name")
    markdown("From a mention to its definition", head, rows)
    return figures

"""Command `languages`: list the supported languages and their tiers."""

import argparse

from rich.text import Text

from codecompass.model.code.language import LanguageInfo
from codecompass.surfaces.cli.output import write_json
from codecompass.surfaces.cli.views.terminal import console

TIER_STYLE = {"full": "green", "code": "cyan", "names": "yellow", "outline": "blue", "text": "dim"}
TIERS = (
    "full: definitions, uses, values and traits; code: without traits; names: definitions and uses; outline:"
    " definitions only. Everything else is searched as text."
)
MAX_ENDINGS = 6
"""Most file extensions shown for one language; the JSON has all."""


def show_languages(args: argparse.Namespace, cards: tuple[LanguageInfo, ...]) -> int:
    """Print a table, or every language as JSON."""
    if args.json:
        write_json({"languages": [card._asdict() for card in cards]})
        return 0
    out = console()
    width = max(len(card.name) for card in cards)
    for card in cards:
        line = Text()
        line.append(f"{card.name:<{width}}  ", style="bold")
        line.append(f"{card.tier:<8} ", style=TIER_STYLE[card.tier])
        line.append(_format_names(card))
        out.print(line)
    out.print(Text(f"{len(cards)} languages. {TIERS}", style="dim"))
    return 0


def _format_names(card: LanguageInfo) -> str:
    endings = [*card.extensions, *(f"{ending}?" for ending in card.contested)]
    shown = [*endings[:MAX_ENDINGS], *card.filenames[: max(0, MAX_ENDINGS - len(endings))]]
    left = len(endings) + len(card.filenames) - len(shown)
    return " ".join(shown) + (f" and {left} more" if left > 0 else "")

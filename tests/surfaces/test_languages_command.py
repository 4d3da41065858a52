"""The command that lists the languages."""

import json

from codecompass.languages.language_info import describe_languages
from codecompass.languages.registry import Registry
from tests.surfaces.conftest import Shell

CARDS = {card.name: card for card in describe_languages(Registry())}


def test_the_command_lists_them(indexed: Shell) -> None:
    """CLI-LANGUAGES: a line for each for people; --json has every field."""
    shown = indexed.run("languages")
    assert shown.returncode == 0
    assert all(any(line.startswith(f"{name} ") for line in shown.stdout.splitlines()) for name in CARDS)
    told = json.loads(indexed.run("languages", "--json").stdout)["languages"]
    assert [row["name"] for row in told] == sorted(CARDS)
    assert told == [json.loads(json.dumps(card._asdict())) for card in CARDS.values()]

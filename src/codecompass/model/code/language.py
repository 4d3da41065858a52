"""LanguageCard: what is known of one language, as `codecompass languages` and the documents show it."""

from typing import NamedTuple


class LanguageCard(NamedTuple):
    """One language; all of it is read off its data, nothing is typed by hand."""

    name: str
    """As answers spell it."""
    dialects: tuple[str, ...]
    """Names of grammars that are reported under this name."""
    tier: str
    """`full`: definitions, uses, values and traits; `code`: definitions, uses and values; `names`: definitions and
    uses; `outline`: definitions; `text`: its words."""
    facts: tuple[str, ...]
    """What is extracted: `definitions`, `references`, `imports`, `files` that imports lead to, `values` that names
    stand for, `traits` of definitions, text in other languages that is `embedded`."""
    extensions: tuple[str, ...]
    contested: tuple[str, ...]
    """Endings that other languages have too, so that the content decides."""
    filenames: tuple[str, ...]
    """File names; `…` stands for anything."""
    shebangs: tuple[str, ...]
    aliases: tuple[str, ...]

"""LanguageInfo: the description of one language for `codecompass languages` and the documentation."""

from typing import NamedTuple


class LanguageInfo(NamedTuple):
    """One language; all fields are derived from its data."""

    name: str
    """The name in answers."""
    dialects: tuple[str, ...]
    """Names of other grammars reported under this name."""
    tier: str
    """`full`: definitions, uses, values and traits; `code`: definitions, uses and values; `names`: definitions and
    uses; `outline`: definitions; `text`: its words."""
    facts: tuple[str, ...]
    """What is extracted: `definitions`, `references`, `imports`, `files` that imports resolve to, `values` of names,
    `traits` of definitions, and `embedded` text in other languages."""
    extensions: tuple[str, ...]
    contested: tuple[str, ...]
    """Extensions shared with other languages; the content decides."""
    filenames: tuple[str, ...]
    """File names; `…` matches anything."""
    shebangs: tuple[str, ...]
    aliases: tuple[str, ...]

"""Files that the simulation makes: every line stands alone, so that any merge of two versions is a valid file too.

Words and names are invented, so that a question for one has exactly one right answer, which plain `re` finds.
"""

import re
from random import Random

CONSONANTS = "bdfgklmnprtvz"
VOWELS = "aeiou"
SYLLABLES = [first + second for first in CONSONANTS for second in VOWELS]
SHARED = 12
"""Words that many files hold."""
FOLDERS = ("", "app/", "app/core/", "lib/", "docs/", "Tools/", "mödul/")
ENDINGS = (".py", ".py", ".py", ".js", ".txt")
NOUNS = ("alpha", "beta", "gamma", "delta", "Epsilon", "zeta", "eta", "theta", "iota", "kappa", "Lambda", "mü")
_DEFINED = {
    ".py": re.compile(rb"^(?:def|class) (\w+)"),
    ".js": re.compile(rb"^(?:function|class) (\w+)"),
}


def invent(rng: Random) -> str:
    """A word that no language has: ten letters, and no ending that a spelling rule knows."""
    return "".join(rng.choice(SYLLABLES) for _ in range(4)) + rng.choice("kz") + "k"


def shared_word(number: int) -> str:
    """One of the words that files have in common."""
    return invent(Random(f"shared {number}"))


def make_path(rng: Random) -> str:
    return f"{rng.choice(FOLDERS)}{rng.choice(NOUNS)}{rng.randrange(40)}{rng.choice(ENDINGS)}"


def make_line(rng: Random, ending: str) -> str:
    """One line: a comment, a function or a class."""
    word = shared_word(rng.randrange(SHARED)) if rng.random() < 0.3 else invent(rng)
    kind = rng.randrange(3)
    if ending == ".py":
        made = (f"# {word} {invent(rng)}", f'def {invent(rng)}(value): return "{word}"', f"class {_cased(rng)}: pass")
    elif ending == ".js":
        made = (f"// {word}", f'function {invent(rng)}(value) {{ return "{word}"; }}', f"class {_cased(rng)} {{}}")
    else:
        made = (f"{word} {invent(rng)}", f"{word}.", f"{invent(rng)}, {word}")
    return made[kind]


def _cased(rng: Random) -> str:
    return invent(rng).capitalize()


def make_text(rng: Random, path: str) -> str:
    """A whole file; now and then a long one, or one that is empty."""
    size = rng.choice((0, 1, 2, 3, 5, 8, 13, 60))
    return "".join(make_line(rng, ending_of(path)) + "\n" for _ in range(size))


def ending_of(path: str) -> str:
    stem, dot, ending = path.rpartition(".")
    return f".{ending}" if dot and stem else ""


def definitions(path: str, data: bytes) -> list[tuple[str, int]]:
    """(name, line) of everything that a file defines."""
    pattern = _DEFINED.get(ending_of(path))
    if pattern is None:
        return []
    found = ((pattern.match(line), number) for number, line in enumerate(data.split(b"\n"), 1))
    return [(match[1].decode(), number) for match, number in found if match]


def words_of(data: bytes) -> list[str]:
    """Every invented word of a text, once, in a fixed order."""
    return sorted({match.decode().lower() for match in re.findall(rb"[A-Za-z]{10}\b", data)})

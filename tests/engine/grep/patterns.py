"""Random patterns in the syntax that RE2 and ripgrep share, made of what stands in the thicket."""

import random

from tests.engine.grep.regex_repo import WORDS

ATOMS = (
    ".", r"\w", r"\d", r"\s", r"\S", r"\W", r"\D", "[a-z]", "[^a-z]", "[A-Z_]", "[^ ]", "[ab]", "[sS]", "[α-ω]", "[^é]",
    r"[\w.]", r"[^\s,]", r"[\d_]", r"[^\W_]", "[[:alpha:]]", "[[:^digit:]]", r"\pL", r"\p{Greek}", r"\PL", r"[\p{Nd}x]",
    r"\x61", r"\x{e9}", r"\.", r"\(", r"\[", r"\$", r"\\", r"\t", "é", "λ", "日", "s", "k", "ß",
)  # fmt: skip
REPEATS = ("*", "+", "?", "{2}", "{1,3}", "{2,}", "*?", "+?", "??", "{0,2}")
META = frozenset(r"\.+*?()|[]{}^$")


def escaped(text: str) -> str:
    return "".join("\\" + sign if sign in META else sign for sign in text)


def literal(rng: random.Random) -> str:
    word = rng.choice(WORDS)
    if len(word) > 2 and rng.random() < 0.5:
        first = rng.randrange(len(word) - 1)
        word = word[first : first + rng.randrange(1, 6)]
    return escaped(word)


def piece(rng: random.Random, depth: int) -> str:
    chance = rng.random()
    if chance < 0.45 or depth > 3:
        return literal(rng)
    if chance < 0.7:
        return rng.choice(ATOMS) + (rng.choice(REPEATS) if rng.random() < 0.4 else "")
    if chance < 0.9:
        opening = rng.choice(("(", "(?:", "(?i:", "(?-i:", f"(?P<n{rng.randrange(10**6)}>"))
        return opening + expression(rng, depth + 1) + ")" + (rng.choice(REPEATS) if rng.random() < 0.4 else "")
    return rng.choice(("^", "$", r"\b", r"\B", "(?i)", "(?-i)"))


def expression(rng: random.Random, depth: int = 0) -> str:
    parts = ["".join(piece(rng, depth) for _ in range(rng.randrange(1, 4)))]
    while rng.random() < 0.2:
        parts.append("".join(piece(rng, depth) for _ in range(rng.randrange(0, 3))))
    return "|".join(parts)


def patterns(count: int, seed: int) -> list[str]:
    """Different patterns that the tool would take."""
    rng = random.Random(seed)
    found: dict[str, None] = {}
    while len(found) < count:
        made = expression(rng)
        if 0 < len(made) <= 200:
            found[made] = None
    return list(found)

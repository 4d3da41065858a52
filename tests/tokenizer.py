"""A real tokenizer: what a text costs a language model. The vocabularies come with the package, nothing is fetched."""

from functools import cache

from rs_bpe.bpe import openai

from codecompass.contract.encoding import encode


@cache
def _vocabularies() -> tuple[openai.Tokenizer, ...]:
    return openai.o200k_base(), openai.cl100k_base()


def tokens(text: str) -> int:
    """The number of tokens in the costlier of two common vocabularies."""
    return max(int(vocabulary.count(text)) for vocabulary in _vocabularies())


def cost(value: object) -> int:
    """Tokens of a value as the compact JSON that answers are made of."""
    return tokens(encode(value).decode())


def tokens_in_o200k(text: str) -> int:
    """The number of tokens in the newer vocabulary alone, in which budgets are promised."""
    return int(_vocabularies()[0].count(text))


def cost_in_o200k(value: object) -> int:
    """Tokens of a value as compact JSON in the newer vocabulary."""
    return tokens_in_o200k(encode(value).decode())

"""Train: a table of vectors for parts of identifiers and words, from pairs of questions and code.

    python -m training.train --pairs DIR --out FILE [--epochs 1] [--vocabulary 32000]

Contrastive: of all codes in a batch, the question must be nearest to its own, and the code to its own question. Most of
a batch comes from one repository at a time, because that is what a search has to tell apart. Needs torch; using the
model does not.
"""

import argparse
import json
import time
from collections import Counter
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray

from codecompass.embed.static_model import Pieces, grams_of, parts_of, words_of
from codecompass.embed.weights_file import digest_of, pack_weights

BUCKETS = 8192
WIDTH = 256
BLOCK = 256
"""Pairs of one repository that stand together in a batch."""
BLOCKS = 4


class Bags:
    """Texts as rows and weights, one after another."""

    def __init__(self, pieces: Pieces, texts: list[str]) -> None:
        rows: list[NDArray[np.int32]] = []
        weights: list[NDArray[np.float32]] = []
        for text in texts:
            found, counts = pieces.weigh(text)
            rows.append(np.array(found, np.int32))
            weights.append(np.array(counts, np.float32))
        self.sizes = np.array([len(item) for item in rows])
        self.starts = np.concatenate([[0], np.cumsum(self.sizes)])
        self.rows = np.concatenate(rows)
        self.weights = np.concatenate(weights)

    def take(self, chosen: NDArray[np.int64]) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        """What an EmbeddingBag wants for the chosen texts."""
        sizes = self.sizes[chosen]
        ends = np.cumsum(sizes)
        places = np.repeat(self.starts[chosen] - (ends - sizes), sizes) + np.arange(ends[-1])
        return (
            torch.from_numpy(self.rows[places].astype(np.int64)),
            torch.from_numpy(ends - sizes),
            torch.from_numpy(self.weights[places]),
        )


def read_pairs(directory: Path) -> tuple[list[str], list[str], NDArray[np.int64], list[str]]:
    """Questions, codes, the number of the repository of each, and the kind of each."""
    questions, codes, homes, kinds = [], [], [], []
    for home, path in enumerate(sorted(directory.glob("*.jsonl"))):
        for line in path.read_text("utf-8").splitlines():
            kind, question, code, _ = json.loads(line)
            questions.append(question)
            codes.append(code)
            homes.append(home)
            kinds.append(kind)
    return questions, codes, np.array(homes), kinds


def choose_vocabulary(texts: list[str], size: int) -> tuple[list[str], NDArray[np.float64]]:
    """The parts that stand in most texts, and in which share of all texts each stands."""
    seen: Counter[str] = Counter()
    memory: dict[str, list[str]] = {}
    for text in texts:
        found: set[str] = set()
        for word in set(words_of(text)):
            if word not in memory:
                memory[word] = parts_of(word)
            found.update(memory[word])
        seen.update(found)
    best = sorted(seen.items(), key=lambda item: (-item[1], item[0]))[:size]
    return [part for part, _ in best], np.array([count for _, count in best]) / len(texts)


def gram_matrix(vocabulary: list[str]) -> torch.Tensor:
    """Which buckets each part of the vocabulary is made of, as a sparse matrix."""
    rows, columns = [], []
    for row, part in enumerate(vocabulary):
        for gram in grams_of(part, BUCKETS):
            rows.append(row)
            columns.append(gram)
    return torch.sparse_coo_tensor(
        torch.tensor([rows, columns]), torch.ones(len(rows)), (len(vocabulary), BUCKETS)
    ).coalesce()


def first_table(vocabulary: list[str], shares: NDArray[np.float64], seed: int) -> torch.Tensor:
    """Words alike in letters begin near one another, rare ones longer than frequent ones."""
    chance = torch.Generator().manual_seed(seed)
    grams = torch.sparse.mm(gram_matrix(vocabulary), torch.randn(BUCKETS, WIDTH, generator=chance))
    grams = torch.nn.functional.normalize(grams)
    own = torch.nn.functional.normalize(torch.randn(len(vocabulary), WIDTH, generator=chance))
    weight = torch.from_numpy(1e-2 / (1e-2 + shares)).float().sqrt()[:, None]
    table = torch.zeros(len(vocabulary) + BUCKETS, WIDTH)
    table[: len(vocabulary)] = weight * torch.nn.functional.normalize(grams + own)
    return table * 0.1


def batches(homes: NDArray[np.int64], chance: np.random.Generator) -> list[NDArray[np.int64]]:
    """All pairs in an order of chance, in blocks of one repository, several blocks to a batch."""
    blocks = []
    for home in np.unique(homes):
        own = chance.permutation(np.flatnonzero(homes == home))
        blocks += [own[at : at + BLOCK] for at in range(0, len(own), BLOCK)]
    order = chance.permutation(len(blocks))
    return [np.concatenate([blocks[i] for i in order[at : at + BLOCKS]]) for at in range(0, len(order), BLOCKS)]


def fit_buckets(table: torch.Tensor, vocabulary: list[str]) -> None:
    """Buckets such that the sum of a part's runs comes near the vector it has learned."""
    matrix, goal = gram_matrix(vocabulary), table[: len(vocabulary)]
    found = torch.zeros(BUCKETS, WIDTH)
    counts = torch.sparse.sum(matrix, 0).to_dense()[:, None]
    lengths = torch.sparse.sum(matrix, 1).to_dense()[:, None]
    for _ in range(60):
        found += 0.9 * torch.sparse.mm(matrix.t(), (goal - torch.sparse.mm(matrix, found)) / lengths) / (counts + 3)
    table[len(vocabulary) :] = found


def embed(bag: torch.nn.EmbeddingBag, taken: tuple[torch.Tensor, torch.Tensor, torch.Tensor]) -> torch.Tensor:
    """Vectors of length one."""
    rows, starts, weights = taken
    return torch.nn.functional.normalize(bag(rows, starts, per_sample_weights=weights))


def prepare(options: argparse.Namespace) -> tuple[list[str], NDArray[np.float64], Bags, Bags, NDArray[np.int64]]:
    """The vocabulary with its shares, both sides of the pairs as bags, the repository of each (-1: too short)."""
    questions, codes, homes, kinds = read_pairs(options.pairs)
    print(len(questions), "pairs", dict(Counter(kinds)), flush=True)
    vocabulary, shares = choose_vocabulary(questions + codes, options.vocabulary)
    pieces = Pieces(vocabulary, BUCKETS)
    asked, given = Bags(pieces, questions), Bags(pieces, codes)
    usable = (asked.sizes > 1) & (given.sizes > 4)
    return vocabulary, shares, asked, given, np.where(usable, homes, -1)


def train(options: argparse.Namespace) -> tuple[list[str], torch.Tensor]:
    """The vocabulary and its table."""
    torch.manual_seed(7)
    torch.set_num_threads(options.threads)
    vocabulary, shares, asked, given, marked = prepare(options)
    places = np.flatnonzero(marked >= 0)
    homes = marked[places]
    bag = torch.nn.EmbeddingBag.from_pretrained(first_table(vocabulary, shares, 7), freeze=False, mode="sum")
    optimiser = torch.optim.Adam(bag.parameters(), lr=options.rate, fused=True)
    chance = np.random.default_rng(7)
    total = options.epochs * len(batches(homes, chance))
    begun, step = time.monotonic(), 0
    for epoch in range(options.epochs):
        losses = []
        for chosen in batches(homes, chance):
            picked = places[chosen]
            optimiser.param_groups[0]["lr"] = options.rate * min(1, (step + 1) / 50) * max(0.03, 1 - step / total)
            q, c = embed(bag, asked.take(picked)), embed(bag, given.take(picked))
            scores = q @ c.T / options.temperature
            goal = torch.arange(len(picked))
            loss = torch.nn.functional.cross_entropy(scores, goal) + torch.nn.functional.cross_entropy(scores.T, goal)
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
            step += 1
            losses.append(loss.item() / 2)
        print(f"epoch {epoch} loss {np.mean(losses):.4f} {time.monotonic() - begun:.0f}s", flush=True)
    table = bag.weight.detach()
    fit_buckets(table, vocabulary)
    return vocabulary, table


def main() -> None:
    """Train and write the weights."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pairs", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--name", default="compass-static-1")
    parser.add_argument("--epochs", type=int, default=1)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--rate", type=float, default=1.5e-3)
    parser.add_argument("--temperature", type=float, default=0.05)
    parser.add_argument("--vocabulary", type=int, default=32_000)
    options = parser.parse_args()
    vocabulary, table = train(options)
    numbers = table.numpy()
    scales = np.abs(numbers).max(1) / 127
    whole = np.round(numbers / np.maximum(scales, 1e-12)[:, None]).astype(np.int8)
    data = pack_weights(options.name, tuple(vocabulary), scales.astype(np.float32), whole)
    options.out.write_bytes(data)
    print(len(data), "bytes", digest_of(data))


if __name__ == "__main__":
    main()

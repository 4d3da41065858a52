"""Vectors: what they add to indexing, their room, and how long a question takes at several sizes.

Usage: python -m bench.vector_bench REPO [--sizes 10000,60000,100000,300000,1000000] [--rounds 15]
"""

import argparse
import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

from bench.copies import copy_repository, temporary_directory
from bench.report import record, table
from codecompass.embed.bundled import open_bundled
from codecompass.embed.embedder import Vectors, normalise
from codecompass.embed.quantised_vectors import quantise
from codecompass.engine.index.blob_parser import ParserContext, parse_blob
from codecompass.engine.index.parse_task import ParseTask
from codecompass.engine.index.vector_build import make_chunk_texts
from codecompass.store.embedded.embedded_store import EmbeddedStore
from codecompass.store.embedded.vectors import vector_table
from codecompass.store.embedded.vectors.vector_table import VectorTable, ViewVectors, compute_norms
from codecompass.store.fact_codec import unpack_facts
from codecompass.store.vector_port import VectorIndex

QUESTIONS = (
    "where are cookies parsed", "hash a password", "apply database migrations in order", "render a template",
    "escape html in output", "open a connection to the database", "validate an email address", "cache a response",
    "resolve a url to a view", "translate a string", "send mail over smtp", "limit the size of an upload",
)  # fmt: skip
ENCODED = 20_000
RUN = 10
"""Chunks in a file of the made stocks."""


def milliseconds(work: Callable[[], object], rounds: int) -> float:
    times = []
    for _ in range(rounds):
        began = time.perf_counter()
        work()
        times.append(time.perf_counter() - began)
    return statistics.median(times) * 1_000


def indexed(repo: Path, data: Path, *more: str) -> tuple[float, float]:
    """Seconds and CPU seconds of an index command, its children included."""
    command = [sys.executable, "-m", "codecompass", "--data-dir", str(data), "index", "--path", str(repo), *more]
    before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    took, after = time.perf_counter() - began, resource.getrusage(resource.RUSAGE_CHILDREN)
    return took, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def encoding(repo: Path) -> float:
    """Chunks encoded in a CPU second, of the repository's own Python files."""
    bench = ParserContext()
    texts: list[str] = []
    for path in sorted(repo.rglob("*.py")):
        parsed = parse_blob(bench, ParseTask("python", path.name, (), path.read_bytes()))
        texts += make_chunk_texts(unpack_facts(parsed.packs[0]), path.read_bytes())
        if len(texts) > ENCODED:
            break
    model = open_bundled()
    began = time.process_time()
    model.encode(texts)
    return len(texts) / (time.process_time() - began)


def made(real: Vectors, count: int) -> ViewVectors:
    """A stock of any size whose vectors lie like real ones: each between two of them."""
    chance = np.random.default_rng(count)
    rows, scales = np.empty((count, real.shape[1]), np.int8), np.empty(count, np.float32)
    for at in range(0, count, 50_000):
        size = min(50_000, count - at)
        one, other = real[chance.integers(len(real), size=size)], real[chance.integers(len(real), size=size)]
        rows[at : at + size], scales[at : at + size] = quantise(normalise(one + 0.4 * other))
    starts = np.append(np.arange(0, count, RUN), count)
    blobs = np.arange(1, len(starts))
    where = {(f"f{blob}", blob): at for at, blob in enumerate(blobs.tolist())}
    sides, side_scales = rows[: 2 * len(blobs)], scales[: 2 * len(blobs)]
    stock = VectorTable(rows, scales, blobs, starts, compute_norms(rows, scales, starts), sides, side_scales, where)
    return ViewVectors(stock, "m", dict(where.keys()))


def asking(field: ViewVectors, questions: Vectors, rounds: int) -> tuple[float, float, float]:
    """Milliseconds for the nearest 60 chunks, with the numbers of 150 files besides, and recall of the nearest ten."""
    some = list(field.files)[:150]

    def whole(question: Vectors) -> None:
        asked = field.compare_query(question)
        asked.find_nearest(60)
        asked.compare_files(some)
        asked.median()
        asked.maximum()

    first = statistics.median(
        milliseconds(lambda one=one: field.compare_query(one).find_nearest(60), rounds)  # type: ignore[misc]
        for one in questions
    )
    second = statistics.median(milliseconds(lambda one=one: whole(one), rounds) for one in questions)  # type: ignore[misc]
    found = [{hit[:2] for hit in field.compare_query(one).find_nearest(10)} for one in questions]
    limit, vector_table.EXACT = vector_table.EXACT, sys.maxsize
    exact = [{hit[:2] for hit in field.compare_query(one).find_nearest(10)} for one in questions]
    vector_table.EXACT = limit
    return first, second, sum(len(a & b) for a, b in zip(found, exact, strict=True)) / sum(map(len, exact))


def stored(data: Path) -> tuple[EmbeddedStore, Path]:
    home = next((data / "projects").iterdir())
    return EmbeddedStore(home), home


def loaded(store: EmbeddedStore) -> tuple[VectorIndex, Vectors, float]:
    """The field of the only view, its chunks, and the seconds that loading took."""
    with store.pin() as snapshot:
        (view,) = snapshot.views()
        snapshot.entries(view)
        began = time.perf_counter()
        field = snapshot.vectors(view, open_bundled().digest)
        took = time.perf_counter() - began
        assert field is not None and field.is_complete
        return field, np.concatenate(list(field.chunk_vectors(snapshot.paths(view)).values())), took


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("repo", type=Path)
    parser.add_argument("--sizes", default="10000,60000,100000,300000,1000000")
    parser.add_argument("--rounds", type=int, default=15)
    args = parser.parse_args()
    with temporary_directory() as base:
        repo, data = copy_repository(args.repo, base / "repo"), base / "data"
        lexical, lexical_cpu = indexed(repo, data, "--no-embed")
        idle, idle_cpu = indexed(repo, data, "--no-embed")
        whole, whole_cpu = indexed(repo, data)
        store, home = stored(data)
        field, real, load = loaded(store)
        room = (home / "vectors.db").stat().st_size / len(real)
        facts = {
            "chunks": len(real), "files": field.covered, "lexical s": lexical, "vectors s": whole - idle,
            "vectors / lexical": (whole - idle) / lexical, "the same of CPU time": (whole_cpu - idle_cpu) / lexical_cpu,
            "encoded / CPU s": encoding(repo), "bytes a chunk on disk": room,
            "load ms": load * 1_000,
        }  # fmt: skip
        table("Vectors", ["measure", "value"], [[name, f"{value:,.2f}"] for name, value in facts.items()])
        questions = open_bundled().encode(QUESTIONS)
        lines = []
        for size in map(int, args.sizes.split(",")):
            best, files, recall = asking(made(real, size), questions, args.rounds)
            lines.append([f"{size:,}", f"{best:.2f}", f"{files:.2f}", f"{recall:.3f}", f"{size * 260 / 2**20:.0f}"])
        head = ["chunks", "nearest 60, ms", "with 150 files, ms", "recall@10", "memory MB"]
        table("Questions", head, lines)
        store.close()
        record("vectors", {"facts": facts, "sizes": [dict(zip(head, line, strict=True)) for line in lines]})


if __name__ == "__main__":
    main()

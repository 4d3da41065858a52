"""Mine: pairs of (what somebody would ask, code that answers) from the definitions and commits of git repositories.

    python -m training.mine --mirror DIR --out DIR [--files 600] [--commits 1000] [--processes 2]

DIR of `--mirror` holds bare repositories as `owner+name/repo`. One JSON-lines file is written per repository, the same
for the same commit: what is taken is drawn by a generator seeded with the repository's name.
"""

import argparse
import json
import random
import re
import subprocess
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

from codecompass.languages.detection import Detection
from codecompass.languages.formats.embedded_languages import extract_whole
from codecompass.languages.language_catalog import read_catalog
from codecompass.languages.registry import DATA, Registry
from codecompass.model.code.facts import Definition, Facts
from codecompass.model.code.kinds import CALLABLE, CONTAINER
from training.sources import Source, read_sources

ENDINGS = tuple(
    ".py .js .jsx .mjs .ts .tsx .go .java .rs .rb .php .phtml .c .h .cc .cpp .hpp .cs .kt .swift .scala .ex .exs"
    " .hs .lua .zig .sh .bash .m .mm .ps1 .sql".split()
)
FOREIGN = re.compile(
    r"(^|/)(vendor|third_party|thirdparty|node_modules|dist|build|generated|fixtures|testdata|locales?|i18n|migrations|contrib)/"
    r"|\.min\.|\.pb\.|_pb2|\.designer\.", re.I,
)  # fmt: skip
SMALLEST, LARGEST = 400, 80_000
PER_FILE = 14
LONGEST_QUESTION = 300
LONGEST_CODE = 3_500
PARAGRAPH = re.compile(r"\n\s*\n|\n\s*[@:]\w+|\n\s*(?:Args|Parameters|Returns|Examples?|Raises)\b")
MARKUP = re.compile(r"<[^>]{1,40}>|\{@\w+ ?|[{}`*#/]+")
TRAILER = re.compile(r"^(?:signed-off-by|co-authored-by|reviewed-by|change-id|cc|discussion|backpatch|author):", re.I)
NOISE = re.compile(r"^(?:merge|bump|revert|release|update translations|chore|deps?|build\(deps)|\bversion bump\b", re.I)
TICKET = re.compile(r"\(#\d+\)|#\d+|\[[\w-]+-\d+\]|https?://\S+|^[A-Z]+-\d+:?")

Pair = tuple[str, str, str]
"""Kind, question, code."""


def git(repo: Path, *words: str) -> bytes:
    """What a git command says; where a mirror lacks an object, what it said until there."""
    return subprocess.run(["git", f"--git-dir={repo}", *words], check=False, capture_output=True).stdout


def files_of(repo: Path, commit: str, limit: int, chance: random.Random) -> Iterator[tuple[str, bytes]]:
    """A drawn part of the code of a commit."""
    rows = []
    for line in git(repo, "ls-tree", "-r", "-l", commit).decode("utf-8", "replace").splitlines():
        head, path = line.split("\t", 1)
        size = head.split()[3]
        if path.endswith(ENDINGS) and not FOREIGN.search(path) and size.isdigit() and SMALLEST <= int(size) <= LARGEST:
            rows.append((path, head.split()[2]))
    chance.shuffle(rows)
    with subprocess.Popen(
        ["git", f"--git-dir={repo}", "cat-file", "--batch"], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as reader:
        assert reader.stdin and reader.stdout
        for path, blob in rows[:limit]:
            reader.stdin.write(blob.encode() + b"\n")
            reader.stdin.flush()
            answer = reader.stdout.readline().split()
            if len(answer) == 3:
                yield path, reader.stdout.read(int(answer[2]) + 1)[:-1]


def said(doc: str) -> str:
    """The first paragraph of documentation as a question; empty when it says too little."""
    words = MARKUP.sub(" ", PARAGRAPH.split(doc.strip(), 1)[0]).split()
    text = " ".join(words)[:LONGEST_QUESTION]
    return text if len(words) >= 4 and sum(letter.isascii() for letter in text) >= 0.9 * len(text) else ""


def body_of(source: bytes, facts: Facts, item: Definition) -> str:
    """The source of a definition without its documentation."""
    pieces, at = [], item.byte_start
    for comment in facts.comments:
        if comment.is_doc and item.byte_start <= comment.byte_start < item.byte_end:
            pieces.append(source[at : max(at, comment.byte_start)])
            at = max(at, comment.byte_end)
    pieces.append(source[at : item.byte_end])
    return b" ".join(pieces).decode("utf-8", "replace")[:LONGEST_CODE]


def pairs_of_file(path: str, source: bytes, facts: Facts, chance: random.Random) -> Iterator[Pair]:
    """Documentation and code, names and bodies, the file and what it defines."""
    names = [item.name for item in facts.definitions if item.kind in CALLABLE or item.kind in CONTAINER]
    outline = " ".join(names[:80])
    for item in facts.definitions:
        if item.kind not in CALLABLE and item.kind not in CONTAINER:
            continue
        body, question = body_of(source, facts, item), said(item.doc)
        if question:
            drawn = chance.random()
            if drawn < 0.6:
                yield "doc", question, body
            elif drawn < 0.85:
                yield "doc-path", question, f"{path} {item.scope} {body}"
            else:
                yield "doc-signature", question, f"{path} {item.scope} {item.signature}"
            if item.kind in CONTAINER and chance.random() < 0.5:
                yield "doc-outline", question, f"{path} {outline}"
        elif item.line_end - item.line_start >= 5 and chance.random() < 0.5:
            pattern = re.compile(rf"\b{re.escape(item.name)}\b")
            yield "name", f"{item.scope} {item.name}", pattern.sub(" ", body)
    first = next((comment for comment in facts.comments if source[: comment.byte_start].count(b"\n") < 40), None)
    if first is not None and len(names) > 2:
        question = said(source[first.byte_start : first.byte_end].decode("utf-8", "replace").strip("/*#-;\"' \n"))
        if question and not re.search(r"copyright|licen[sc]e", question, re.I):
            yield "head-outline", question, f"{path} {outline}"
    if len(names) > 3:
        yield "path-outline", path.rsplit(".", 1)[0], outline


def pairs_of_commits(repo: Path, commit: str, limit: int) -> Iterator[Pair]:
    """A commit's subject and each of the few pieces of code it changed."""
    shape = ("-p", "-U4", "--format=%x00%s%x01%b%x02", "--no-renames", "--diff-filter=M", "--no-ext-diff")
    text = git(repo, "log", commit, "--no-merges", f"-n{limit}", "--no-textconv", *shape).decode("utf-8", "replace")
    for entry in text.split("\0")[1:]:
        message, _, patch = entry.partition("\2")
        subject, _, body = message.partition("\1")
        subject = " ".join(TICKET.sub(" ", subject).split())
        if len(subject.split()) < 4 or NOISE.search(subject):
            continue
        if len(subject.split()) < 8:
            lines = [line for line in body.split("\n\n")[0].splitlines() if not TRAILER.match(line.strip())]
            subject = f"{subject} {' '.join(lines)}"[:LONGEST_QUESTION]
        changed = [piece for piece in patch.split("\ndiff --git ") if piece.strip()]
        if len(changed) > 6:
            continue
        for piece in changed[:3]:
            path = piece.split("\n", 1)[0].rsplit(" b/", 1)[-1]
            if not path.endswith(ENDINGS) or FOREIGN.search(path):
                continue
            shown = [line.split("@@")[-1] if line.startswith("@@") else line[1:] for line in piece.split("\n")[4:]]
            yield "commit", subject, f"{path} " + "\n".join(shown)[:LONGEST_CODE]


def mine(source: Source, mirror: Path, out: Path, files: int, commits: int) -> tuple[str, int]:
    """Write the pairs of one repository; how many there are."""
    chance, registry, detection = random.Random(source.name), Registry(), Detection(read_catalog(DATA))
    repo = mirror / source.name.replace("/", "+") / "repo"
    found: list[tuple[str, str, str, str]] = []
    for path, data in files_of(repo, source.commit, files, chance):
        language = registry.get(detection.detect(path, data[:16_384]))
        if language is None or b"\0" in data:
            continue
        facts = extract_whole(registry, language, data)
        pairs = list(pairs_of_file(path, data, facts, chance))
        found += [(*pair, path) for pair in chance.sample(pairs, min(PER_FILE, len(pairs)))]
    if commits:
        found += [(*pair, "") for pair in pairs_of_commits(repo, source.commit, commits)]
    chance.shuffle(found)
    target = out / f"{source.name.replace('/', '+')}.jsonl"
    target.write_text("".join(json.dumps(row) + "\n" for row in found), "utf-8")
    return source.name, len(found)


def main() -> None:
    """Mine every source."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--mirror", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--files", type=int, default=600)
    parser.add_argument("--commits", type=int, default=1_000)
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--only", default="")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    sources = [source for source in read_sources() if options.only in source.name]
    with ProcessPoolExecutor(options.processes) as pool:
        waiting = [
            pool.submit(mine, source, options.mirror, options.out, options.files, options.commits) for source in sources
        ]
        for item in waiting:
            name, count = item.result()
            print(f"{count:7} {name}", flush=True)


if __name__ == "__main__":
    main()

"""Prompt examples: find code after interactive prompts (`>>>`) in docstrings and documents, and read it as a program.

Such code is text to the indexer. Only files that contain a prompt and the wanted name are read, when asked.
"""

from codecompass.engine.view.pinned_view import ContentReader, PinnedView
from codecompass.languages.extraction.extractor import extract
from codecompass.languages.registry import Language
from codecompass.model.code.facts import EmbeddedSegment, Facts, Reference

MAX_FILES = 2_000
"""Maximum files with a word, above which the trigram index does not list them."""


def find_example_files(view: PinnedView, language: Language, name: str) -> list[str]:
    """Return the files that may contain the name after a prompt, by the trigram index."""
    words = (name, language.spec.prompts[0])
    found = [view.snapshot.find_blobs_containing(word, view.row, MAX_FILES) for word in words]
    known = [blobs for blobs in found if blobs is not None]
    return sorted(path for blob in set.intersection(*known) for path in view.paths.get(blob, ())) if known else []


def read_examples(view: PinnedView, reader: ContentReader, language: Language, path: str, name: str) -> Facts | None:
    """Return the facts of all examples of a file, at their lines and columns; None if none contains the name."""
    lines = reader.read_lines(view, path) or []
    code, offsets = _blank_outside_prompts(lines, language.spec.prompts)
    if not any(name in line for line in code):
        return None
    source = "\n".join(code).encode()
    facts = extract(language, source)
    references = tuple(_move(item, offsets) for item in facts.references)
    # The whole file is one segment, so that its examples share their imports.
    whole = EmbeddedSegment(language.spec.name, 0, len(source), 1, len(code))
    return facts._replace(references=references, segments=(whole,))


def _blank_outside_prompts(lines: list[str], prompts: tuple[str, ...]) -> tuple[list[str], list[int]]:
    """Return the code of each line without its prompt, empty for other lines, and the bytes cut before it."""
    code: list[str] = []
    offsets: list[int] = []
    is_open = False
    for line in lines:
        text = line.lstrip()
        # A continuation prompt is ordinary text unless it follows an example.
        prompt = next((one for one in (prompts if is_open else prompts[:1]) if _starts_with_prompt(text, one)), "")
        is_open = bool(prompt)
        kept = text[len(prompt) + 1 :] if prompt else ""
        code.append(kept.rstrip("\r\n"))
        offsets.append(len(line.encode()) - len(kept.encode()))
    return code, offsets


def _starts_with_prompt(text: str, prompt: str) -> bool:
    return text.startswith(f"{prompt} ") or text.rstrip() == prompt


def _move(item: Reference, offsets: list[int]) -> Reference:
    return item._replace(col=item.col + offsets[item.line - 1], owner=-1)

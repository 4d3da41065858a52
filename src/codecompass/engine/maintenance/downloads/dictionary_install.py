"""Dictionary install: check word lists and install them. `dictionary_version.py` decides when an index uses them."""

import os
from pathlib import Path

from codecompass.engine.maintenance.downloads.download_directory import Placed, Shelf, Source, hash_file
from codecompass.errors import Failure
from codecompass.fetch.archives import kind_of, open_archive
from codecompass.model.call import Call
from codecompass.text.dictionary import MOST_WORDS, read_words

MAX_LIST = 64 * 2**20
ENDING = ".txt"
INSTRUCTIONS = ("requirements", "constraints", "cmakelists", "conanfile", "meson_options")
"""Name prefixes that, with this suffix, some program reads as instructions to run or install something."""


def place_list(downloads: Shelf, source: Source, downloaded: Path, call: Call) -> Placed:
    """Install a word list; a file without words is rejected."""
    with downloads.staging(source.name) as staged:
        found = downloaded
        if kind_of(downloaded):
            names = open_archive(downloaded, staged, name=source.name + ENDING, check=call.check)
            lists = [name for name in names if name.lower().endswith((ENDING, ".dic"))] or list(names)
            best = [name for name in lists if Path(name).stem == source.name] or lists
            if len(best) != 1:
                raise _no_list(f"the archive holds {len(best)} files that could be it")
            found = staged / best[0]
        if found.stat().st_size > MAX_LIST:
            raise _no_list(f"it is larger than {MAX_LIST} bytes")
        try:
            words = read_words(found.read_text(encoding="utf-8-sig"))
        except UnicodeDecodeError:
            raise _no_list("it is not UTF-8 text") from None
        if not words or len(words) > MOST_WORDS:
            raise _no_list(f"it has {len(words)} usable words; 1 to {MOST_WORDS} are required")
        if source.name.lower().startswith(INSTRUCTIONS):
            raise _no_list(f"programs read a file named {source.name}{ENDING} as instructions")
        digest = hash_file(found)
        os.replace(found, downloads.claim(source.name + ENDING))
    return Placed(source.name + ENDING, digest)


def _no_list(why: str) -> Failure:
    return Failure("DOWNLOAD_FAILED", f"This is not a usable word list: {why}.",
                   hint="A word list is plain text with one word of the letters a to z on each line.")  # fmt: skip

"""Dictionary install: check word lists and install them. `dictionary_version.py` decides when an index uses them."""

from pathlib import Path

from codecompass.atomic import move_into_place
from codecompass.engine.maintenance.downloads.download_directory import (
    DownloadDirectory,
    DownloadSource,
    InstalledFile,
    hash_file,
)
from codecompass.errors import Failure
from codecompass.fetch.archives import detect_kind, extract_archive
from codecompass.model.call import Call
from codecompass.text.dictionary import MAX_WORDS, read_words

MAX_LIST_BYTES = 64 * 2**20
SUFFIX = ".txt"
RESERVED_PREFIXES = ("requirements", "constraints", "cmakelists", "conanfile", "meson_options")
"""Name prefixes that, with this suffix, some program reads as instructions to run or install something."""


def install_word_list(
    downloads: DownloadDirectory, source: DownloadSource, downloaded: Path, call: Call
) -> InstalledFile:
    """Install a word list; a file without words is rejected."""
    with downloads.open_staging(source.name) as staged:
        found = downloaded
        if detect_kind(downloaded):
            names = extract_archive(downloaded, staged, name=source.name + SUFFIX, check=call.check)
            lists = [name for name in names if name.lower().endswith((SUFFIX, ".dic"))] or list(names)
            best = [name for name in lists if Path(name).stem == source.name] or lists
            if len(best) != 1:
                raise _make_list_failure(f"the archive holds {len(best)} files that could be it")
            found = staged / best[0]
        if found.stat().st_size > MAX_LIST_BYTES:
            raise _make_list_failure(f"it is larger than {MAX_LIST_BYTES} bytes")
        try:
            words = read_words(found.read_text(encoding="utf-8-sig"))
        except UnicodeDecodeError:
            raise _make_list_failure("it is not UTF-8 text") from None
        if not words or len(words) > MAX_WORDS:
            raise _make_list_failure(f"it has {len(words)} usable words; 1 to {MAX_WORDS} are required")
        if source.name.lower().startswith(RESERVED_PREFIXES):
            raise _make_list_failure(f"programs read a file named {source.name}{SUFFIX} as instructions")
        digest = hash_file(found)
        move_into_place(found, downloads.reserve(source.name + SUFFIX))
    return InstalledFile(source.name + SUFFIX, digest)


def _make_list_failure(why: str) -> Failure:
    return Failure("DOWNLOAD_FAILED", f"This is not a usable word list: {why}.",
                   hint="A word list is plain text with one word of the letters a to z on each line.")  # fmt: skip

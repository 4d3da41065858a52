"""Archives: what is opened, what is refused, and that nothing is left of what is refused."""

import random
import stat
import tarfile
import tracemalloc
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from codecompass.errors import Failure
from codecompass.fetch.archive_entries import ArchiveLimits, split_safe_name
from codecompass.fetch.archives import extract_archive
from tests.engine.maintenance.archivelab import KINDS, Files, entry, gz, odd_tar, odd_zip, tarred, zipped, zst

FILES = {"model/config.json": b"{}", "model/deep/er/weights.bin": bytes(range(256)) * 300, "readme": b"", "ü.txt": b"u"}
SMALL = ArchiveLimits(total=10_000, entry=4_000, entries=5)


def opened(base: Path, data: bytes, limits: ArchiveLimits | None = None, name: str = "words.txt") -> dict[str, bytes]:
    """What an archive becomes; the directory is checked to hold that and nothing else."""
    source = base / "archive"
    source.write_bytes(data)
    into = base / "open"
    made = extract_archive(source, into, name=name, limits=limits)
    found = {str(path.relative_to(into)): path.read_bytes() for path in into.rglob("*") if path.is_file()}
    assert sorted(found) == sorted(made)
    assert all(not path.is_symlink() and path.stat().st_mode & 0o7000 == 0 for path in into.rglob("*"))
    return found


def refused(base: Path, data: bytes, code: str, limits: ArchiveLimits | None = None) -> str:
    with pytest.raises(Failure) as raised:
        opened(base, data, limits)
    assert raised.value.code == code, raised.value.message
    assert raised.value.effective_hint and "\n" not in raised.value.message
    assert not (base / "open").exists(), "nothing is left behind"
    return raised.value.message


@pytest.mark.parametrize("pack", KINDS.values(), ids=list(KINDS))
def test_every_kind_is_opened(tmp_path: Path, pack: Callable[[Files], bytes]) -> None:
    """ARC-KINDS: by what is in it; its name does not matter."""
    assert opened(tmp_path, pack(FILES)) == FILES


def test_one_packed_file(tmp_path: Path) -> None:
    """ARC-KINDS: a gz or zst that holds no tar is one file."""
    for number, pack in enumerate((gz, zst)):
        (tmp_path / str(number)).mkdir()
        assert opened(tmp_path / str(number), pack(b"alpha\nbeta\n")) == {"words.txt": b"alpha\nbeta\n"}
    (tmp_path / "empty").mkdir()
    assert opened(tmp_path / "empty", gz(b"")) == {"words.txt": b""}


def test_directories_and_dots(tmp_path: Path) -> None:
    """ARC-KINDS: entries for directories, and names that begin with ./"""
    assert opened(tmp_path, tarred({"./": b"", "./a/": b"", "./a/b": b"1", "c//d": b"2"})) == {"a/b": b"1", "c/d": b"2"}


NAMES = (
    "../up", "a/../../up", "/absolute", "\\absolute", "C:\\windows", "c:file", "a\\..\\b", "..", "a/..", "con",
    "NUL.txt", "tail.", "tail ", " head", "line\nbreak", "esc\x1b[2J", "a:stream", "x" * 300, "d/" * 600 + "x",
    "pipe|", "*.txt",
)  # fmt: skip


@pytest.mark.parametrize("name", NAMES, ids=ascii)
def test_names_that_lead_elsewhere(tmp_path: Path, name: str) -> None:
    """ARC-UNSAFE: upwards, absolute, or something else on another system; and the message shows them harmlessly."""
    for number, data in enumerate((tarred({name: b"x"}), odd_zip(name))):
        (tmp_path / str(number)).mkdir()
        message = refused(tmp_path / str(number), data, "ARCHIVE_UNSAFE")
        assert message.isprintable() and len(message) < 300


UNSAFE = {
    "symbolic link": entry("a", tarfile.SYMTYPE, "/etc/passwd"),
    "link inside": entry("a", tarfile.SYMTYPE, "b"),
    "hard link": entry("a", tarfile.LNKTYPE, "b"),
    "device": entry("a", tarfile.CHRTYPE),
    "block device": entry("a", tarfile.BLKTYPE),
    "pipe": entry("a", tarfile.FIFOTYPE),
    "of unknown type": entry("a", b"Z"),
    "link in a zip": odd_zip("a", stat.S_IFLNK | 0o777, b"/etc/passwd"),
    "device in a zip": odd_zip("a", stat.S_IFCHR | 0o644),
    "twice": tarred({"a": b"1"})[:1024] + tarred({"a": b"2"}),
    "twice by case": tarred({"Readme": b"1", "README": b"2"}),
    "twice by spelling": tarred({"\u00e9": b"1", "e\u0301": b"2"}),
    "file and directory": tarred({"a": b"1", "a/b": b"2"}),
    "directory and file": tarred({"a/b": b"1", "A": b"2"}),
    "packed by bzip2": zipped({"a": b"1"}, zipfile.ZIP_BZIP2),
    "packed by lzma": zipped({"a": b"1"}, zipfile.ZIP_LZMA),
    "no archive": b"just text, nothing else\n" * 40,
    "empty": b"",
    "cut tar": tarred(FILES)[:5_000],
    "cut zip": zipped(FILES)[:-30],
    "cut gz": gz(tarred(FILES))[:200],
    "cut zst": zst(tarred(FILES))[:120],
    "damaged zip": zipped({"a": b"1" * 5_000}).replace(b"\x63", b"\x64", 1)[:-3],
}


@pytest.mark.parametrize("data", UNSAFE.values(), ids=list(UNSAFE))
def test_what_is_refused(tmp_path: Path, data: bytes) -> None:
    """ARC-UNSAFE: links, devices, names twice, and what is damaged."""
    refused(tmp_path, data, "ARCHIVE_UNSAFE")


def _encrypted() -> bytes:
    data = bytearray(zipped({"a": b"secret"}))
    for at in (data.find(b"PK\x03\x04") + 6, data.find(b"PK\x01\x02") + 8):
        data[at] |= 1
    return bytes(data)


def _lying_zip() -> bytes:
    """Its table says one byte; there are thousands."""
    data = bytearray(zipped({"a": b"0" * 3_900}))
    at = data.find(b"PK\x01\x02")
    data[at + 24 : at + 28] = (1).to_bytes(4, "little")
    return bytes(data)


def test_a_zip_that_lies_or_hides(tmp_path: Path) -> None:
    """ARC-UNSAFE: encrypted entries; names that go on after a NUL; sizes that are not true."""
    refused(tmp_path, _encrypted(), "ARCHIVE_UNSAFE")
    nul = odd_zip("good.txtXevil").replace(b"good.txtXevil", b"good.txt\0evil")
    refused(tmp_path, nul, "ARCHIVE_UNSAFE")
    refused(tmp_path, _lying_zip(), "ARCHIVE_UNSAFE")


def sparse() -> bytes:
    made = tarfile.TarInfo("a")
    made.pax_headers = {"GNU.sparse.major": "1", "GNU.sparse.minor": "0", "GNU.sparse.realsize": str(10**12)}
    made.size = 512
    return odd_tar(made, b"1\n0\n0\n".ljust(512, b"\0"))


LARGE = {
    "an entry": tarred({"a": bytes(4_001)}),
    "an entry of a zip": zipped({"a": bytes(4_001)}),
    "all together": tarred({str(n): bytes(3_900) for n in range(3)}),
    "all of a zip": zipped({str(n): bytes(3_900) for n in range(3)}),
    "entries": tarred({str(n): b"" for n in range(6)}),
    "entries of a zip": zipped({str(n): b"" for n in range(6)}),
    "directories": tarred({f"{n}/": b"" for n in range(6)}),
    "packed": gz(tarred({"a": bytes(10**6)})),
    "one packed file": gz(bytes(10**7)),
    "one zst file": zst(bytes(10**7)),
    "sparse": sparse(),
}


@pytest.mark.parametrize("data", LARGE.values(), ids=list(LARGE))
def test_what_is_too_large(tmp_path: Path, data: bytes) -> None:
    """ARC-LIMITS: by what it declares, and by what comes out where it declares nothing."""
    refused(tmp_path, data, "ARCHIVE_TOO_LARGE", SMALL)


def test_the_limits_of_the_contract(tmp_path: Path) -> None:
    """ARC-LIMITS: 200 MiB, 50 MiB, 2,048; the last is allowed and one more is not."""
    assert (ArchiveLimits().total, ArchiveLimits().entry, ArchiveLimits().entries) == (200 * 2**20, 50 * 2**20, 2_048)
    (tmp_path / "fits").mkdir()
    assert len(opened(tmp_path / "fits", zipped({str(n): b"" for n in range(2_048)}))) == 2_048
    refused(tmp_path, zipped({str(n): b"" for n in range(2_049)}), "ARCHIVE_TOO_LARGE")
    huge = tarfile.TarInfo("a")
    huge.size = 50 * 2**20 + 1
    refused(tmp_path, huge.tobuf() + bytes(1024), "ARCHIVE_TOO_LARGE")


def _bombs() -> dict[str, bytes]:
    name = tarfile.TarInfo("././@LongLink")
    name.type, name.size = tarfile.GNUTYPE_LONGNAME, 40 * 2**20
    words = tarfile.TarInfo("pax")
    words.type, words.size = tarfile.XHDTYPE, 40 * 2**20
    table = bytearray(zipped({"a": b""}))
    at = table.rfind(b"PK\x05\x06")
    table[at + 12 : at + 16] = (100 * 2**20).to_bytes(4, "little")
    return {
        "a long name": gz(name.tobuf() + bytes(40 * 2**20)),
        "long headers": gz(words.tobuf() + bytes(40 * 2**20)),
        "a table": bytes(table),
    }


BOMBS = _bombs()


@pytest.mark.parametrize("data", BOMBS.values(), ids=list(BOMBS))
def test_bombs_cost_little(tmp_path: Path, data: bytes) -> None:
    """ARC-LIMITS: what is no entry has a limit too; memory stays small."""
    tracemalloc.start()
    try:
        refused(tmp_path, data, "ARCHIVE_TOO_LARGE")
        assert tracemalloc.get_traced_memory()[1] < 20 * 2**20
    finally:
        tracemalloc.stop()


BASES = [pack(FILES) for pack in KINDS.values()]


@settings(max_examples=120, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.integers(0, len(BASES) - 1), st.integers(), st.integers(1, 12))
def test_damage_anywhere(tmp_path_factory: pytest.TempPathFactory, kind: int, seed: int, hits: int) -> None:
    """ARC-HOSTILE: bytes changed, cut out or repeated: an archive is opened inside its place, or refused."""
    choice = random.Random(seed)
    data = bytearray(BASES[kind])
    for _ in range(hits):
        at = choice.randrange(len(data))
        match choice.randrange(4):
            case 0:
                data[at] = choice.randrange(256)
            case 1:
                del data[at : at + choice.randrange(1, 600)]
            case 2:
                data[at:at] = data[at : at + choice.randrange(1, 600)]
            case _:
                data[at : at + 4] = choice.randbytes(4)
        data = data or bytearray(b"x")
    base = tmp_path_factory.mktemp("damage")
    try:
        opened(base, bytes(data), ArchiveLimits(total=10**6, entry=10**6, entries=50))
    except Failure as failure:
        assert failure.code in ("ARCHIVE_UNSAFE", "ARCHIVE_TOO_LARGE")
        assert not (base / "open").exists()
    assert {path.name for path in base.iterdir()} <= {"archive", "open"}


@settings(max_examples=300, deadline=None)
@given(st.text(max_size=40))
def test_names_stay_inside(name: str) -> None:
    """ARC-UNSAFE: a name is refused, or its parts are plain and none leads up."""
    try:
        parts = split_safe_name(name)
    except Failure as failure:
        assert failure.code == "ARCHIVE_UNSAFE"
        return
    assert all(part not in ("", ".", "..") and not set(part) & set("/\\:\0\n") for part in parts)

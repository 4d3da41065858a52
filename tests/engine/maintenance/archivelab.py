"""Archives as they should be and as they should not: bytes of each kind, made entry by entry."""

import gzip
import io
import tarfile
import zipfile
from collections.abc import Callable, Mapping

import zstandard

Files = Mapping[str, bytes]


def zipped(files: Files, method: int = zipfile.ZIP_DEFLATED) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", method) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return made.getvalue()


def tarred(files: Files, style: int = tarfile.PAX_FORMAT) -> bytes:
    made = io.BytesIO()
    with tarfile.open(fileobj=made, mode="w", format=style) as archive:
        for name, data in files.items():
            entry = tarfile.TarInfo(name)
            entry.size = len(data)
            if name.endswith("/"):
                entry.type = tarfile.DIRTYPE
            archive.addfile(entry, io.BytesIO(data))
    return made.getvalue()


def odd_tar(entry: tarfile.TarInfo, data: bytes = b"") -> bytes:
    """One entry just as it is given."""
    made = io.BytesIO()
    with tarfile.open(fileobj=made, mode="w") as archive:
        archive.addfile(entry, io.BytesIO(data) if data else None)
    return made.getvalue()


def entry(name: str, kind: bytes, target: str = "") -> bytes:
    made = tarfile.TarInfo(name)
    made.type = kind
    made.linkname = target
    return odd_tar(made)


def odd_zip(name: str, mode: int = 0o644, data: bytes = b"x") -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as archive:
        info = zipfile.ZipInfo("placeholder")
        info.filename = name
        info.external_attr = mode << 16
        archive.writestr(info, data)
    return made.getvalue()


def gz(data: bytes) -> bytes:
    return gzip.compress(data, mtime=0)


def zst(data: bytes) -> bytes:
    return zstandard.compress(data)


KINDS: dict[str, Callable[[Files], bytes]] = {
    "zip": zipped,
    "zip, stored": lambda files: zipped(files, zipfile.ZIP_STORED),
    "tar": tarred,
    "tar, old": lambda files: tarred(files, tarfile.GNU_FORMAT),
    "tar.gz": lambda files: gz(tarred(files)),
    "tar.zst": lambda files: zst(tarred(files)),
    "tar.zst in two frames": lambda files: zst(tarred(files)[:700]) + zst(tarred(files)[700:]),
    "tar.gz in two members": lambda files: gz(tarred(files)[:700]) + gz(tarred(files)[700:]),
}

"""Location: a URL taken apart, with everything refused that no honest source needs."""

import re
from dataclasses import dataclass
from urllib.parse import unquote_to_bytes, urljoin, urlsplit

from codecompass.errors import Failure

SCHEMES = ("https", "http", "file")
MAX_URL = 4_096
_PORTS = {"https": 443, "http": 80, "file": 0}
_PLAIN = re.compile(r"[\x21-\x7e]+")


@dataclass(frozen=True, slots=True)
class Location:
    """Where something is to be had."""

    scheme: str
    host: str
    port: int
    path: str
    """With the query for the network; a path of this machine for `file`."""
    url: str
    """Without the fragment."""

    @property
    def authority(self) -> str:
        """What stands in the Host header."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == _PORTS[self.scheme] else f"{host}:{self.port}"

    @property
    def shown(self) -> str:
        """For people and files: a query may hold a key, so none is shown."""
        return shown(self.url)

    @property
    def file_name(self) -> str:
        """The last part of the path."""
        return unquote_to_bytes(urlsplit(self.url).path.rstrip("/").rpartition("/")[2]).decode("utf-8", "replace")


def shown(url: str) -> str:
    """A URL without anything in it that may be secret."""
    head, _, tail = url.partition("#")[0].partition("?")
    scheme, separator, rest = head.partition("://")
    host, slash, path = rest.partition("/")
    return scheme + separator + host.rpartition("@")[2] + slash + path + ("?…" if tail else "")


def parse_location(url: str) -> Location:
    """A URL somebody named; INVALID_REQUEST when it is none that can be fetched."""
    if len(url) > MAX_URL or not _PLAIN.fullmatch(url):
        raise _refused("it is empty, too long, or has blanks or letters that must be percent-encoded")
    try:
        parts = urlsplit(url)
        port = parts.port
        host = parts.hostname or ""
    except ValueError:
        raise _refused("its host or port cannot be read") from None
    scheme = parts.scheme.lower()
    if scheme not in SCHEMES:
        raise _refused("it must begin with https:, http: or file:")
    if parts.username is not None or parts.password is not None:
        raise _refused("it holds a user name or password, which would end up in logs")
    plain = url.partition("#")[0]
    if scheme == "file":
        return Location(scheme, "", 0, _file_path(parts.netloc, parts.path), plain)
    if not host or "%" in host or "\\" in url:
        raise _refused("it names no host")
    path = parts.path or "/"
    return Location(scheme, host, port or _PORTS[scheme], path + (f"?{parts.query}" if parts.query else ""), plain)


def _file_path(netloc: str, path: str) -> str:
    if netloc.lower() not in ("", "localhost"):
        raise _refused("a file: URL names a file of this machine")
    raw = unquote_to_bytes(path)
    if not raw.startswith(b"/") or b"\0" in raw:
        raise _refused("a file: URL holds an absolute path")
    return raw.decode("utf-8", "surrogateescape")


def redirected(place: Location, target: str) -> Location:
    """Where a redirect leads; never from an encrypted to an open connection, never to a file."""
    try:
        found = parse_location(urljoin(place.url, target))
    except (Failure, ValueError) as failure:
        raise Failure("DOWNLOAD_FAILED", f"{place.shown} redirects to no usable place.") from failure
    if found.scheme == "file":
        raise Failure("FORBIDDEN", f"{place.shown} redirects to a file of this machine.", hint="Name another source.")
    if place.scheme == "https" and found.scheme != "https":
        raise Failure(
            "FORBIDDEN",
            f"{place.shown} redirects from https to http ({found.shown}).",
            hint="Name another source; what comes over an open connection can be changed on its way.",
        )
    return found


def _refused(why: str) -> Failure:
    return Failure("INVALID_REQUEST", f"This URL cannot be fetched: {why}.")

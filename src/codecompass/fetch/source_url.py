"""Source URL: parse the URL of a download and refuse everything that a legitimate source does not need."""

import re
from dataclasses import dataclass
from urllib.parse import unquote_to_bytes, urljoin, urlsplit

from codecompass.errors import Failure

SCHEMES = ("https", "http", "file")
MAX_URL = 4_096
_PORTS = {"https": 443, "http": 80, "file": 0}
_PRINTABLE_ASCII = re.compile(r"[\x21-\x7e]+")


@dataclass(frozen=True, slots=True)
class SourceUrl:
    """A parsed URL."""

    scheme: str
    host: str
    port: int
    path: str
    """Path with the query; for `file` a path on this machine."""
    url: str
    """The URL without the fragment."""

    @property
    def authority(self) -> str:
        """Value of the Host header."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == _PORTS[self.scheme] else f"{host}:{self.port}"

    @property
    def display_url(self) -> str:
        """URL for messages and files: without the query, which may hold a key."""
        return redact_url(self.url)

    @property
    def file_name(self) -> str:
        """The last component of the path."""
        return unquote_to_bytes(urlsplit(self.url).path.rstrip("/").rpartition("/")[2]).decode("utf-8", "replace")


def redact_url(url: str) -> str:
    """Return a URL without its parts that may be secret."""
    head, _, tail = url.partition("#")[0].partition("?")
    scheme, separator, rest = head.partition("://")
    host, slash, path = rest.partition("/")
    return scheme + separator + host.rpartition("@")[2] + slash + path + ("?…" if tail else "")


def parse_source_url(url: str) -> SourceUrl:
    """Parse a URL; INVALID_REQUEST when it cannot be fetched."""
    if len(url) > MAX_URL or not _PRINTABLE_ASCII.fullmatch(url):
        raise _make_refusal("it is empty, too long, or has characters that must be percent-encoded")
    try:
        parts = urlsplit(url)
        port = parts.port
        host = parts.hostname or ""
    except ValueError:
        raise _make_refusal("its host or port is not valid") from None
    scheme = parts.scheme.lower()
    if scheme not in SCHEMES:
        raise _make_refusal("it must begin with https:, http: or file:")
    if parts.username is not None or parts.password is not None:
        raise _make_refusal("it contains a user name or password, which could be logged")
    plain = url.partition("#")[0]
    if scheme == "file":
        return SourceUrl(scheme, "", 0, _parse_file_path(parts.netloc, parts.path), plain)
    if not host or "%" in host or "\\" in url:
        raise _make_refusal("it has no valid host")
    path = parts.path or "/"
    return SourceUrl(scheme, host, port or _PORTS[scheme], path + (f"?{parts.query}" if parts.query else ""), plain)


def _parse_file_path(netloc: str, path: str) -> str:
    if netloc.lower() not in ("", "localhost"):
        raise _make_refusal("a file: URL must name a file on this machine")
    raw = unquote_to_bytes(path)
    if not raw.startswith(b"/") or b"\0" in raw:
        raise _make_refusal("a file: URL must have an absolute path")
    return raw.decode("utf-8", "surrogateescape")


def resolve_redirect(place: SourceUrl, target: str) -> SourceUrl:
    """Resolve the target of a redirect; refuse one from https to http, or to a file."""
    try:
        found = parse_source_url(urljoin(place.url, target))
    except (Failure, ValueError) as failure:
        raise Failure("DOWNLOAD_FAILED", f"{place.display_url} redirects to an invalid URL.") from failure
    if found.scheme == "file":
        raise Failure(
            "FORBIDDEN", f"{place.display_url} redirects to a file on this machine.", hint="Use another source."
        )
    if place.scheme == "https" and found.scheme != "https":
        raise Failure(
            "FORBIDDEN",
            f"{place.display_url} redirects from https to http ({found.display_url}).",
            hint="Use another source; a file sent over an unencrypted connection can be changed on the way.",
        )
    return found


def _make_refusal(why: str) -> Failure:
    return Failure("INVALID_REQUEST", f"This URL cannot be fetched: {why}.")

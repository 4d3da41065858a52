"""Proxies: select the proxy of a request from a setting or the environment, and the hosts without one.

The environment is read as other programs do: `https_proxy` and `http_proxy` by scheme, `all_proxy` for either, lower
case before upper case, and `no_proxy` for hosts that are contacted directly. A proxy never affects whether a host is
allowed; `address_rules.py` decides that.
"""

import ipaddress
import re
from base64 import b64encode
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import unquote_to_bytes, urlsplit

from codecompass.errors import Failure
from codecompass.fetch.source_url import Location

ENVIRONMENT = "environment"
NONE = ("", "none")
_PORT = 3128


@dataclass(frozen=True, slots=True)
class Proxies:
    """`http://host:port` for each scheme, empty for none, and the hosts without a proxy."""

    https: str = ""
    http: str = ""
    without: tuple[str, ...] = ()
    """Entries of NO_PROXY."""

    def of(self, place: Location) -> str:
        """Return the proxy for a URL; empty for a direct connection."""
        proxy = self.https if place.scheme == "https" else self.http
        return "" if not proxy or any(_names(entry, place) for entry in self.without) else proxy


def proxies_of(setting: str, environment: Mapping[str, str]) -> Proxies:
    """Read a setting: a proxy for everything, `environment`, or none."""
    if setting in NONE:
        return Proxies()
    without = tuple(one for one in re.split(r"[,\s]+", _said(environment, "no_proxy")) if one)
    if setting != ENVIRONMENT:
        return Proxies(setting, setting, without)
    return Proxies(_proxy(environment, "https_proxy"), _proxy(environment, "http_proxy"), without)


def _proxy(environment: Mapping[str, str], name: str) -> str:
    known = name in environment or name.upper() in environment
    text = _said(environment, name if known else "all_proxy").strip()
    return (text if not text or "://" in text else f"http://{text}").removesuffix("/")


def _said(environment: Mapping[str, str], name: str) -> str:
    return environment.get(name, environment.get(name.upper(), ""))


def _names(entry: str, place: Location) -> bool:
    """Whether an entry of NO_PROXY matches a URL: a domain, an address or a network, optionally with a port."""
    if entry == "*":
        return True
    host = place.host.lower().rstrip(".")
    bare, port = _parted(entry.lower())
    if port and port != place.port:
        return False
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        name = bare.removeprefix("*").strip(".")
        return bool(name) and (host == name or host.endswith(f".{name}"))
    try:
        return address in ipaddress.ip_network(bare, strict=False)
    except ValueError:
        return False


def _parted(entry: str) -> tuple[str, int]:
    """Split a host and a port; an IPv6 address contains colons and has brackets before a port."""
    if entry.startswith("["):
        inner, _, rest = entry[1:].partition("]")
        entry, port = inner, rest.removeprefix(":")
    else:
        head, _, tail = entry.rpartition(":")
        entry, port = (head, tail) if head and ":" not in head else (entry, "")
    return entry, int(port) if port.isascii() and port.isdigit() else 0


@dataclass(frozen=True, slots=True)
class Carrier:
    """Host, port and credentials of a proxy."""

    host: str
    port: int
    authorization: str
    """Value of Proxy-Authorization; empty for none. It is sent to the proxy only."""

    @property
    def headers(self) -> dict[str, str]:
        return {"Proxy-Authorization": self.authorization} if self.authorization else {}


def carrier(proxy: str) -> Carrier:
    """Parse the URL of a proxy; one that cannot be used is an error, never ignored."""
    try:
        parts = urlsplit(proxy)
        host, port = parts.hostname or "", parts.port or _PORT
    except ValueError:
        host, port = "", 0
    if not host or parts.scheme != "http":
        raise Failure(
            "INVALID_REQUEST", "The proxy for downloads must have the form http://host:port.",
            hint="Set downloads.proxy to a proxy, to 'none', or to 'environment' for HTTPS_PROXY and the like.",
        )  # fmt: skip
    if parts.username is None:
        return Carrier(host, port, "")
    secret = unquote_to_bytes(parts.username) + b":" + unquote_to_bytes(parts.password or "")
    return Carrier(host, port, "Basic " + b64encode(secret).decode())

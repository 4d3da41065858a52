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
from codecompass.fetch.source_url import SourceUrl

FROM_ENVIRONMENT = "environment"
NO_PROXY_VALUES = ("", "none")
_PORT = 3128


@dataclass(frozen=True, slots=True)
class ProxySettings:
    """`http://host:port` for each scheme, empty for none, and the hosts without a proxy."""

    https: str = ""
    http: str = ""
    exclusions: tuple[str, ...] = ()
    """Entries of NO_PROXY."""

    def select_proxy(self, place: SourceUrl) -> str:
        """Return the proxy for a URL; empty for a direct connection."""
        proxy = self.https if place.scheme == "https" else self.http
        return "" if not proxy or any(_is_excluded(entry, place) for entry in self.exclusions) else proxy


def read_proxies(setting: str, environment: Mapping[str, str]) -> ProxySettings:
    """Read a setting: a proxy for everything, `environment`, or none."""
    if setting in NO_PROXY_VALUES:
        return ProxySettings()
    without = tuple(one for one in re.split(r"[,\s]+", _read_variable(environment, "no_proxy")) if one)
    if setting != FROM_ENVIRONMENT:
        return ProxySettings(setting, setting, without)
    return ProxySettings(_read_proxy(environment, "https_proxy"), _read_proxy(environment, "http_proxy"), without)


def _read_proxy(environment: Mapping[str, str], name: str) -> str:
    known = name in environment or name.upper() in environment
    text = _read_variable(environment, name if known else "all_proxy").strip()
    return (text if not text or "://" in text else f"http://{text}").removesuffix("/")


def _read_variable(environment: Mapping[str, str], name: str) -> str:
    return environment.get(name, environment.get(name.upper(), ""))


def _is_excluded(entry: str, place: SourceUrl) -> bool:
    """Whether an entry of NO_PROXY matches a URL: a domain, an address or a network, optionally with a port."""
    if entry == "*":
        return True
    host = place.host.lower().rstrip(".")
    bare, port = _split_port(entry.lower())
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


def _split_port(entry: str) -> tuple[str, int]:
    """Split a host and a port; an IPv6 address contains colons and has brackets before a port."""
    if entry.startswith("["):
        inner, _, rest = entry[1:].partition("]")
        entry, port = inner, rest.removeprefix(":")
    else:
        head, _, tail = entry.rpartition(":")
        entry, port = (head, tail) if head and ":" not in head else (entry, "")
    return entry, int(port) if port.isascii() and port.isdigit() else 0


@dataclass(frozen=True, slots=True)
class ProxyServer:
    """Host, port and credentials of a proxy."""

    host: str
    port: int
    authorization: str
    """Value of Proxy-Authorization; empty for none. It is sent to the proxy only."""

    @property
    def headers(self) -> dict[str, str]:
        return {"Proxy-Authorization": self.authorization} if self.authorization else {}


def parse_proxy(proxy: str) -> ProxyServer:
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
        return ProxyServer(host, port, "")
    secret = unquote_to_bytes(parts.username) + b":" + unquote_to_bytes(parts.password or "")
    return ProxyServer(host, port, "Basic " + b64encode(secret).decode())

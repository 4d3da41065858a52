"""Address rules: resolve a host and check its addresses before anything connects.

The connection is made to exactly the address that was checked, so a name that resolves to another address later (DNS
rebinding) gains nothing.
"""

import ipaddress
import socket
import threading
import time
from dataclasses import dataclass, field

from codecompass.errors import Failure
from codecompass.fetch.fetch_policy import FetchDeadline, FetchPolicy, RetryableFetchError

Address = ipaddress.IPv4Address | ipaddress.IPv6Address
_POLL_S = 0.1
_LOOKUP_TIMEOUT_S = 3.0
"""Seconds for a lookup before a proxy request: behind a proxy, names often cannot be resolved at all."""
INTERNAL_SUFFIXES = (
    ".local",
    ".localhost",
    ".internal",
    ".lan",
    ".intranet",
    ".corp",
    ".home",
    ".private",
    ".home.arpa",
)
METADATA_ADDRESSES = frozenset(
    map(ipaddress.ip_address, ("169.254.169.254", "168.63.129.16", "100.100.100.200", "192.0.0.192", "fd00:ec2::254"))
)
"""Addresses of cloud metadata services, which hold secrets; one of them is in a public range."""
_EMBEDDED_IPV4_NETWORKS = tuple(
    (ipaddress.IPv6Network(network), shift) for network, shift in (("64:ff9b::/96", 0), ("2002::/16", 80), ("::/96", 0))
)
"""IPv6 networks that embed an IPv4 address, and its offset in bits from the right."""


@dataclass
class _Lookup:
    """A lookup in a thread of its own: the system's resolver cannot be interrupted, so the thread may be abandoned."""

    found: list[str] = field(default_factory=list)
    done: threading.Event = field(default_factory=threading.Event)

    def run(self, host: str, port: int) -> None:
        try:
            rows = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
            self.found = list(dict.fromkeys(str(row[4][0]) for row in rows))
        except (OSError, UnicodeError):
            self.found = []
        self.done.set()


def _start_lookup(host: str, port: int) -> _Lookup:
    look = _Lookup()
    threading.Thread(target=look.run, args=(host, port), name="lookup", daemon=True).start()
    return look


def resolve_host(host: str, port: int, clock: FetchDeadline) -> list[str]:
    """Return every address of a host as text."""
    look = _start_lookup(host, port)
    while not look.done.wait(_POLL_S):
        clock.check()
    if not look.found:
        raise RetryableFetchError(f"the host {host} could not be resolved")
    return look.found


def resolve_allowed_host(host: str, port: int, policy: FetchPolicy, clock: FetchDeadline) -> list[str]:
    """Return the addresses of an allowed host; a single address that is not public refuses the host."""
    check_host(host, policy)
    found = resolve_host(host, port, clock)
    for text in found:
        check_address(host, text, policy)
    return found


def check_proxied_host(host: str, port: int, policy: FetchPolicy, clock: FetchDeadline) -> None:
    """Check a host that a proxy will resolve, maybe to another address: our own lookup decides, and internal names
    are refused when it finds nothing.
    """
    check_host(host, policy)
    look = _start_lookup(host, port)
    patience = time.monotonic() + _LOOKUP_TIMEOUT_S
    while not look.done.wait(_POLL_S) and time.monotonic() < patience:
        clock.check()
    for text in tuple(look.found):
        check_address(host, text, policy)
    if not look.found and not policy.is_trusted(host) and is_internal_name(host):
        raise Failure("FORBIDDEN", f"Nothing is fetched from {host}: it is a name of an internal network.",
                      hint="If you trust that host, add it to the setting downloads.private_hosts.")  # fmt: skip


def is_internal_name(host: str) -> bool:
    """Whether a name is resolvable only in an internal network."""
    name = host.lower().rstrip(".")
    return "." not in name or name.endswith(INTERNAL_SUFFIXES)


def check_host(host: str, policy: FetchPolicy) -> None:
    """Refuse a host whose name is not allowed."""
    if not policy.is_allowed(host):
        raise Failure("FORBIDDEN", f"Nothing is fetched from {host}: it is not among the allowed hosts.",
                      hint="The setting downloads.allowed_hosts lists them.")  # fmt: skip


def check_address(host: str, text: str, policy: FetchPolicy) -> None:
    address = ipaddress.ip_address(text.partition("%")[0])
    inner = _extract_ipv4(address)
    if is_public(inner):
        return
    # A trusted name may be changed to point to a metadata service; such an address must be listed itself.
    if policy.is_trusted(host) and (is_ip_literal(host) or not (inner.is_link_local or inner in METADATA_ADDRESSES)):
        return
    raise Failure("FORBIDDEN", f"Nothing is fetched from {host}: its address {address} is not public.",
                  hint="If you trust that host, add it to the setting downloads.private_hosts.")  # fmt: skip


def is_public(address: Address) -> bool:
    site_local = isinstance(address, ipaddress.IPv6Address) and address.is_site_local
    return address.is_global and not site_local and not address.is_multicast and address not in METADATA_ADDRESSES


def _extract_ipv4(address: Address) -> Address:
    """Return the IPv4 address embedded in an IPv6 address, else the address itself."""
    if isinstance(address, ipaddress.IPv4Address):
        return address
    if address.ipv4_mapped is not None:
        return address.ipv4_mapped
    for network, shift in _EMBEDDED_IPV4_NETWORKS:
        if address in network and int(address) > 1:
            return ipaddress.IPv4Address((int(address) >> shift) & 0xFFFFFFFF)
    return address


def is_ip_literal(host: str) -> bool:
    """Whether a host is an IP address."""
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return True

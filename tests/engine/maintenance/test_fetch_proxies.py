"""Proxies: those of the environment, whom they do not serve, and that none of them is a way round a refusal."""

import base64
import socket
import ssl
from dataclasses import replace
from pathlib import Path

import pytest

from codecompass import composition
from codecompass.errors import Failure
from codecompass.fetch.fetch_policy import FetchPolicy
from codecompass.fetch.fetcher import fetch
from codecompass.fetch.proxies import ProxySettings, read_proxies
from codecompass.fetch.source_url import parse_source_url
from codecompass.model.call import Call
from codecompass.settings import load_settings
from tests.engine.maintenance.servers import answer, redirects, sends, serving
from tests.engine.maintenance.test_fetch_places import certificate, tls, tunnel

BODY = b"what the proxy brings\n"
POLICY = FetchPolicy(private_hosts=("127.0.0.1",), total_s=20, idle_s=5, pause_s=0.01)
PUBLIC = "93.184.216.34"
__all__ = ["certificate", "tls"]


@pytest.fixture
def known(monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """Names that can be looked up here; no others can."""
    names: dict[str, str] = {}
    real = socket.getaddrinfo

    def lookup(host: str, port: int, *_: object, **more: object) -> object:
        flags = 0 if host in names else socket.AI_NUMERICHOST
        return real(names.get(host, host), port, type=socket.SOCK_STREAM, flags=flags)

    monkeypatch.setattr(socket, "getaddrinfo", lookup)
    return names


def via(proxies: ProxySettings, url: str) -> str:
    return proxies.select_proxy(parse_source_url(url))


@pytest.mark.parametrize(
    ("environment", "url", "proxy"),
    [
        ({"HTTPS_PROXY": "http://p:1"}, "https://a.example/", "http://p:1"),
        ({"HTTPS_PROXY": "http://p:1"}, "http://a.example/", ""),
        ({"HTTP_PROXY": "http://p:1"}, "http://a.example/", "http://p:1"),
        ({"HTTP_PROXY": "http://p:1"}, "https://a.example/", ""),
        ({"ALL_PROXY": "http://p:1"}, "https://a.example/", "http://p:1"),
        ({"ALL_PROXY": "http://p:1", "http_proxy": "http://q:1"}, "http://a.example/", "http://q:1"),
        ({"https_proxy": "http://p:1/", "HTTPS_PROXY": "http://q:1"}, "https://a.example/", "http://p:1"),
        ({"https_proxy": "", "HTTPS_PROXY": "http://q:1"}, "https://a.example/", ""),
        ({"HTTPS_PROXY": "p:1"}, "https://a.example/", "http://p:1"),
        ({}, "https://a.example/", ""),
    ],
)
def test_which_proxy(environment: dict[str, str], url: str, proxy: str) -> None:
    """GET-PROXY: one for each kind of source, small letters before capitals, ALL_PROXY for the rest."""
    assert via(read_proxies("environment", environment), url) == proxy
    assert via(read_proxies("", environment), url) == ""
    assert via(read_proxies("none", environment), url) == ""
    assert via(read_proxies("http://mine:3", environment), url) == "http://mine:3"


@pytest.mark.parametrize(
    ("listed", "direct", "proxied"),
    [
        ("example.org", ("example.org", "EXAMPLE.org", "a.b.example.org"), ("notexample.org", "example.org.evil.net")),
        (".example.org", ("a.example.org", "example.org"), ("badexample.org",)),
        ("*.example.org", ("a.example.org", "example.org"), ("badexample.org",)),
        ("a.net , b.net", ("a.net", "b.net"), ("c.net",)),
        ("a.net b.net", ("a.net", "b.net"), ("c.net",)),
        ("*", ("anything.net", "10.1.2.3"), ()),
        ("10.0.0.0/8,192.168.1.7", ("10.200.3.4", "192.168.1.7"), ("11.0.0.1", "192.168.1.8", "ten.example")),
        ("fd00::/8,[::1]", ("[fd12::1]", "[::1]"), ("[2001:db8::1]",)),
        ("example.org:8443", (), ("example.org",)),
        ("example.org:443", ("example.org",), ("a.example.net",)),
        ("", (), ("example.org",)),
        (",,/,::/999,10.0.0.0/99", (), ("example.org", "10.0.0.1")),
    ],
)
def test_who_is_asked_directly(listed: str, direct: tuple[str, ...], proxied: tuple[str, ...]) -> None:
    """GET-NO-PROXY: names with all below them, addresses and networks, ports; whatever else stands there is nobody."""
    for proxies in (
        read_proxies("environment", {"HTTPS_PROXY": "http://p:1", "NO_PROXY": listed}),
        read_proxies("environment", {"HTTPS_PROXY": "http://p:1", "no_proxy": listed, "NO_PROXY": "*"}),
        read_proxies("http://p:1", {"NO_PROXY": listed}),
    ):
        assert [host for host in direct if via(proxies, f"https://{host}/")] == []
        assert [host for host in proxied if not via(proxies, f"https://{host}/")] == []


def test_the_setting(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """GET-PROXY: the proxy of the environment unless the settings name one, or none."""
    monkeypatch.setenv("HTTPS_PROXY", "http://proxy.example:3128/")
    monkeypatch.setenv("NO_PROXY", "inner.example")

    def proxy(host: str = "a.example") -> str:
        made = composition.build_download_options(load_settings(user_config=tmp_path / "none.toml")).policy.proxies
        return via(made, f"https://{host}/")

    assert proxy() == "http://proxy.example:3128" and proxy("x.inner.example") == ""
    monkeypatch.setenv("CODECOMPASS_DOWNLOADS_PROXY", "http://other.example:1")
    assert proxy() == "http://other.example:1" and proxy("inner.example") == ""
    monkeypatch.setenv("CODECOMPASS_DOWNLOADS_PROXY", "none")
    assert proxy() == ""


def test_no_way_round_a_refusal(tmp_path: Path, known: dict[str, str]) -> None:
    """GET-ADDRESSES, GET-PROXY: what is refused without a proxy is refused with one, before the proxy hears of it."""
    known |= {"inside.example": "10.0.0.7", "secrets.example": "169.254.169.254", "files.example": PUBLIC}
    refused = (
        "10.0.0.1", "169.254.169.254", "[::1]", "[::ffff:10.0.0.1]", "127.1", "0x7f.1", "2130706433", "localhost",
        "LOCALHOST.", "db.localhost", "inside.example", "secrets.example", "metadata.google.internal", "nas.local",
        "intranet", "wiki.lan", "x.home.arpa",
    )  # fmt: skip
    with serving(sends(answer(BODY))) as proxy:
        through = replace(POLICY, private_hosts=(), proxies=ProxySettings(http=f"http://127.0.0.1:{proxy.port}"))
        for host in refused:
            with pytest.raises(Failure, match="not public|name of an internal network") as raised:
                fetch(f"http://{host}/", tmp_path / "x", through, Call())
            assert raised.value.code == "FORBIDDEN" and "downloads.private_hosts" in raised.value.effective_hint, host
        assert not proxy.requests
        for host in ("files.example", "unknown-here.example"):
            assert fetch(f"http://{host}/", tmp_path / "x", through, Call()).bytes == len(BODY)
        trusting = replace(through, private_hosts=("intranet", "10.0.0.1"))
        for host in ("intranet", "10.0.0.1"):
            assert fetch(f"http://{host}/", tmp_path / "x", trusting, Call()).bytes == len(BODY)
        assert len(proxy.requests) == 4


def test_a_redirect_through_a_proxy_is_checked_too(tmp_path: Path, known: dict[str, str]) -> None:
    """GET-ADDRESSES, GET-REDIRECTS: where a proxied answer leads is looked at like the first place."""
    known["files.example"] = PUBLIC
    with serving(redirects("http://10.0.0.1/secret")) as proxy:
        through = replace(POLICY, proxies=ProxySettings(http=f"http://127.0.0.1:{proxy.port}"))
        with pytest.raises(Failure, match="not public"):
            fetch("http://files.example/", tmp_path / "x", through, Call())
        assert len(proxy.requests) == 1


def test_asked_directly_is_checked_as_ever(tmp_path: Path, known: dict[str, str]) -> None:
    """GET-NO-PROXY, GET-ADDRESSES: NO_PROXY says which way to go, not whom to trust."""
    known["inside.example"] = "127.0.0.1"
    with serving(sends(answer(BODY))) as server, serving(sends(answer(b"proxied"))) as proxy:
        proxies = ProxySettings(http=f"http://127.0.0.1:{proxy.port}", exclusions=("inside.example",))
        url = f"http://inside.example:{server.port}/"
        with pytest.raises(Failure, match="not public"):
            fetch(url, tmp_path / "x", replace(POLICY, proxies=proxies), Call())
        trusting = replace(POLICY, proxies=proxies, private_hosts=("inside.example",))
        assert fetch(url, tmp_path / "x", trusting, Call()).bytes == len(BODY)
        assert not proxy.requests and len(server.requests) == 1


def test_credentials_go_to_the_proxy_alone(
    tmp_path: Path, known: dict[str, str], certificate: Path, tls: ssl.SSLContext
) -> None:
    """GET-PROXY, GET-SECRETS: a user and password for the proxy reach it, nobody else, and no error."""
    known["files.example"] = PUBLIC
    wanted = "Basic " + base64.b64encode(b"me@work:pass word").decode()
    with serving(sends(answer(BODY))) as proxy:
        named = ProxySettings(http=f"http://me%40work:pass%20word@127.0.0.1:{proxy.port}")
        fetch("http://files.example/", tmp_path / "x", replace(POLICY, proxies=named), Call())
        assert proxy.requests[0].headers["proxy-authorization"] == wanted
    with serving(tunnel) as proxy, serving(sends(answer(BODY)), tls) as server:
        named = ProxySettings(https=f"http://me%40work:pass%20word@127.0.0.1:{proxy.port}")
        fetch(server.url, tmp_path / "y", replace(POLICY, proxies=named, ca_file=str(certificate)), Call())
        assert proxy.requests[0].headers["proxy-authorization"] == wanted
        assert "proxy-authorization" not in server.requests[0].headers
    with serving(sends(b"HTTP/1.1 407 No\r\n\r\n")) as proxy, pytest.raises(Failure) as raised:
        named = ProxySettings(https=f"http://me:hidden@127.0.0.1:{proxy.port}")
        fetch("https://files.example/", tmp_path / "z", replace(POLICY, proxies=named), Call())
    assert "407" in raised.value.message and "hidden" not in f"{raised.value} {raised.value.details}"


@pytest.mark.parametrize("named", ["socks5://p:1", "https://p:1", "http://", "http://p:99999", "ftp://p", "http://p:x"])
def test_proxies_that_are_not_understood(tmp_path: Path, known: dict[str, str], named: str) -> None:
    """GET-PROXY: one that cannot be used is an error, never passed over in silence."""
    known["files.example"] = PUBLIC
    policy = replace(POLICY, proxies=read_proxies("environment", {"ALL_PROXY": named}))
    with pytest.raises(Failure, match=r"http://host:port") as raised:
        fetch("https://files.example/", tmp_path / "x", policy, Call())
    assert raised.value.code == "INVALID_REQUEST" and "HTTPS_PROXY" in raised.value.effective_hint

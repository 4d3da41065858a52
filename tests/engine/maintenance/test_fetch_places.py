"""Where files may come from: addresses, encryption, proxies, files of this machine, and URLs that are none."""

import hashlib
import ipaddress
import os
import shutil
import socket
import ssl
import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from codecompass.errors import Failure
from codecompass.fetch import address_rules, fetcher
from codecompass.fetch.fetch_policy import FetchPolicy
from codecompass.fetch.fetcher import fetch
from codecompass.fetch.proxies import read_proxies
from codecompass.model.call import Call
from tests.engine.maintenance.servers import Request, answer, redirects, sends, serving

BODY = b"something worth fetching\n"
POLICY = FetchPolicy(private_hosts=("127.0.0.1",), total_s=20, idle_s=5, pause_s=0.01)
NEVER = (
    "127.0.0.1", "127.9.9.9", "0.0.0.0", "10.1.2.3", "172.16.0.1", "192.168.1.1", "169.254.169.254", "100.64.0.1",
    "100.100.100.200", "168.63.129.16", "224.0.0.1", "255.255.255.255", "192.0.2.1", "::1", "::", "fe80::1", "fd00::1",
    "fd00:ec2::254", "::ffff:127.0.0.1", "::ffff:10.0.0.1", "64:ff9b::7f00:1", "2002:7f00:1::", "ff02::1", "fec0::1",
)  # fmt: skip


@pytest.mark.parametrize("text", NEVER)
def test_addresses_that_are_not_public(tmp_path: Path, text: str) -> None:
    """GET-ADDRESSES: refused before anything connects, also when an IPv4 address hides in an IPv6 one."""
    host = f"[{text}]" if ":" in text else text
    for url in (f"http://{host}:9/x", f"https://{host}/x"):
        with pytest.raises(Failure, match="not public") as raised:
            fetch(url, tmp_path / "x", FetchPolicy(), Call())
        assert raised.value.code == "FORBIDDEN" and "downloads.private_hosts" in raised.value.effective_hint


@pytest.mark.parametrize("host", ["localhost", "2130706433", "0x7f.1", "127.1"])
def test_other_spellings_of_this_machine(tmp_path: Path, host: str) -> None:
    """GET-ADDRESSES: what counts is the address, not how it is written."""
    with pytest.raises(Failure, match="not public"):
        fetch(f"http://{host}:9/x", tmp_path / "x", FetchPolicy(), Call())


def test_public_addresses() -> None:
    """GET-ADDRESSES: the rule does not refuse what it should allow."""
    for text in ("93.184.216.34", "8.8.8.8", "2606:2800:220:1:248:1893:25c8:1946", "64:ff9b::808:808"):
        address_rules.check_address("example.org", text, FetchPolicy())


def test_the_checked_address_is_the_one_connected_to(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """GET-ADDRESSES: a name is looked up once, so it cannot mean something else when the connection is made."""
    asked: list[str] = []
    real = socket.getaddrinfo

    def turning(host: str, *args: object, **more: object) -> object:
        asked.append(host)
        told = "93.184.216.34" if len(asked) == 1 else "127.0.0.1"
        return real(told, *args, **more)  # type: ignore[arg-type]

    dialled: list[tuple[str, int]] = []

    def connect(_: object, where: tuple[str, int]) -> None:
        dialled.append(where)
        raise ConnectionRefusedError

    monkeypatch.setattr(socket, "getaddrinfo", turning)
    monkeypatch.setattr(socket.socket, "connect", connect)
    with pytest.raises(Failure, match="does not accept connections"):
        fetch("http://turning.example/x", tmp_path / "x", replace(FetchPolicy(), attempts=1), Call())
    assert asked == ["turning.example"] and dialled == [("93.184.216.34", 80)]
    with pytest.raises(Failure, match="not public"):
        fetch("http://turning.example/x", tmp_path / "x", replace(FetchPolicy(), attempts=1), Call())
    assert len(dialled) == 1


def test_a_trusted_name_is_no_way_to_metadata(monkeypatch: pytest.MonkeyPatch) -> None:
    """GET-ADDRESSES: a host that may be private may still not be the machine's own secrets."""
    trusting = FetchPolicy(private_hosts=("files.example", "*.inner.example", "169.254.1.1"))
    address_rules.check_address("files.example", "10.0.0.1", trusting)
    address_rules.check_address("a.inner.example", "10.0.0.1", trusting)
    address_rules.check_address("169.254.1.1", "169.254.1.1", trusting)
    for host, text in (
        ("files.example", "169.254.169.254"), ("files.example", "fe80::1"), ("inner.example", "10.0.0.1"),
        ("other.example", "10.0.0.1"), ("evilinner.example", "10.0.0.1"),
    ):  # fmt: skip
        with pytest.raises(Failure, match="not public"):
            address_rules.check_address(host, text, trusting)


def test_only_allowed_hosts(tmp_path: Path) -> None:
    """GET-ADDRESSES: with a list of hosts, no other, be it by a redirect."""
    only = replace(POLICY, allowed_hosts=("127.0.0.1",))
    with serving(sends(answer(BODY))) as server:
        assert fetch(server.url, tmp_path / "x", only, Call()).bytes == len(BODY)
    with pytest.raises(Failure, match="not among the allowed hosts"):
        fetch("https://example.org/x", tmp_path / "x", only, Call())
    with serving(redirects("http://example.org/")) as server, pytest.raises(Failure, match="not among the allowed"):
        fetch(server.url, tmp_path / "x", only, Call())


# -- encryption --------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A certificate for this machine that lasts an hour, with its key behind it."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "localhost")])
    now = datetime.now(UTC)
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(7)
        .not_valid_before(now - timedelta(hours=1))
        .not_valid_after(now + timedelta(hours=1))
        .add_extension(x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address("127.0.0.1"))]), False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), True)
        .sign(key, hashes.SHA256())
    )
    path = tmp_path_factory.mktemp("tls") / "both.pem"
    secret = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    path.write_bytes(made.public_bytes(serialization.Encoding.PEM) + secret)
    return path


@pytest.fixture
def tls(certificate: Path) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)
    return context


def test_encrypted(tmp_path: Path, certificate: Path, tls: ssl.SSLContext) -> None:
    """GET-REDIRECTS, GET-MISBEHAVED: who cannot prove who it is gets nothing; https never leads to http."""
    trusting = replace(POLICY, ca_file=str(certificate))
    with serving(sends(answer(BODY)), tls) as server:
        assert fetch(server.url, tmp_path / "x", trusting, Call()).bytes == len(BODY)
        with pytest.raises(Failure, match="certificate of .* is not valid") as raised:
            fetch(server.url, tmp_path / "x", POLICY, Call())
        assert "downloads.ca_file" in raised.value.effective_hint
        with serving(redirects(server.url)) as plain:
            assert fetch(plain.url, tmp_path / "y", trusting, Call()).bytes == len(BODY)
    with serving(sends(answer(BODY))) as plain, serving(redirects(plain.url), tls) as server:
        with pytest.raises(Failure, match="from https to http") as raised:
            fetch(server.url, tmp_path / "z", trusting, Call())
        assert raised.value.code == "FORBIDDEN" and not plain.requests
    hasty = replace(trusting, idle_s=0.3)
    with serving(sends(answer(BODY))) as plain, pytest.raises(Failure, match="does not agree|nothing came"):
        fetch(plain.url.replace("http:", "https:"), tmp_path / "z", hasty, Call())
    with pytest.raises(Failure, match="no valid certificates"), serving(sends(b""), tls) as server:
        fetch(server.url, tmp_path / "z", replace(POLICY, ca_file=__file__), Call())


# -- proxies -----------------------------------------------------------------------------------------------------------


def _relay(one: socket.socket, two: socket.socket) -> None:
    try:
        while data := one.recv(65_536):
            two.sendall(data)
        two.shutdown(socket.SHUT_WR)
    except OSError:
        return


def tunnel(request: Request, connection: socket.socket) -> None:
    host, _, port = request.target.rpartition(":")
    with socket.create_connection((host, int(port))) as other:
        connection.sendall(b"HTTP/1.1 200 Connected\r\nX-Proxy: yes\r\n\r\n")
        back = threading.Thread(target=_relay, args=(other, connection))
        back.start()
        _relay(connection, other)
        back.join(5)


def test_a_proxy_only_when_told(
    tmp_path: Path, certificate: Path, tls: ssl.SSLContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    """GET-PROXY, GET-ADDRESSES: the fetcher reads no environment; the one that is set carries both kinds."""
    with serving(sends(answer(BODY))) as proxy, serving(sends(answer(b"direct"))) as server:
        for name in ("http_proxy", "HTTP_PROXY", "https_proxy", "ALL_PROXY"):
            monkeypatch.setenv(name, f"http://127.0.0.1:{proxy.port}")
        fetch(server.url, tmp_path / "x", POLICY, Call())
        assert (tmp_path / "x").read_bytes() == b"direct" and not proxy.requests
        through = replace(POLICY, proxies=read_proxies(f"http://127.0.0.1:{proxy.port}", {}))
        fetch("http://files.example/x?y=1", tmp_path / "x", through, Call())
        assert (tmp_path / "x").read_bytes() == BODY
        assert proxy.requests[0].line == "GET http://files.example/x?y=1 HTTP/1.1"
        assert proxy.requests[0].headers["host"] == "files.example"
        for host in ("169.254.169.254", "localhost", "10.0.0.1"):
            with pytest.raises(Failure, match="not public"):
                fetch(f"http://{host}/", tmp_path / "x", through, Call())
        assert len(proxy.requests) == 1
    with serving(tunnel) as proxy, serving(sends(answer(BODY)), tls) as server:
        named = read_proxies(f"http://127.0.0.1:{proxy.port}", {})
        through = replace(POLICY, proxies=named, ca_file=str(certificate))
        assert fetch(server.url, tmp_path / "y", through, Call()).bytes == len(BODY)
        assert proxy.requests[0].line.startswith(f"CONNECT 127.0.0.1:{server.port} ")
    with serving(sends(b"HTTP/1.1 403 No\r\n\r\n")) as proxy, pytest.raises(Failure, match="does not connect"):
        through = replace(through, proxies=read_proxies(f"http://127.0.0.1:{proxy.port}", {}))
        fetch("https://files.example/", tmp_path / "y", through, Call())


# -- files of this machine ---------------------------------------------------------------------------------------------


@pytest.fixture
def shelf(tmp_path: Path) -> Path:
    root = tmp_path / "shelf"
    root.mkdir()
    (root / "a file.txt").write_bytes(BODY)
    (root / "link.txt").symlink_to(root / "a file.txt")
    (root / "out.txt").symlink_to("/etc/passwd")
    os.mkfifo(root / "pipe")
    (tmp_path / "outside.txt").write_bytes(b"secret")
    return root


def test_files_inside_their_roots(tmp_path: Path, shelf: Path) -> None:
    """GET-FILE, GET-HASH: copied, hashed, under the same limits."""
    policy = FetchPolicy(file_roots=(str(shelf),), max_bytes=1_000)
    sha = hashlib.sha256(BODY).hexdigest()
    for name in ("a%20file.txt", "link.txt"):
        made = fetch(f"file://{shelf}/{name}", tmp_path / "in" / "x", policy, Call(), sha256=sha)
        assert made.sha256 == sha and (tmp_path / "in" / "x").read_bytes() == BODY
    assert fetch(f"file://localhost{shelf}/link.txt", tmp_path / "in" / "x", policy, Call()).bytes == len(BODY)
    with pytest.raises(Failure) as raised:
        fetch(f"file://{shelf}/link.txt", tmp_path / "in" / "x", policy, Call(), sha256="0" * 64)
    assert raised.value.code == "DOWNLOAD_VERIFY_FAILED" and raised.value.details["actual"] == sha
    with pytest.raises(Failure, match="larger than 10 bytes"):
        fetch(f"file://{shelf}/link.txt", tmp_path / "in" / "x", replace(policy, max_bytes=10), Call())
    assert [path.name for path in (tmp_path / "in").iterdir()] == ["x"]


@pytest.mark.parametrize(
    ("place", "code"),
    [
        ("/../outside.txt", "FORBIDDEN"), ("/%2e%2e/outside.txt", "FORBIDDEN"), ("/out.txt", "FORBIDDEN"),
        ("/none.txt", "DOWNLOAD_FAILED"), ("/pipe", "DOWNLOAD_FAILED"), ("", "DOWNLOAD_FAILED"),
        ("/a%00b", "INVALID_REQUEST"),
    ],
)  # fmt: skip
def test_files_that_are_refused(tmp_path: Path, shelf: Path, place: str, code: str) -> None:
    """GET-FILE: outside, by a link or upwards; pipes and directories; what is not there."""
    with pytest.raises(Failure) as raised:
        fetch(f"file://{shelf}{place}", tmp_path / "x", FetchPolicy(file_roots=(str(shelf),)), Call())
    assert raised.value.code == code and "passwd" not in raised.value.message
    assert not (tmp_path / "x").exists()
    with pytest.raises(Failure, match="outside the allowed directories"):
        fetch("file:///etc/passwd", tmp_path / "x", FetchPolicy(), Call())


@pytest.mark.parametrize(
    "url",
    [
        "", "words.txt", "/etc/passwd", "ftp://example.org/x", "http://", "http:///x", "https://exa mple.org/",
        "https://example.org:99999/", "https://example.org:http/", "https://[::1/", "https://exämple.org/",
        "https://user@example.org/", "https://example.org/\nHost: x", "file://other.example/x", "file:x",
        "https://example.org/" + "x" * 5_000, "javascript:alert(1)", "https://fe80::1%25eth0/", "http://a\\b/",
    ],
)  # fmt: skip
def test_what_is_no_url(tmp_path: Path, url: str) -> None:
    """GET-URLS: refused with words that say why."""
    with pytest.raises(Failure, match="cannot be fetched") as raised:
        fetch(url, tmp_path / "x", FetchPolicy(file_roots=("/",)), Call())
    assert raised.value.code == "INVALID_REQUEST"


def _full(monkeypatch: pytest.MonkeyPatch) -> None:
    def write(*_: object) -> int:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "write", write)


def _sealed(monkeypatch: pytest.MonkeyPatch) -> None:
    def replace_(*_: object) -> None:
        raise OSError(13, "Permission denied")

    monkeypatch.setattr(os, "replace", replace_)


@pytest.mark.parametrize(("spoil", "code"), [(_full, "DISK_FULL"), (_sealed, "DOWNLOAD_FAILED")])
def test_a_disk_that_fails(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, spoil: Callable[[pytest.MonkeyPatch], None], code: str
) -> None:
    """GET-ATOMIC: no room and no permission are said to be so, and what was there stays."""
    (tmp_path / "x").write_bytes(b"old")
    with serving(sends(answer(BODY))) as server:
        spoil(monkeypatch)
        with pytest.raises(Failure) as raised:
            fetch(server.url, tmp_path / "x", POLICY, Call())
    monkeypatch.undo()
    assert raised.value.code == code and (tmp_path / "x").read_bytes() == b"old"
    assert [path.name for path in tmp_path.iterdir()] == ["x"]


@pytest.fixture(autouse=True)
def _no_litter(tmp_path: Path) -> Iterator[None]:
    yield
    shutil.rmtree(tmp_path / "shelf", ignore_errors=True)
    assert not list(tmp_path.rglob("*.part")), fetcher.__name__

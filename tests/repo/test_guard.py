"""No path, link or race leads out of the root, and nothing with the name of a secret is read."""

import os
import socket
import threading
from pathlib import Path

import pytest

from codecompass.confine import is_git_name
from codecompass.errors import Failure
from codecompass.repo.files.path_guard import ReadResult, is_secret, read_inside, read_regular
from codecompass.repo.files.skip_list import find_skip_reason

CANARY = "CANARY-7f3a"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "repo"
    (root / "d").mkdir(parents=True)
    (root / "a.py").write_text("a\n")
    (root / "d/b.py").write_text("b\n")
    (tmp_path / "outside.txt").write_text(CANARY)
    (tmp_path / "repo_evil").mkdir()
    (tmp_path / "repo_evil/x").write_text(CANARY)
    return root


def code_of(root: Path, relative: str, max_bytes: int = 1000) -> str:
    with pytest.raises(Failure) as caught:
        read_inside(root, relative, max_bytes)
    assert CANARY not in caught.value.message
    return caught.value.code


@pytest.mark.parametrize("relative", ["a.py", "./a.py", "d/../a.py", ".//a.py"])
def test_a_path_inside_is_read_unless_it_climbs(root: Path, relative: str) -> None:
    if ".." in relative:
        assert code_of(root, relative) == "FORBIDDEN"
    else:
        assert read_inside(root, relative, 1000) == b"a\n"


@pytest.mark.parametrize(
    ("relative", "code"),
    [
        ("", "INVALID_REQUEST"), (".", "INVALID_REQUEST"), ("a\0b", "INVALID_REQUEST"), ("..\\..\\x",
        "INVALID_REQUEST"),
        ("a\\b", "INVALID_REQUEST"), ("\\\\?\\UNC\\h\\s", "INVALID_REQUEST"), ("x" * 4097, "INVALID_REQUEST"),
        ("x" * 300, "INVALID_REQUEST"), ("\ud800", "INVALID_REQUEST"),
        ("../outside.txt", "FORBIDDEN"), ("d/../../outside.txt", "FORBIDDEN"), ("/etc/passwd", "FORBIDDEN"),
        ("C:/x", "FORBIDDEN"), ("d/..", "FORBIDDEN"), ("d", "FORBIDDEN"),
        ("%2e%2e/outside.txt", "FILE_NOT_FOUND"), ("~root/x", "FILE_NOT_FOUND"), ("$HOME/x", "FILE_NOT_FOUND"),
        ("gone", "FILE_NOT_FOUND"), ("a.py/b", "FILE_NOT_FOUND"), ("NUL.txt", "FILE_NOT_FOUND"),
        (".git/config", "FORBIDDEN"), (".GIT/config", "FORBIDDEN"), ("d/.git", "FORBIDDEN"), ("git~1/config",
        "FORBIDDEN"),
        (".env", "FORBIDDEN"), ("d/.ENV.production", "FORBIDDEN"),
    ],
)  # fmt: skip
def test_paths_that_must_not_be_read(root: Path, relative: str, code: str) -> None:
    assert code_of(root, relative) == code


def test_an_absolute_path_beside_the_root_is_refused(root: Path) -> None:
    assert code_of(root, f"{root}_evil/x") == "FORBIDDEN"


def test_links_are_followed_inside_and_nowhere_else(root: Path, tmp_path: Path) -> None:
    (root / "inside").symlink_to("d/b.py")
    (root / "absolute").symlink_to(root / "a.py")
    (root / "e").symlink_to("d")
    (root / "chain").symlink_to("inside")
    assert [read_inside(root, name, 9) for name in ("inside", "absolute", "e/b.py", "chain")] == [
        b"b\n",
        b"a\n",
        b"b\n",
        b"b\n",
    ]
    (root / "file").symlink_to(tmp_path / "outside.txt")
    (root / "directory").symlink_to("/")
    (root / "twice").symlink_to("file")
    (root / "up").symlink_to("../outside.txt")
    (root / "prefix").symlink_to(tmp_path / "repo_evil")
    for name in ("file", "directory/etc/passwd", "twice", "up", "prefix/x"):
        assert code_of(root, name) == "FORBIDDEN"


def test_loops_and_dangling_links_are_no_files(root: Path) -> None:
    (root / "x").symlink_to("y")
    (root / "y").symlink_to("x")
    (root / "dangling").symlink_to("nothing")
    assert [code_of(root, name) for name in ("x", "dangling")] == ["FILE_NOT_FOUND", "FILE_NOT_FOUND"]


def test_a_link_to_a_secret_inside_is_a_secret(root: Path) -> None:
    (root / ".env").write_text(CANARY)
    (root / "innocent.txt").symlink_to(".env")
    assert code_of(root, "innocent.txt") == "FORBIDDEN"


def test_a_symlinked_root_is_resolved_once(root: Path, tmp_path: Path) -> None:
    (tmp_path / "alias").symlink_to(root)
    assert read_inside(tmp_path / "alias", "a.py", 9) == b"a\n"


def test_what_is_not_a_regular_file_is_refused_without_waiting(root: Path) -> None:
    os.mkfifo(root / "fifo")
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(root / "socket"))
        assert [code_of(root, name) for name in ("fifo", "socket", "d")] == ["FORBIDDEN"] * 3
        assert read_regular(root, "fifo", 9).reason == "not_regular"
        assert read_regular(root, "d", 9).reason == "not_regular"
        assert read_regular(root, "socket", 9).reason == "unreadable"
    (root / "environ").symlink_to("/proc/self/environ")
    assert code_of(root, "environ") == "FORBIDDEN"


def test_a_file_over_the_limit_is_refused_with_its_size(root: Path) -> None:
    (root / "big").write_bytes(b"x" * 11)
    with pytest.raises(Failure) as caught:
        read_inside(root, "big", 10)
    assert (caught.value.code, caught.value.details) == ("INVALID_REQUEST", {"size": 11, "limit": 10})
    assert read_inside(root, "big", 11) == b"x" * 11


@pytest.mark.parametrize(
    "name", ["new\nline", "tab\t", "\x1b[31m", "\u202eevil", "-rf", "dot.", "space ", os.fsdecode(b"\xff.py")]
)
def test_odd_names_are_read_and_shown_without_effect(root: Path, name: str) -> None:
    (root / name).write_text("odd")
    assert read_inside(root, name, 9) == b"odd"
    assert read_regular(root, name, 9) == ReadResult(b"odd", 3, "")
    (root / name).unlink()
    with pytest.raises(Failure) as caught:
        read_inside(root, name, 9)
    assert caught.value.message.isascii() and caught.value.message.isprintable()


def test_a_file_swapped_for_a_link_all_the_time_never_leads_outside(root: Path, tmp_path: Path) -> None:
    target, stop = root / "swap", threading.Event()
    target.write_text("inside")

    def swap() -> None:
        while not stop.is_set():
            (root / "new").symlink_to(tmp_path / "outside.txt")
            os.replace(root / "new", target)
            (root / "new").write_text("inside")
            os.replace(root / "new", target)

    thread = threading.Thread(target=swap)
    thread.start()
    seen: set[bytes | str | None] = set()
    for _ in range(500):
        seen.add(read_regular(root, "swap", 100).data)
        try:
            seen.add(read_inside(root, "swap", 100))
        except Failure as failure:
            seen.add(failure.code)
    stop.set()
    thread.join()
    assert seen <= {b"inside", None, "FORBIDDEN", "FILE_NOT_FOUND"}


def test_the_indexer_gets_reasons_instead_of_errors(root: Path, tmp_path: Path) -> None:
    (root / "link").symlink_to("a.py")
    (root / "linked").symlink_to("d")
    assert read_regular(root, "d/b.py", 100) == ReadResult(b"b\n", 2, "")
    assert read_regular(root, "d/b.py", 1) == ReadResult(b"b", 2, "truncated")
    assert read_regular(root, "gone", 100) == ReadResult(None, 0, "vanished")
    assert read_regular(root, "gone/too", 100) == ReadResult(None, 0, "vanished")
    assert read_regular(root, "link", 100).reason == "symlink"
    assert read_regular(root, "linked/b.py", 100).reason == "symlink"
    assert read_regular(root, "a\0b", 100).reason == "unreadable"
    assert read_regular(tmp_path / "gone", "a.py", 100).reason == "vanished"


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_file_without_permission_is_unreadable(root: Path) -> None:
    (root / "a.py").chmod(0)
    assert read_regular(root, "a.py", 100).reason == "unreadable"
    assert code_of(root, "a.py") == "FORBIDDEN"


def test_no_descriptor_is_left_open(root: Path) -> None:
    os.mkfifo(root / "fifo")
    (root / "out").symlink_to("/etc/passwd")
    names = ("a.py", "d/b.py", "d", "gone", "fifo", "out", "../x", "a.py/b")
    before = len(os.listdir("/proc/self/fd")) if os.path.isdir("/proc/self/fd") else 0
    for name in names:
        read_regular(root, name, 9)
        try:
            read_inside(root, name, 9)
        except Failure:
            continue
    after = len(os.listdir("/proc/self/fd")) if os.path.isdir("/proc/self/fd") else 0
    assert after == before


@pytest.mark.parametrize(
    "path",
    [
        ".env", ".ENV", ".env.production", ".env.example", "config/.env", ".envrc", "id_rsa", "x/id_ed25519",
        "server.pem", "a/B.KEY",
        "x.p12", "x.pfx", "x.jks", "x.keystore", "x.kdbx", ".npmrc", ".netrc", ".pypirc", ".pgpass",
        ".git-credentials", ".htpasswd",
        ".aws/credentials", "home/.AWS/credentials", ".docker/config.json", ".ssh/config", ".ssh/known_hosts",
        "terraform.tfstate",
        "terraform.tfstate.backup", "credentials.json", "service-account.json", "service-account-prod.json",
        ".env/inner.py",
        "prod.env", ".env_local", ".envlocal", ".env-prod", ".env~", "secrets.yaml", "terraform.tfvars", "kubeconfig",
        "client_secret.json", "client_secret_1-x.apps.json", "auth.json", ".aws/config", ".boto", ".dockercfg",
        ".cargo/credentials.toml", "gcloud/application_default_credentials.json", ".gem/credentials",
        ".m2/settings.xml", ".my.cnf", ".s3cfg", ".vault-token", ".terraformrc", ".netrc.bak", "id_rsa.bak", "id_rsa~",
        "id_ed25519_sk", "deploy.pem.bak", "private.asc", "server.p8", "signing-private.asc", ".gnupg/pubring.kbx",
        "secrets.yml.orig", ".bash_history", "#id_rsa#", ".id_rsa.swp", "id_rsa.2031", "prod.auto.tfvars.json",
        ".aws/credentials.old", "gh/hosts.yml", "app-firebase-adminsdk-x1.json", "x.kubeconfig",
    ],
)  # fmt: skip
def test_names_of_secrets(path: str) -> None:
    assert is_secret(path)
    assert find_skip_reason(path) == "secret"


@pytest.mark.parametrize(
    "path",
    [
        "environment.py", ".github/x", "node_modules_doc.md", "env.py", "my.env.py", "id_rsa.pub", "id_ed25519.pub",
        "credentials.py",
        "aws/credentials", "docker/config.json", "config.json", "secrets.py", "key.py", "keys/public.txt", "pem",
        "key",
        "src/service-account.md", "environments/.environment", "tfstate.go", "docs/service-accounts.md", "a.pem.md",
        "public.pem", "signing-public.asc", "KEYS.asc", "release.tar.gz.asc", "secrets.example.yaml",
        "terraform.tfvars.example", "kubeconfig.go", "client_secret.py", "settings.xml", "config", "auth.py",
        "src/secrets/store.py", "backup.py", "credentials.toml", ".gitconfig",
    ],
)  # fmt: skip
def test_names_that_only_look_like_secrets(path: str) -> None:
    assert not is_secret(path)
    assert find_skip_reason(path) == ""


@pytest.mark.parametrize(
    ("path", "reason"), [("x/node_modules/y.js", "excluded"), ("a/B.PNG", "binary_name"), ("png", "")]
)
def test_a_file_of_a_commit_is_left_out_by_its_name(path: str, reason: str) -> None:
    assert find_skip_reason(path) == reason


@pytest.mark.parametrize(
    "name", [".git", ".GIT", ".git ", ".git.", "git~1", "GIT~1", ".g\u200cit", ".git::$INDEX_ALLOCATION"]
)
def test_names_some_file_system_takes_for_the_repository(name: str) -> None:
    assert is_git_name(name)


@pytest.mark.parametrize("name", [".gitignore", ".github", "git", ".gitmodules", "x.git", "git~2"])
def test_names_no_file_system_takes_for_the_repository(name: str) -> None:
    assert not is_git_name(name)

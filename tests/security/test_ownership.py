"""Files that another user owns or may write are refused: data, models, extensions, settings, and links to them."""

import os
import stat
from collections.abc import Callable
from pathlib import Path

import pytest

from codecompass.embed.models import ModelChoice, open_model
from codecompass.engine.maintenance.downloads.installed_models import list_models
from codecompass.errors import Failure
from codecompass.ownership import find_ownership_problem, require_own, require_own_root
from codecompass.settings import load_settings
from tests.embed.test_models import model2vec, onnx
from tests.security.otheruser import CAN_SWITCH, NOBODY
from tests.surfaces.conftest import Shell, environment, make_repository

needs_root = pytest.mark.skipif(not CAN_SWITCH, reason="only root can give files away")


def tree(base: Path) -> tuple[Path, Path]:
    """A root with a file two levels below."""
    root = base / "data"
    (root / "models" / "tiny").mkdir(parents=True)
    for path in (root, root / "models", root / "models" / "tiny"):
        path.chmod(0o755)
    file = root / "models" / "tiny" / "model.bin"
    file.write_bytes(b"x")
    file.chmod(0o644)
    return root, file


def open_to_all(path: Path) -> None:
    path.chmod(path.stat().st_mode | 0o002)


def open_to_a_group(path: Path) -> None:
    os.chown(path, -1, NOBODY)
    path.chmod(path.stat().st_mode | 0o020)


def given_away(path: Path) -> None:
    os.chown(path, NOBODY, -1)


SPOILT: dict[str, Callable[[Path], None]] = {
    "others may write": open_to_all, "a group may write": open_to_a_group, "another owner": given_away,
}  # fmt: skip
PLACES = {"the file": 0, "its directory": 1, "the one above": 2, "the root": 3}


@needs_root
@pytest.mark.parametrize("spoil", SPOILT.values(), ids=list(SPOILT))
@pytest.mark.parametrize("place", PLACES.values(), ids=list(PLACES))
def test_the_whole_way_counts(tmp_path: Path, place: int, spoil: Callable[[Path], None]) -> None:
    """SEC-OWNERSHIP: file and every directory above it up to the root; the error has the command that repairs it."""
    root, file = tree(tmp_path)
    assert find_ownership_problem(file, root) is None
    weak = (file, *file.parents)[place]
    spoil(weak)
    found = find_ownership_problem(file, root)
    assert found is not None and found.path == weak
    with pytest.raises(Failure) as raised:
        require_own(file, root, "the data directory")
    name = os.path.relpath(weak, root)
    word = "rm -r" if spoil is given_away else "chmod go-w"
    assert raised.value.code == "UNSAFE_PERMISSIONS" and f"{word} {name}" in raised.value.hint
    assert str(tmp_path) not in raised.value.message + raised.value.hint
    if spoil is not given_away:
        os.system(found.format_repair_command())  # noqa: S605 - the command that is told, as it is told
        assert find_ownership_problem(file, root) is None


def test_what_is_ours_or_roots_is_fine(tmp_path: Path) -> None:
    """SEC-OWNERSHIP: readable by others is no matter; what does not exist is no weakness of a root."""
    root, file = tree(tmp_path)
    for path in (root, file):
        path.chmod(path.stat().st_mode | 0o044)
    assert (
        find_ownership_problem(file, root) is None and find_ownership_problem(Path("/etc/passwd"), Path("/etc")) is None
    )
    require_own_root(tmp_path / "none")


@needs_root
def test_links_lead_no_way_round(tmp_path: Path) -> None:
    """SEC-OWNERSHIP: a link of somebody else, and a link of ours to what somebody else may change."""
    root, file = tree(tmp_path)
    place = tmp_path / "elsewhere"
    place.mkdir(mode=0o755)
    target = place / "target.bin"
    target.write_bytes(b"x")
    link = root / "models" / "tiny" / "link.bin"
    link.symlink_to(target)
    assert find_ownership_problem(link, root) is None
    for spoil, weak in ((open_to_all, target), (open_to_all, place), (given_away, target)):
        before = (target.stat(), place.stat())
        spoil(weak)
        found = find_ownership_problem(link, root)
        assert found is not None and found.path == weak
        for path, state in zip((target, place), before, strict=True):
            os.chown(path, state.st_uid, state.st_gid)
            path.chmod(stat.S_IMODE(state.st_mode))
    os.lchown(link, NOBODY, NOBODY)
    found = find_ownership_problem(link, root)
    assert found is not None and found.path == link


@needs_root
@pytest.mark.parametrize("spoil", SPOILT.values(), ids=list(SPOILT))
@pytest.mark.parametrize("make", [model2vec, onnx])
@pytest.mark.parametrize("name", ["", "tokenizer.json", "model.*"])
def test_a_planted_model_is_not_opened(
    tmp_path: Path, make: Callable[[Path], Path], name: str, spoil: Callable[[Path], None]
) -> None:
    """SEC-OWNERSHIP, SEC-MODELS: on the shelf and by its path; status says why."""
    shelf = tmp_path / "data" / "models"
    shelf.mkdir(parents=True)
    for path in (shelf, shelf.parent):
        path.chmod(0o755)
    made = make(shelf / "mine")
    made.chmod(0o755)
    for path in made.iterdir():
        path.chmod(0o644)
    choices = (ModelChoice("mine", models_directory=str(shelf)), ModelChoice(str(made)))
    assert all(open_model(choice) is not None for choice in choices)
    spoil(next(made.glob(name)) if name else made)
    for choice in choices:
        with pytest.raises(Failure) as raised:
            open_model(choice)
        assert raised.value.code == "UNSAFE_PERMISSIONS"
    (card,) = list_models(shelf)
    assert "another user" in card.trouble or "other users" in card.trouble


@needs_root
@pytest.mark.parametrize("spoil", SPOILT.values(), ids=list(SPOILT))
def test_a_data_directory_of_others_is_refused(tmp_path: Path, spoil: Callable[[Path], None]) -> None:
    """SEC-OWNERSHIP: before anything of it is opened, by commands and servers, with the command to paste."""
    shell = Shell(make_repository(tmp_path / "repo"), environment(tmp_path))
    assert shell.run("index").returncode == 0
    data = tmp_path / "data"
    assert stat.S_IMODE(data.stat().st_mode) == 0o700, "it is made for its owner alone"
    spoil(data)
    for words in (("status",), ("search", "token"), ("doctor",), ("serve-mcp",), ("serve-http", "--port", "0"),
                  ("http-token",)):  # fmt: skip
        refused = shell.run(*words)
        assert refused.returncode == 4, (words, refused.stderr)
        wanted = "--data-dir" if spoil is given_away else f"chmod go-w {data}"
        assert wanted in refused.stderr, refused.stderr
    if spoil is not given_away:
        os.system(f"chmod go-w {data}")  # noqa: S605 - as it was told
        assert shell.run("status").returncode == 0


@needs_root
def test_a_project_that_others_may_write_is_refused(tmp_path: Path) -> None:
    """SEC-OWNERSHIP: the directories inside the data directory count as well."""
    shell = Shell(make_repository(tmp_path / "repo"), environment(tmp_path))
    assert shell.run("index").returncode == 0
    open_to_all(tmp_path / "data" / "projects")
    refused = shell.run("search", "token")
    assert refused.returncode == 4 and "chmod go-w projects" in refused.stderr, refused.stderr


@needs_root
@pytest.mark.parametrize("spoil", SPOILT.values(), ids=list(SPOILT))
def test_settings_of_others_are_refused(tmp_path: Path, spoil: Callable[[Path], None]) -> None:
    """SEC-OWNERSHIP: a config file says what may be loaded, so nobody else may write it."""
    config = tmp_path / "config.toml"
    config.write_text('[downloads]\nextensions = ["linux-x86_64=https://example.org/x#sha256=' + "0" * 64 + '"]\n')
    config.chmod(0o644)
    assert load_settings(config=str(config), env={}, user_config=tmp_path / "none.toml")["downloads.extensions"]
    spoil(config)
    for given in ({"config": str(config)}, {"user_config": config}):
        with pytest.raises(Failure) as raised:
            load_settings(env={}, **{"user_config": tmp_path / "none.toml", **given})  # type: ignore[arg-type]
        assert raised.value.code == "UNSAFE_PERMISSIONS"


def test_a_loose_mask_makes_nothing_that_others_may_write(tmp_path: Path) -> None:
    """SEC-OWNERSHIP: whatever the shell allows, what is made is its owner's alone to change."""
    shell = Shell(make_repository(tmp_path / "repo"), environment(tmp_path))
    before = os.umask(0)
    try:
        assert shell.run("index").returncode == 0
        assert shell.run("search", "token").returncode == 0, "and it can be used again"
    finally:
        os.umask(before)
    loose = [path for path in (tmp_path / "data").rglob("*") if path.stat().st_mode & 0o022]
    assert not loose

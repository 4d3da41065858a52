"""The doctor: real checks, a command that repairs, and an exit code for each kind of damage."""

import ctypes
import json
import re
import resource
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from codecompass.app import main
from codecompass.engine.maintenance.health.doctor import check_installation, check_project
from codecompass.engine.maintenance.health.self_test import check_storage
from codecompass.errors import Failure
from codecompass.languages.registry import Registry
from codecompass.model.call import Call
from codecompass.model.maintenance.portable_index import PortableBuildRequest
from codecompass.model.queries.results import DoctorCheck
from codecompass.store.embedded.embedded_store import EmbeddedStore
from codecompass.store.ports import Store
from codecompass.surfaces.cli.commands.doctor_command import DAMAGE_KINDS, find_exit_code, run_doctor
from codecompass.surfaces.cli.parser import build_parser
from tests.architecture.source import ROOT
from tests.engine.maintenance.places import flip, indexed, repo_with
from tests.engine.support import Desk, desk_on
from tests.fake_engine import FakeEngine

SOURCES = ("doctor.py", "self_test.py", "storage_checks.py")
DESTRUCTIVE = re.compile(r"\brm\b|clean|--yes|reset|delete|dryRun|drop")


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home without any client, so that nobody's own settings count."""
    made = tmp_path / "home"
    made.mkdir()
    monkeypatch.setenv("HOME", str(made))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(made / ".config"))
    return made


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    base = tmp_path_factory.mktemp("patient")
    with indexed(repo_with(base / "repo"), base / "data") as made:
        made.engine.build_portable(None, PortableBuildRequest(), Call())
    return base


@pytest.fixture
def place(model: Path, tmp_path: Path, home: Path) -> Iterator[Path]:
    """The data of an indexed repository, to be damaged, with the repository put back as it was."""
    shutil.copytree(model / "data", tmp_path / "data")
    yield tmp_path
    (model / "repo" / ".mcp.json").unlink(missing_ok=True)


@pytest.fixture
def desk(model: Path, place: Path) -> Iterator[Desk]:
    with desk_on(model / "repo", place / "data") as found:
        yield found


def found(desk: Desk, *, read_data: bool = True) -> dict[str, DoctorCheck]:
    """All checks; those of the project with everything read, which for the installation would take too long here."""
    quick = desk.engine.doctor(None)
    if not read_data:
        return {check.name: check for check in quick}
    project = desk.engine._projects.get_registered(None)
    read = check_project(project, None, read_data=True)
    return {check.name: check for check in (*quick, *read)}


def test_a_sound_place(desk: Desk) -> None:
    """DOCTOR-CHECKS: everything is looked at, nothing is wrong, and only the missing client is worth a word."""
    checks = found(desk)
    assert {
        "grammars", "sqlite", "tantivy", "model", "extension", "disk", "permissions", "ignore rules",
        "git", "documents", "linter", "data directory", "index", "checksums", "owned data", "sqlite file", "caches",
        "records", "jobs", "triage", "text index", "vectors",
    } == set(checks)  # fmt: skip
    assert {name for name, check in checks.items() if check.status != "ok"} <= {"linter"}
    assert find_exit_code(tuple(checks.values())) == 0
    quick = found(desk, read_data=False)
    assert "--read-data" in quick["checksums"].detail and "owned data" not in quick


@pytest.mark.parametrize(
    ("file", "check", "code", "remedy"),
    [
        ("index.db", "checksums", 22, "codecompass index --force"),
        ("portable/index.sqlite", "sqlite file", 22, "codecompass care sqlite"),
        ("records.db", "owned data", 24, "restore records.db from a backup"),
    ],
)
def test_read_data_finds_every_flipped_bit(
    model: Path, place: Path, file: str, check: str, code: int, remedy: str
) -> None:
    """DOCTOR-READ-DATA: a bit turned in any database is found, named with its kind of damage and its remedy."""
    path = next((place / "data" / "projects").iterdir()) / file
    flip(path, path.stat().st_size - 5_000)
    with desk_on(model / "repo", place / "data") as again:
        checks = found(again)
    assert checks[check].status == "fail" and checks[check].remedy == remedy, checks[check]
    assert find_exit_code(tuple(checks.values())) == code


def test_owned_data_that_cannot_be_opened(model: Path, place: Path) -> None:
    """DOCTOR-EXIT: everything else is looked at all the same, and the command that is named leads on."""
    path = next((place / "data" / "projects").iterdir()) / "records.db"
    flip(path, 200)
    with desk_on(model / "repo", place / "data") as sick:
        checks = found(sick, read_data=False)
        with pytest.raises(Failure) as caught:
            sick.search("basket")
    assert "damaged" in checks["records"].detail and {"grammars", "disk", "permissions"} <= set(checks)
    assert find_exit_code(tuple(checks.values())) == 24 and caught.value.effective_hint.startswith(
        "Run 'codecompass doctor'"
    )
    aside = f"mv '{path}' '{path}.damaged'"
    assert checks["records"].remedy.endswith(f"{aside} && codecompass init")
    subprocess.run(shlex.split(aside), check=True)
    with desk_on(model / "repo", place / "data") as well:
        assert found(well, read_data=False)["project"].remedy == "codecompass init"
        well.engine._projects.register(str(model / "repo"))
        assert find_exit_code(tuple(found(well).values())) == 0 and well.places("stays_3")


def _without_privilege() -> None:
    """Nobody is above permissions: the superuser gives up what lets it pass them."""
    call = ctypes.CDLL(None).prctl
    for capability in (1, 2):  # CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH
        call(24, capability, 0, 0, 0)  # PR_CAPBSET_DROP


def _without_room() -> None:
    """No file grows beyond its first page, as on a disk that is full."""
    resource.setrlimit(resource.RLIMIT_FSIZE, (4_096, 4_096))


@pytest.mark.parametrize(
    ("closed", "prepare", "check", "remedy"),
    [
        ("", _without_privilege, "permissions", "chmod -R u+rwX '{data}'"),
        ("projects/{id}", _without_privilege, "permissions", "chmod -R u+rwX '{home}'"),
        ("projects/{id}/records.db", _without_privilege, "permissions", "chmod -R u+rwX '{home}'"),
        ("projects/{id}/index.db", _without_privilege, "permissions", "chmod -R u+rwX '{home}'"),
        (None, _without_room, "disk", "free some megabytes on the disk of '{home}', then codecompass care gc"),
    ],
    ids=["data directory", "project", "records", "index", "no room"],
)
def test_what_keeps_a_project_shut(
    model: Path, place: Path, closed: str | None, prepare: Callable[[], None], check: str, remedy: str
) -> None:
    """DOCTOR-CHECKS: a doctor that cannot get in says what bars the way and how to open it."""
    data = place / "data"
    home = next((data / "projects").iterdir())
    barred = data / closed.format(id=home.name) if closed is not None else None
    mode = barred.stat().st_mode if barred else 0
    if barred:
        barred.chmod(0o000 if closed != "projects/{id}" else 0o500)
    words = [sys.executable, "-m", "codecompass", "--data-dir", str(data), "doctor", "--json", "--path",
             str(model / "repo")]  # fmt: skip
    try:
        ended = subprocess.run(words, capture_output=True, text=True, preexec_fn=prepare)
    finally:
        if barred:
            barred.chmod(mode)
    said = json.loads(ended.stdout)
    failed = {one["name"]: one for one in said["checks"] if one["status"] == "fail"}
    assert ended.returncode == said["exit"] == 23, ended.stderr
    assert failed[check]["remedy"].startswith(remedy.format(data=data, home=home)), failed


def test_sources_that_cannot_be_read(model: Path, place: Path) -> None:
    """DOCTOR-CHECKS: what no index can hold, because nobody may read it, is a warning with the exact command."""
    repo = place / "repo"
    shutil.copytree(model / "repo", repo)
    (repo / "closed").mkdir(mode=0o000)
    words = [sys.executable, "-m", "codecompass", "--data-dir", str(place / "other")]
    for verb in (["init"], ["doctor", "--json"]):
        ended = subprocess.run([*words, *verb, "--path", str(repo)], capture_output=True, text=True,
                               preexec_fn=_without_privilege)  # fmt: skip
    (check,) = [one for one in json.loads(ended.stdout)["checks"] if one["name"] == "ignore rules"]
    assert (check["status"], check["remedy"]) == ("warn", f"chmod -R u+rX '{repo}'") and ended.returncode == 0


def test_exit_codes_tell_kinds_of_damage() -> None:
    """DOCTOR-EXIT: one code for each kind, the gravest wins, a warning is none; the document has the same table."""
    assert find_exit_code((DoctorCheck("grammars", "warn", ""), DoctorCheck("disk", "ok", ""))) == 0
    for damage in DAMAGE_KINDS:
        assert {find_exit_code((DoctorCheck(name, "fail", ""),)) for name in damage.checks} == {damage.exit}
    together = tuple(DoctorCheck(damage.checks[0], "fail", "") for damage in reversed(DAMAGE_KINDS))
    assert find_exit_code(together) == DAMAGE_KINDS[0].exit == 24
    assert find_exit_code((DoctorCheck("something new", "fail", ""),)) == 1
    page = (ROOT / "docs" / "care.md").read_text()
    assert all(f"| {damage.exit} | {damage.kind} |" in page for damage in DAMAGE_KINDS)


def test_every_check_has_a_kind(desk: Desk) -> None:
    """DOCTOR-EXIT: no check can fail without a code of its own, and no remedy destroys anything."""
    known = {name for damage in DAMAGE_KINDS for name in damage.checks} | {"jobs", "ignore rules", "project"}
    checks = found(desk)
    assert set(checks) <= known
    source = "".join((ROOT / "src/codecompass/engine/maintenance/health" / name).read_text() for name in SOURCES)
    remedies = re.findall(r'"((?:codecompass|pip|chmod|git|claude|restore)[^"]*)"', source)
    assert len(remedies) > 8 and not [text for text in remedies if DESTRUCTIVE.search(text)]


def test_storage_that_does_not_work() -> None:
    """DOCTOR-CHECKS: SQLite and the text index are tried for real; what fails is said with its remedy."""

    def broken(_: Path) -> Store:
        raise Failure("DISK_FULL", "No room to write records.db.")

    sqlite, text = check_storage(broken)
    assert (sqlite.status, text.status) == ("fail", "warn") and sqlite.remedy.startswith("codecompass care gc")
    assert [check.status for check in check_storage(EmbeddedStore)] == ["ok", "ok"]


def test_a_data_directory_that_others_can_read(tmp_path: Path) -> None:
    """DOCTOR-CHECKS: indexes that others on the machine can read are a warning with the exact command."""
    data = tmp_path / "data"
    (data / "projects" / "a1").mkdir(parents=True)
    for path, mode in ((data, 0o755), (data / "projects" / "a1", 0o755)):
        path.chmod(mode)
    (check,) = [one for one in check_installation(Registry(), EmbeddedStore, data) if one.name == "data directory"]
    assert check.status == "warn" and check.remedy == f"chmod 700 '{data}'"
    data.chmod(0o700)
    (check,) = [one for one in check_installation(Registry(), EmbeddedStore, data) if one.name == "data directory"]
    assert check.status == "ok"


def test_the_command(model: Path, place: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """DOCTOR-CHECKS: the command shows each check, `--json` the same for programs; an unregistered place is said."""
    words = ["--data-dir", str(place / "data"), "doctor", "--path", str(model / "repo")]
    assert main([*words, "--json"]) == 0
    said = json.loads(capfd.readouterr().out)
    assert said["ok"] and said["exit"] == 0 and {"name": "index", "status": "ok"}.items() <= said["checks"][9].items()
    assert main(["--data-dir", str(tmp_path / "none"), "doctor", "--path", str(tmp_path)]) == 0
    assert "codecompass init" in capfd.readouterr().out


def test_the_command_can_read_everything(capfd: pytest.CaptureFixture[str]) -> None:
    """DOCTOR-READ-DATA: `--read-data` reaches the engine, and its worst finding is the exit code."""
    asked: list[bool] = []

    class Sick(FakeEngine):
        def doctor(self, workspace: str | None, *, read_data: bool = False) -> tuple[DoctorCheck, ...]:
            asked.append(read_data)
            return (
                DoctorCheck("owned data", "fail", "page 3 does not match", "restore it"),
                DoctorCheck("clients", "fail", ""),
            )

    args = build_parser().parse_args(["doctor", "--read-data"])
    assert run_doctor(args, Sick()) == 24 and asked == [True]
    assert "page 3" in capfd.readouterr().out

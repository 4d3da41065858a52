"""Portable state: nothing private leaves with it, and a small file does not become a large one."""

from pathlib import Path

import pytest
import zstandard

from codecompass.model.call import Call
from tests.engine.maintenance.places import FILES, answers, indexed, repo_with
from tests.engine.maintenance.test_state import Refusing, Works, brought, forged
from tests.engine.support import desk_on
from tests.repo.gitrepo import git


@pytest.fixture(scope="module")
def works(tmp_path_factory: pytest.TempPathFactory) -> Works:
    return Works(tmp_path_factory.mktemp("works"))


@pytest.fixture(scope="module")
def refusing(works: Works, tmp_path_factory: pytest.TempPathFactory) -> Refusing:
    return Refusing(works, tmp_path_factory.mktemp("refusing"))


def test_a_bundle_has_nothing_of_other_trees_and_deleted_files(tmp_path: Path) -> None:
    """STATE-PRIVATE: neither names nor words of another working tree or of an earlier state are in any member."""
    gone, elsewhere = "zqdeletedword", "zqotherworktree"
    repo = repo_with(tmp_path / "repo", {**FILES, "secret_plan.py": f"def {gone}():\n    return '{gone} text'\n"})
    git(repo, "worktree", "add", "-q", "-b", "side", str(tmp_path / "side"))
    (tmp_path / "side" / "side.py").write_text(f"def {elsewhere}():\n    return '{elsewhere} text'\n")
    bundle = tmp_path / "state.tar.zst"
    with indexed(tmp_path / "side", tmp_path / "data") as desk:
        assert desk.places(elsewhere)
    with indexed(repo, tmp_path / "data") as desk:
        assert desk.places(gone)
        (repo / "secret_plan.py").unlink()
        desk.index()
        said = answers(desk)
        desk.engine.export_state(None, None, str(bundle), Call())
        assert answers(desk) == said, "what is exported from is not changed"
    words = [word.encode() for word in (gone, elsewhere, "side.py", "secret_plan")]
    stream = zstandard.ZstdDecompressor().decompressobj().decompress(bundle.read_bytes())
    assert [word for word in words if word in stream] == []
    laptop = tmp_path / "laptop"
    git(tmp_path, "clone", "-q", str(repo), str(laptop))
    with desk_on(laptop, tmp_path / "laptop-data") as desk:
        brought(desk, bundle)
        assert answers(desk) == said


def _padded(_manifest: dict[str, object], members: dict[str, bytes]) -> None:
    members["index.db"] += bytes(64 * 2**20)


def test_a_small_bundle_of_a_large_content_is_refused(works: Works, refusing: Refusing, tmp_path: Path) -> None:
    """STATE-BOUNDED: what a bundle declares is compared with its size before anything is unpacked."""
    bomb = forged(works, tmp_path / "bomb.tar.zst", _padded)
    assert bomb.stat().st_size < 2**19
    failure = refusing.refuses(bomb)
    assert failure.code == "ARCHIVE_TOO_LARGE" and "times its size" in failure.message

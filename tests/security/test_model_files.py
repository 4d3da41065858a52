"""Models are data: no operators of their own, no files elsewhere, nothing in them but a model."""

import tarfile
from pathlib import Path

import pytest

from codecompass.embed.models import ModelChoice, open_model
from codecompass.embed.onnxfile import external_files, is_confined
from codecompass.errors import Failure
from codecompass.model.call import Call
from codecompass.model.maintenance.download_values import DownloadRequest
from tests.architecture.source import SOURCES
from tests.embed.test_models import TABLE, _field, _value, onnx, write_tokenizer
from tests.engine.maintenance.supplylab import MODEL2VEC, supply_desk


def graph_with(directory: Path, location: str, domain: str = "") -> Path:
    """A model whose table lies in another file."""
    write_tokenizer(directory)
    node = _field(1, "table") + _field(1, "input_ids") + _field(2, "last_hidden_state")
    node += _field(4, "Gather") + (_field(7, domain) if domain else b"")
    entry = _field(1, "location") + _field(2, location)
    table = b"".join(_field(1, size) for size in TABLE.shape) + _field(2, 1) + _field(8, "table")
    graph = _field(1, node) + _field(2, "g") + _field(5, table + _field(13, entry) + _field(14, 1))
    graph += _field(11, _value("input_ids", 7, "batch", "length"))
    graph += _field(12, _value("last_hidden_state", 1, "batch", "length", "width"))
    opset = _field(2, 13) + (_field(1, domain) if domain else b"")
    (directory / "model.onnx").write_bytes(_field(1, 8) + _field(7, graph) + _field(8, opset))
    return directory


OUTSIDE = ["../secret.bin", "/etc/passwd", "link.bin", "sub/../../secret.bin", "C:\\x.bin", ".hidden", "", "none.bin"]


@pytest.mark.parametrize("location", OUTSIDE)
def test_numbers_lie_beside_the_model(tmp_path: Path, location: str) -> None:
    """SEC-MODELS: a graph that names any other place is refused before the runtime sees it."""
    (tmp_path / "secret.bin").write_bytes(TABLE.tobytes())
    directory = graph_with(tmp_path / "m", location)
    (directory / "link.bin").symlink_to(tmp_path / "secret.bin")
    assert external_files(directory / "model.onnx") == {location}
    with pytest.raises(Failure, match="not a regular file next to it"):
        open_model(ModelChoice(str(directory)))


def test_numbers_beside_the_model_are_read(tmp_path: Path) -> None:
    """SEC-MODELS: that is how large models are published."""
    directory = graph_with(tmp_path / "m", "model.onnx_data")
    (directory / "model.onnx_data").write_bytes(TABLE.tobytes())
    model = open_model(ModelChoice(str(directory)))
    assert model is not None and model.encode(["open"]).shape == (1, 6)


def test_places_are_found_wherever_they_stand(tmp_path: Path) -> None:
    """SEC-MODELS: in graphs inside attributes, in functions, in sparse tensors; what is no graph is an error."""
    tensor = _field(13, _field(1, "location") + _field(2, "../x"))
    inner = _field(1, _field(5, _field(6, _field(5, tensor))))
    spots = {
        "subgraph": _field(7, inner),
        "attribute": _field(7, _field(1, _field(5, _field(5, tensor)))),
        "function": _field(25, _field(7, _field(5, _field(10, tensor)))),
        "sparse": _field(7, _field(15, _field(1, tensor))),
        "training": _field(20, _field(1, _field(5, tensor))),
    }
    path = tmp_path / "model.onnx"
    for name, data in spots.items():
        path.write_bytes(data)
        assert external_files(path) == {"../x"}, name
    for data in (b"", b"\x3a\xff\xff\xff\xff\x0f", b"\x0b", b"\x08", b"\x3a\x02\x0a\x09"):
        path.write_bytes(data)
        with pytest.raises(ValueError):
            external_files(path)
    assert not is_confined("a/b") and is_confined("model.onnx_data")


def test_operators_of_others_are_refused(tmp_path: Path) -> None:
    """SEC-MODELS: an operator that the runtime does not have is refused; no library is registered for it."""
    directory = graph_with(onnx(tmp_path / "m"), "model.onnx_data", domain="evil.ops")
    (directory / "model.onnx_data").write_bytes(TABLE.tobytes())
    (directory / "custom_ops.so").write_bytes(b"\x7fELF")
    with pytest.raises(Failure, match="cannot be used"):
        open_model(ModelChoice(str(directory)))
    assert not [module.name for module in SOURCES.all if "register_custom_ops" in module.text]


def test_an_archive_leaves_nothing_but_a_model(tmp_path: Path) -> None:
    """SEC-MODELS, SEC-DESTINATIONS: programs and libraries that lie beside it are not placed, wherever it goes."""
    staged = tmp_path / "staged"
    (staged / "onnx").mkdir(parents=True)
    strangers = ("__init__.py", "setup.py", "vec0.so", "Makefile", "onnx/run.sh", "override.conf", "settings.json")
    for name in strangers:
        (staged / name).write_text("trap")
    for name, data in MODEL2VEC.items():
        (staged / name).write_bytes(data)
    with supply_desk(tmp_path / "desk") as desk:
        repo = tmp_path / "desk" / "repo"
        with tarfile.open(repo / "m.tar", "w") as archive:
            archive.add(staged, arcname="m")
        (repo / "models").mkdir()
        for directory, place in ((None, desk.data / "models"), (str(repo / "models"), repo / "models")):
            order = DownloadRequest((f"tiny=file://{repo}/m.tar",), directory=directory)
            assert desk.engine.download_models(None, order, Call()).list_names("downloaded") == ["tiny"]
            found = {str(path.relative_to(place / "tiny")) for path in (place / "tiny").rglob("*")}
            assert found == set(MODEL2VEC)
        for where in (".git", ".git/hooks", str(desk.data), str(desk.data / "models"), ".vscode", "venv", "bin"):
            (repo / where).mkdir(parents=True, exist_ok=True)
            with pytest.raises(Failure) as raised:
                desk.engine.download_models(None, DownloadRequest(order.sources, directory=where), Call())
            assert raised.value.code == "FORBIDDEN", where


def test_the_model_in_use_is_not_replaced_by_a_call(tmp_path: Path) -> None:
    """SEC-MODELS: what answers questions comes from where the settings say, not from where a call does."""
    from tests.engine.support import desk_on  # noqa: PLC0415 - only here
    from tests.repo.gitrepo import make_repo  # noqa: PLC0415

    repo = make_repo(tmp_path / "repo", {"a.py": "A = 1\n"})
    choice = ModelChoice("mine", models_directory=str(tmp_path / "data" / "models"))
    with desk_on(repo, tmp_path / "data", embedding=choice) as desk:
        desk.engine.init(str(repo))
        with pytest.raises(Failure, match="a call cannot replace it") as raised:
            desk.engine.download_models(None, DownloadRequest((f"mine=file://{repo}/m.tar",), force=True), Call())
        assert raised.value.code == "FORBIDDEN"

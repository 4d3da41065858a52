"""Tool `download_models`: install embedding models from an archive or a directory URL."""

from typing import Annotated

from msgspec import Meta

from codecompass.contract.fields import UNSET, UnsetType, Workspace, given
from codecompass.contract.tool import Answer, Host, Params, Tool
from codecompass.model.call import Call
from codecompass.model.maintenance.download_values import SupplyOrder
from codecompass.tools.shapes.download_shapes import ERRORS, Directory, Update, Urls, fetched, urls


class DownloadModelsParams(Params, frozen=True, kw_only=True):
    repoPath: Workspace | UnsetType = UNSET
    model: Annotated[str, Meta(max_length=100, pattern=r"\S")] | UnsetType = UNSET
    url: Urls | UnsetType = UNSET
    cacheDir: Directory | UnsetType = UNSET
    update: Update = False
    force: bool = False


def run(host: Host, call: Call, params: DownloadModelsParams) -> Answer:
    model = given(params.model)
    order = SupplyOrder(
        urls(params.url), (model,) if model else (), given(params.cacheDir), params.update, params.force
    )
    report = host.engine.download_models(given(params.repoPath), order, call)
    names = [item.name for item in report.deliveries if item.failure is None]
    return Answer({"model": names[0] if names else model, **fetched(report)})


TOOL = Tool(
    name="download_models",
    family="cleats",
    summary="Fetch an embedding model (model2vec or ONNX; archive, or directory URL ending in /).",
    params=DownloadModelsParams,
    run=run,
    effects=("write", "network"),
    toolsets=("admin",),
    errors=ERRORS,
)

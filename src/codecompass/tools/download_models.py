"""Tool `download_models`: install embedding models from an archive or a directory URL."""

from typing import Annotated

from msgspec import Meta

from codecompass.contract.fields import UNSET, UnsetType, Workspace, unset_to_none
from codecompass.contract.tool import Answer, Host, Params, Tool
from codecompass.model.call import Call
from codecompass.model.maintenance.download_values import DownloadRequest
from codecompass.tools.shapes.download_shapes import ERRORS, Directory, Update, Urls, shape_downloads, to_url_list


class DownloadModelsParams(Params, frozen=True, kw_only=True):
    repoPath: Workspace | UnsetType = UNSET
    model: Annotated[str, Meta(max_length=100, pattern=r"\S")] | UnsetType = UNSET
    url: Urls | UnsetType = UNSET
    cacheDir: Directory | UnsetType = UNSET
    update: Update = False
    force: bool = False


def run(host: Host, call: Call, params: DownloadModelsParams) -> Answer:
    model = unset_to_none(params.model)
    order = DownloadRequest(
        to_url_list(params.url), (model,) if model else (), unset_to_none(params.cacheDir), params.update, params.force
    )
    report = host.engine.download_models(unset_to_none(params.repoPath), order, call)
    names = [item.name for item in report.deliveries if item.failure is None]
    return Answer({"model": names[0] if names else model, **shape_downloads(report)})


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

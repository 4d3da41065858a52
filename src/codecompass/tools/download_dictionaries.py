"""Tool `download_dictionaries`: download word lists that split compounds such as `httprequest`."""

from typing import Annotated

from msgspec import Meta

from codecompass.contract.fields import UNSET, UnsetType, Workspace, unset_to_none
from codecompass.contract.tool import Answer, Host, Params, Tool
from codecompass.model.call import Call
from codecompass.model.maintenance.download_values import DownloadRequest
from codecompass.tools.shapes.download_shapes import ERRORS, Directory, Update, Urls, shape_downloads, to_url_list


class DownloadDictionariesParams(Params, frozen=True, kw_only=True):
    repoPath: Workspace | UnsetType = UNSET
    lang: Annotated[str, Meta(max_length=200, description="Names, with commas.")] | UnsetType = UNSET
    url: Urls | UnsetType = UNSET
    dir: Directory | UnsetType = UNSET
    update: Update = False
    force: bool = False


def run(host: Host, call: Call, params: DownloadDictionariesParams) -> Answer:
    names = tuple(name for part in (unset_to_none(params.lang) or "").split(",") if (name := part.strip()))
    order = DownloadRequest(to_url_list(params.url), names, unset_to_none(params.dir), params.update, params.force)
    return Answer(shape_downloads(host.engine.download_dictionaries(unset_to_none(params.repoPath), order, call)))


TOOL = Tool(
    name="download_dictionaries",
    family="cleats",
    summary="Fetch word lists that split compounds like httprequest; reindex to apply.",
    params=DownloadDictionariesParams,
    run=run,
    effects=("write", "network"),
    toolsets=("admin",),
    errors=ERRORS,
)

"""Tool `download_extensions`: download SQLite's vector extension, to use instead of the packaged one."""

from codecompass.contract.fields import UNSET, Platform, UnsetType, Workspace, unset_to_none
from codecompass.contract.tool import Answer, Host, Params, Tool
from codecompass.model.call import Call
from codecompass.model.maintenance.download_values import DownloadRequest
from codecompass.tools.shapes.download_shapes import ERRORS, Directory, Urls, shape_downloads, to_url_list


class DownloadExtensionsParams(Params, frozen=True, kw_only=True):
    repoPath: Workspace | UnsetType = UNSET
    url: Urls | UnsetType = UNSET
    dir: Directory | UnsetType = UNSET
    platform: Platform | UnsetType = UNSET
    arch: Platform | UnsetType = UNSET
    force: bool = False


def run(host: Host, call: Call, params: DownloadExtensionsParams) -> Answer:
    machine = (unset_to_none(params.platform) or "", unset_to_none(params.arch) or "")
    order = DownloadRequest(to_url_list(params.url), (), unset_to_none(params.dir), force=params.force, machine=machine)
    report = host.engine.download_extensions(unset_to_none(params.repoPath), order, call)
    there = next((item.path for item in report.deliveries if item.failure is None), None)
    return Answer({**shape_downloads(report), "extensionPath": there})


TOOL = Tool(
    name="download_extensions",
    family="cleats",
    summary="Fetch the sqlite-vec extension (SHA-256 required); the packaged one needs no download.",
    params=DownloadExtensionsParams,
    run=run,
    effects=("write", "network"),
    toolsets=("admin",),
    errors=ERRORS,
)

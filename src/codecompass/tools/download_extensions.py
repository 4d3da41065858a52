"""Tool `download_extensions`: download SQLite's vector extension, to use instead of the packaged one."""

from codecompass.contract.fields import UNSET, Language, UnsetType, Workspace, given
from codecompass.contract.tool import Answer, Host, Params, Tool
from codecompass.model.call import Call
from codecompass.model.maintenance.download_values import SupplyOrder
from codecompass.tools.shapes.download_shapes import ERRORS, Directory, Urls, fetched, urls


class DownloadExtensionsParams(Params, frozen=True, kw_only=True):
    repoPath: Workspace | UnsetType = UNSET
    url: Urls | UnsetType = UNSET
    dir: Directory | UnsetType = UNSET
    platform: Language | UnsetType = UNSET
    arch: Language | UnsetType = UNSET
    force: bool = False


def run(host: Host, call: Call, params: DownloadExtensionsParams) -> Answer:
    machine = (given(params.platform) or "", given(params.arch) or "")
    order = SupplyOrder(urls(params.url), (), given(params.dir), force=params.force, machine=machine)
    report = host.engine.download_extensions(given(params.repoPath), order, call)
    there = next((item.path for item in report.deliveries if item.failure is None), None)
    return Answer({**fetched(report), "extensionPath": there})


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

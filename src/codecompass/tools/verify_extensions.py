"""Tool `verify_extensions`: check that SQLite's vector extension exists, loads and works."""

from typing import Annotated, Any, Literal

from msgspec import Meta

from codecompass.contract.fields import UNSET, Platform, UnsetType, Workspace, unset_to_none
from codecompass.contract.tool import Answer, Host, Params, Tool
from codecompass.model.call import Call
from codecompass.model.maintenance.download_values import ExtensionProbeRequest, ExtensionReport, ProbeResult


class VerifyExtensionsParams(Params, frozen=True, kw_only=True):
    repoPath: Workspace | UnsetType = UNSET
    path: Annotated[str, Meta(description="A downloaded one.")] | UnsetType = UNSET
    platform: Platform | UnsetType = UNSET
    arch: Platform | UnsetType = UNSET
    encoding: Literal["float32", "int8", "bit"] = "float32"
    load: bool = True


def run(host: Host, call: Call, params: VerifyExtensionsParams) -> Answer:
    call.check()
    machine = (unset_to_none(params.platform) or "", unset_to_none(params.arch) or "")
    order = ExtensionProbeRequest(unset_to_none(params.path), machine, params.load, params.encoding)
    return Answer(_build_payload(host.engine.verify_extension(unset_to_none(params.repoPath), order)))


def _build_payload(found: ExtensionReport) -> dict[str, Any]:
    system, _, processor = found.platform.partition("-")
    return {
        "config": {
            "provider": found.provider, "enabled": found.exists, "module": "vec0", "encoding": found.encoding,
            "platform": system, "arch": processor, "platformKey": found.platform,
        },
        "path": found.path or None,
        "exists": found.exists,
        "load": _shape_trial(found.load),
        "smoke": _shape_trial(found.smoke),
        **({"origin": found.origin} if found.origin else {}),
        **({"version": found.version} if found.version else {}),
    }  # fmt: skip


def _shape_trial(trial: ProbeResult) -> dict[str, Any]:
    return {"attempted": trial.attempted, "ok": trial.ok, "reason": trial.reason or None}


TOOL = Tool(
    name="verify_extensions",
    family="cleats",
    summary="Whether the sqlite-vec extension is there, loads and finds vectors.",
    params=VerifyExtensionsParams,
    run=run,
    effects=("read", "execute"),
    toolsets=("admin",),
    errors=("PROJECT_NOT_FOUND", "WORKSPACE_NOT_REGISTERED", "FORBIDDEN", "INVALID_REQUEST", "INTERNAL"),
)

"""Rows: for each field of each tool a value that must change the answer, or the failure that it must cause.

A tool or a field that has no row fails `test_every_field.py`: nothing is accepted and then ignored.
"""

from collections.abc import Callable
from dataclasses import dataclass

from codecompass.model.queries.filters import FILTERS
from tests.contract.contract_repo import Yard
from tests.engine.maintenance.archivelab import zipped
from tests.engine.maintenance.supplylab import MODEL2VEC, library, sha

Arguments = dict[str, object]


@dataclass(frozen=True)
class Refused:
    """This value is refused with a code, while the call without it is not."""

    value: object
    code: str


@dataclass(frozen=True)
class Instead:
    """The whole arguments of a call that has the field, where it cannot stand beside the others."""

    arguments: Callable[[Yard], Arguments]


@dataclass(frozen=True)
class Rows:
    """A call that works, and what each field does to it."""

    given: Arguments
    fields: dict[str, object]
    code: str = ""
    """How the call without the field ends, where it cannot succeed."""
    prepared: Callable[[Yard], Arguments] | None = None
    """What else the call needs, where it depends on the yard."""

    def call(self, yard: Yard) -> Arguments:
        return self.given | (self.prepared(yard) if self.prepared is not None else {})


def _other(yard: Yard) -> Arguments:
    return {"workspace": str(yard.other)}


def _other_path(yard: Yard) -> Arguments:
    return {"repoPath": str(yard.other)}


def _findings_of_other(yard: Yard) -> Arguments:
    return {"source": "generic", "inputPath": "findings.json", **_other_path(yard)}


STALE = Refused("strict", "INDEX_STALE")
UNKNOWN = Refused("src/reading.c", "SYMBOL_NOT_FOUND")
NOWHERE = Refused("/nowhere", "FORBIDDEN")
CURSOR = Refused("1-00000000-000000000000", "INVALID_REQUEST")
"""A cursor of another call; `test_paging.py` follows the ones that answers give."""


def _by_handle(name: str, **more: object) -> Instead:
    return Instead(lambda yard: {**more, name: yard.handle("Novel", name)})


HANDLES = {name: _by_handle(name) for name in ("symbol_id", "symbol_stable_id")}
# What a search shows of a line that is no definition has a handle of its own; symbol tools refuse it by its kind.
RESULT = Instead(lambda yard: {"result_id": yard.handle("Novel", "symbol_id")})
SYMBOL = {
    "name": "Book", "path": "src/reading.c", "ref": "side", "limit": 1, "cursor": CURSOR, "freshness_policy": STALE,
    "workspace": Instead(lambda yard: {"name": "basket_total", **_other(yard)}),
    "line": Instead(lambda _: {"path": "src/shop.py", "line": 18}),
    "result_id": RESULT, **HANDLES,
}  # fmt: skip
RETRIEVAL = {
    "language": "c", "ref": "side", "limit": 1, "cursor": CURSOR, "detail_level": "context", "compact": True,
    "freshness_policy": STALE,
    "ranking_explain_level": "full", "workspace": Instead(lambda yard: {"name": "basket_total", **_other(yard)}),
}  # fmt: skip
JOB = {"force": True, "ref": Refused("no-such-branch", "REF_NOT_INDEXED"), "workspace": NOWHERE}

NARROWING: dict[str, object] = {
    "text": "nobody at all",
    "texts": "no/such/place",
    "count": 10_000,
    "date": "2999-01-01",
    "days": 0.001,
    "flag": True,
    "meta": "a=b",
    "json": {"a": "b"},
}
"""A value of each kind that next to nothing in the yard passes."""
NARROWED: dict[str, object] = {
    row.field: NARROWING[row.kind] for row in FILTERS if row.kind in NARROWING
} | {"type": "class", "visibility": "private", "lang": "c", "ext": "zig"}  # fmt: skip

# A branch that is indexed already: the working tree must stay as stale as the yard made it.
BUILD: dict[str, object] = {"branch": "side", "incremental": True, "sqlite": False}
BUILT: dict[str, object] = {
    "branch": Refused("no-such-branch", "REF_NOT_INDEXED"), "incremental": False, "sqlite": True, "mode": "prose",
    "useArtifacts": True, "artifactsDir": Refused("../../..", "FORBIDDEN"), "repoPath": NOWHERE,
}  # fmt: skip
FETCHED: dict[str, object] = {"update": True, "force": True, "repoPath": NOWHERE}
FAR: dict[str, object] = {"platform": "windows", "arch": "riscv64"}


def _words(yard: Yard) -> Arguments:
    """A word list that was fetched before, so that fetching it again is something else."""
    path = yard.repo.parent / "words.txt"
    path.write_text("alpha\nbeta\n")
    raw: Arguments = {"url": f"words={path.as_uri()}"}
    yard.ask("download_dictionaries", raw)
    return raw


def _model(yard: Yard) -> Arguments:
    path = yard.repo.parent / "tiny.zip"
    path.write_bytes(zipped(MODEL2VEC))
    raw: Arguments = {"url": f"tiny={path.as_uri()}"}
    yard.ask("download_models", raw)
    return raw


def _library(yard: Yard) -> Arguments:
    raw: Arguments = {"url": f"{yard.server.url}#sha256={sha(library())}"}
    yard.ask("download_extensions", raw)
    return raw


def _remembered(yard: Yard) -> Arguments:
    """Two statements about the same thing, so that filters and limits have something to leave out."""
    yard.ask("context_record", {"content": "The basket total is rounded once, at the end.", "type": "decision"})
    yard.ask("context_record", {"content": "The basket total must never be rounded twice.", "type": "rule"})
    return {}


ROWS: dict[str, Rows] = {
    "download_models": Rows(
        {}, {**FETCHED, "model": Refused("other", "INVALID_REQUEST"),
             "url": Refused("ftp://example.org/x", "INVALID_REQUEST"), "cacheDir": Refused("../../..", "FORBIDDEN")},
        prepared=_model,
    ),
    "download_dictionaries": Rows(
        {}, {**FETCHED, "lang": Instead(lambda yard: {"url": f"file://{yard.repo.parent}/words.txt", "lang": "other"}),
             "url": Refused("http://10.0.0.1/x", "FORBIDDEN"), "dir": Refused("../../..", "FORBIDDEN")},
        prepared=_words,
    ),
    "download_extensions": Rows(
        {}, {"force": True, "repoPath": NOWHERE, "arch": "riscv64",
             "url": Refused("https://example.org/vec0.so", "DOWNLOAD_VERIFY_FAILED"),
             "dir": Refused("../../..", "FORBIDDEN"), "platform": Refused("plan9", "INVALID_REQUEST")},
        prepared=_library,
    ),
    "verify_extensions": Rows(
        {}, {**FAR, "path": "none.so", "encoding": "int8", "load": False, "repoPath": NOWHERE}
    ),
    "index_status": Rows({}, {"ref": "side", "workspace": Instead(_other), "repoPath": Instead(_other_path)}),
    "workspace_status": Rows({}, {"repoPath": Instead(_other_path)}),
    "report_artifacts": Rows({}, {"repoPath": Instead(_other_path), "all": True}),
    "build_index": Rows(BUILD, BUILT),
    "index_build": Rows(BUILD, BUILT),
    "compact_sqlite_index": Rows(
        {"dryRun": True}, {"dryRun": False, "keepBackup": True, "mode": "code", "repoPath": NOWHERE}
    ),
    "cache_gc": Rows(
        {}, {"dryRun": False, "maxBytes": 0, "maxGb": 1.0, "maxAgeDays": 0.0, "repoPath": NOWHERE}
    ),
    "clean_artifacts": Rows(
        {"all": True, "dryRun": True},
        {"dryRun": Refused(False, "INVALID_REQUEST"), "all": False, "confirm": True, "repoPath": NOWHERE},
    ),
    "bootstrap": Rows(
        {"branch": "side", "skipInstall": True},
        {
            "branch": "no-such-branch", "skipInstall": False, "skipDicts": True, "skipTooling": True,
            "skipArtifacts": True, "skipIndex": True, "withSqlite": True, "incremental": False, "repoPath": NOWHERE,
        },
    ),
    "config_status": Rows({}, {"repoPath": Instead(_other_path)}),
    "check_status": Rows({}, {"repoPath": Instead(_other_path)}),
    "build_sqlite_index": Rows(
        {},
        {
            "branch": "side", "mode": "code", "incremental": True, "repoPath": Instead(_other_path),
            "out": Refused("../../x.sqlite", "FORBIDDEN"),
        },
    ),
    "health_check": Rows({}, {"workspace": Instead(_other)}),
    "locate_symbol": Rows({"name": "basket_total"}, {**RETRIEVAL, "name": "Book", "kind": "class"}),
    "search_code": Rows(
        {"query": "basket total"},
        {
            **RETRIEVAL,
            "query": "novel",
            "filters": {"type": "class"},
            "workspace": Instead(lambda yard: {"query": "basket total", **_other(yard)}),
        },
    ),
    "get_file_outline": Rows(
        {"path": "src/shop.py"},
        {
            "path": "src/basket.ts", "ref": "side", "depth": "top", "language": "rust", "result_id": RESULT, **HANDLES,
            "workspace": Instead(lambda yard: {"path": "other.py", **_other(yard)}),
        },
    ),
    "find_references": Rows(
        {"name": "price"},
        {**SYMBOL, "path": UNKNOWN, "kinds": ["import"], "resolution": "resolved", "explain": True},
    ),
    "get_call_graph": Rows({"name": "basket_total"}, {**SYMBOL, "direction": "callers", "depth": 3}),
    "get_symbol_hierarchy": Rows({"name": "Thing"}, {**SYMBOL, "path": UNKNOWN, "direction": "up", "depth": 1}),
    "inspect_symbol": Rows({"name": "broken"}, {**SYMBOL, "path": UNKNOWN, "authors": True}),
    "get_code_context": Rows(
        {"query": "basket total"},
        {
            "query": "novel", "max_tokens": 500, "sections": ["tests"], "language": "c", "ref": "side",
            "freshness_policy": STALE,
            "workspace": Instead(lambda yard: {"query": "basket total", **_other(yard)}),
        },
    ),
    "diff_context": Rows(
        {"base_ref": "side"},
        {
            "base_ref": "main", "head_ref": Instead(lambda _: {"base_ref": "main", "head_ref": "side"}), "path": "docs",
            "limit": 1, "cursor": CURSOR, "callers": 0, "direct": True,
            "freshness_policy": STALE, "workspace": Refused("/nowhere", "FORBIDDEN"),
        },
    ),
    "list_refs": Rows({}, {"contains": "side", "limit": 1, "cursor": CURSOR, "workspace": Instead(_other)}),
    "explain_ranking": Rows(
        {"query": "basket total", "path": "src/shop.py", "line": 27},
        {
            "query": "basket", "path": Refused("nowhere.py", "RESULT_NOT_FOUND"), "line": 36, "ref": "side",
            "language": Refused("c", "RESULT_NOT_FOUND"), "workspace": NOWHERE,
            "symbol_id": _by_handle("symbol_id", query="novel"),
            "symbol_stable_id": _by_handle("symbol_stable_id", query="novel"),
            "result_id": Instead(lambda yard: {"query": "novel", "result_id": yard.handle("Novel", "symbol_id")}),
        },
    ),
    "get_diagnostics": Rows(
        {},
        {
            "path": "src/deep", "ref": "side", "limit": 1, "cursor": CURSOR, "freshness_policy": STALE,
            "workspace": Instead(_other),
        },
    ),
    "find_risks": Rows(
        {},
        {
            "path": "src/deep", "category": "command", "min_severity": "medium", "ref": "side", "limit": 1,
            "cursor": CURSOR,
            "freshness_policy": STALE, "workspace": Instead(_other),
        },
    ),
    "search": Rows(
        {"query": "basket total"},
        {
            **NARROWED, "query": "novel", "mode": "prose", "backend": Refused("sqlite", "NO_INDEX"), "output": "full",
            "ann": True, "top": 1, "cursor": CURSOR, "context": 1, "branch": "side", "case": True,
            "caseTokens": True, "explain": True,
            "caseFile": Instead(lambda _: {"query": "basket total", "path": "SRC", "caseFile": True}),
            "repoPath": Instead(lambda yard: {"query": "basket total", "repoPath": str(yard.other)}),
        },
    ),
    "show_file": Rows(
        {"path": "src/shop.py"},
        {
            "path": "src/basket.ts", "startLine": 5, "endLine": 9, "branch": "side",
            "id": Instead(lambda yard: {"id": yard.handle("basketHelper", "symbol_id")}),
            "repoPath": Instead(lambda yard: {"path": "other.py", "repoPath": str(yard.other)}),
        },
    ),
    "grep_codebase": Rows(
        {"pattern": "basket"},
        {
            "pattern": "Novel", "filePattern": "*.ts", "caseSensitive": True, "limit": 1, "cursor": CURSOR,
            "filters": {"lang": "c"},
            "ref": "side", "workspace": Instead(lambda yard: {"pattern": "basket", **_other(yard)}),
        },
    ),
    "read_file": Rows(
        {"path": "src/extra.py", "includeDeps": True},
        {
            "path": "src/basket.ts", "includeDeps": False, "maxDepth": 0, "startLine": 2, "ref": "side",
            "workspace": Instead(lambda yard: {"path": "other.py", **_other(yard)}),
        },
    ),
    "context_search": Rows(
        {"query": "how is the basket total rounded"},
        {
            "query": "who may empty a basket", "type": "rule", "module": "tests", "limit": 1, "cursor": CURSOR,
            "ref": "side",
            "workspace": Instead(lambda yard: {"query": "how is the basket total rounded", **_other(yard)}),
        },
        prepared=_remembered,
    ),
    "context_record": Rows(
        {"content": "The yard is swept on Fridays."},
        {
            "content": "The yard is swept on Mondays.", "type": "rule",
            # The same statement again stays as it was recorded first; these come with one of their own.
            "module": Instead(lambda _: {"content": "The yard is locked at night.", "module": "src"}),
            "symbols": Instead(lambda _: {"content": "The yard has two gates.", "symbols": ["basket_total"]}),
            "supersedes": Refused(["disc_none"], "RESULT_NOT_FOUND"), "workspace": NOWHERE,
        },
    ),
    "cancel_job": Rows({}, {"job_id": "job_1", "workspace": NOWHERE}, code="JOB_NOT_FOUND"),
    "triage_ingest": Rows(
        {"source": "generic", "inputPath": "findings.json"},
        {
            "source": "osv", "inputPath": Refused("/nowhere.json", "FORBIDDEN"), "buildIndex": True,
            "meta": Refused({"colour": "red"}, "INVALID_REQUEST"), "repoPath": Instead(_findings_of_other),
        },
    ),
    "triage_decision": Rows(
        {"finding": "shop-1", "status": "defer"},
        {
            "finding": Refused("no-such", "NOT_FOUND"), "status": "fix", "justification": "Why.", "reviewer": "ada",
            "expires": "2999-01-01", "codes": ["a"], "evidence": ["src/shop.py"], "meta": {"team": "red"},
            "repoPath": Instead(lambda yard: {"finding": "shop-1", "status": "defer", **_other_path(yard)}),
        },
    ),
    "triage_context_pack": Rows(
        {"recordId": "shop-1"},
        {
            "recordId": Refused("no-such", "NOT_FOUND"), "outPath": "pack.json",
            "repoPath": Instead(lambda yard: {"recordId": "shop-1", **_other_path(yard)}),
        },
    ),
    "index_repo": Rows({}, JOB),
    "sync_repo": Rows({}, JOB),
}  # fmt: skip

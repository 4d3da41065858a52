"""Yard: a real repository in which every field of every tool makes a difference, indexed, behind a real dispatch."""

import io
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from codecompass.contract.envelope import Reply
from codecompass.contract.tool import Defaults, Host
from codecompass.engine.engine import Engine
from codecompass.engine.maintenance.downloads.extension_install import platform_key
from codecompass.engine.options import DownloadOptions, EngineOptions
from codecompass.fetch.fetch_policy import FetchPolicy
from codecompass.model.call import Call
from codecompass.model.triage_values import IngestRequest
from codecompass.runtime.admission import Admission
from codecompass.runtime.dispatch import Dispatch
from codecompass.runtime.log import Log
from codecompass.store.embedded.embedded_store import EmbeddedStore
from codecompass.tools import TOOLS
from tests.engine.maintenance.servers import Server, answer, sends, serving
from tests.engine.maintenance.supplylab import library, sha
from tests.repo.gitrepo import commit, git, make_repo

TIMES = (
    "last_indexed_at", "indexed_at", "duration_ms", "created_at", "finished_at", "uptime_seconds", "job_id", "ts",
    "builtAt", "uptimeMs", "buildId", "durations", "ms", "usedAt",
)  # fmt: skip
"""Fields that are times by nature, or named after one; nothing else may differ between two equal calls."""

WAITING = ("build_index", "index_build", "bootstrap")
"""Tools that wait for the job they start."""

SHOP = '''"""A shop."""

import os
import subprocess


class Thing:
    """Anything that is sold."""

    def price(self, amount):
        return amount * self.rate()

    def rate(self):
        return 2


class Book(Thing):
    def rate(self):
        return 3


class Novel(Book):
    def rate(self):
        return 4


def basket_total(items):
    """Adds up a basket."""
    return sum(one_price(item) for item in items)


def one_price(item):
    return item.price(1)


def checkout(items):
    return basket_total(items)


def shell(name):
    command = input(name)
    subprocess.run(command, shell=True)
    return eval(os.environ["EXPRESSION"])
'''
SECOND = SHOP.replace("* self.rate()", "* self.rate() + 1")
EDITED = "\n\ndef basket_edited():\n    return basket_total([])\n\n\ndef basket_new():\n    return basket_edited()\n"
FILES = {
    "src/shop.py": SHOP,
    "src/extra.py": "from shop import basket_total as total\n\n\ndef twice(items):\n    return total(items) * 2\n\n\n"
    "def unknown(thing):\n    thing.price(2)\n    return undefined_name\n",
    "src/deep/more.py": "def more(a, b):\n    import json\n    return eval(a)\n",
    "src/basket.ts": "export class Basket {\n  basketTotal(): number { return basketHelper(); }\n}\n"
    "export function basketHelper(): number { return 1; }\n",
    "src/reading.c": "struct basket { int total; };\nint basket_total(struct basket *b) { return b->total; }\n",
    "tests/test_shop.py": "from shop import basket_total\n\n\ndef test_total():\n    assert basket_total([]) == 0\n",
    "docs/basket.md": "# Basket\n\nHow the basket total is made.\n",
    "broken.py": "def broken(:\n    pass\n",
}
FINDINGS = '[{"recordId": "shop-1", "vulnId": "CVE-2031-1", "package": "shop", "severity": "high"}]'
FOREIGN = f"{platform_key().partition('-')[0]}-riscv64"
OTHER = {"other.py": "class Thing:\n    pass\n\n\ndef basket_total():\n    return 'other'\n"}


class Yard:
    """Two repositories, the first with two branches and edits that are not indexed."""

    def __init__(self, base: Path, server: Server) -> None:
        self.server = server
        """Serves the library that the settings of this yard vouch for."""
        known = tuple(f"{key}=https://example.org/vec0#sha256={sha(library())}" for key in (platform_key(), FOREIGN))
        downloads = DownloadOptions(FetchPolicy(private_hosts=("127.0.0.1",)), extensions=known)
        self.repo = make_repo(base / "repo", FILES)
        self.other = make_repo(base / "other", OTHER)
        git(self.repo, "checkout", "-q", "-b", "side")
        commit(self.repo, {"src/shop.py": SHOP.replace("Adds up", "Sums") + "\n\ndef only_side():\n    return 1\n"})
        git(self.repo, "checkout", "-q", "main")
        commit(self.repo, {"src/shop.py": SECOND}, "second")
        options = EngineOptions(
            workers=1, default_workspace=str(self.repo), workspaces=(str(self.repo), str(self.other)),
            allowed_roots=(str(base),), child_command=_child(base / "data"), downloads=downloads,
        )  # fmt: skip
        self.engine = Engine(base / "data", options, EmbeddedStore, {"HOME": str(base)}, None)
        for workspace in (self.other, self.repo):
            self.engine.index(str(workspace), None, force=False, call=Call())
        self.engine.index(None, "side", force=False, call=Call())
        # Stale from here on, so that a policy of freshness has something to say.
        (self.repo / "src" / "shop.py").write_text(SECOND + EDITED)
        for place in (self.repo, self.other):
            (place / "findings.json").write_text(FINDINGS)
            self.engine.triage_ingest(str(place), IngestRequest("generic", "findings.json"), Call())
        self.log = io.StringIO()
        self.admission = Admission(workers=2)
        self.dispatch = self._road(self.engine)
        # The same data without a way to start children: what waits for its job then does it here, which is quicker.
        self.workbench = Engine(base / "data", replace(options, child_command=()), EmbeddedStore, {}, None)
        self._waiting = self._road(self.workbench)

    def _road(self, engine: Engine) -> Dispatch:
        host = Host(engine, Defaults(freshness_policy="best_effort"))
        return Dispatch(TOOLS, host, Log("debug", self.log, "json"), admission=self.admission)

    def ask(self, tool: str, raw: object) -> Reply:
        return (self._waiting if tool in WAITING else self.dispatch).call(tool, raw)

    def handle(self, name: str, field: str) -> str:
        found = self.ask("locate_symbol", {"name": name}).payload["results"]
        return str(found[0][field])


def _child(data: Path) -> tuple[str, ...]:
    return (sys.executable, "-P", "-m", "codecompass", "--data-dir", str(data))


@contextmanager
def yard_in(base: Path) -> Iterator[Yard]:
    with serving(sends(answer(library()))) as server:
        made = Yard(base, server)
        try:
            yield made
        finally:
            made.admission.close()
            made.workbench.close()
            made.engine.close()


def without_times(value: Any) -> Any:  # noqa: ANN401 - any JSON value
    """A payload as it should be each time."""
    if isinstance(value, dict):
        return {key: without_times(item) for key, item in value.items() if key not in TIMES}
    return [without_times(item) for item in value] if isinstance(value, list) else value

"""A small project in several languages that requires, imports and calls packages with findings, and its desk."""

import io
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from codecompass.model.call import Call
from codecompass.model.queries.filters import Filters
from codecompass.model.queries.results import Hit
from codecompass.model.queries.search_query import SearchQuery
from codecompass.model.states import DecisionKind, FindingSource, SearchMode
from codecompass.model.triage_values import DecisionRequest, IngestReport, IngestRequest, RecordedDecision
from tests.engine.support import Desk

FILES = {
    "requirements.txt": "requests==2.0\nPyYAML==5.1  # pinned\npyyaml-env-tag==0.1\n",
    "pyproject.toml": '[project]\nname = "shop"\ndependencies = ["pyyaml>=5"]\n',
    "web/package.json": '{"dependencies": {"left-lodash": "^4.0.0", "left-lodash-es": "1"}}\n',
    "go.mod": "module shop\n\nrequire example.org/text v0.3.0\n",
    "src/config.py": (
        '"""Reads the configuration."""\n\nimport json\n\nimport yaml\nfrom yaml import load as slurp\n\n\n'
        "def read(text):\n    return yaml.load(text)\n\n\ndef quick(text):\n    return slurp(text)\n\n\n"
        "def safe(text):\n    return json.load(text)\n\n\ndef load(text):\n    return text\n\n\n"
        "def own(text):\n    return load(text)\n"
    ),
    "src/other.py": "import json\n\n\ndef other(text):\n    return json.load(text)\n",
    "web/cart.ts": 'import { merge } from "left-lodash/merge";\n\nexport const cart = (a: any) => merge({}, a);\n',
    "srv/tags.go": (
        'package srv\n\nimport (\n\t"example.org/text/language"\n)\n\nfunc Tag(s string) {\n\tlanguage.Parse(s)\n}\n'
    ),
    "docs/notes.md": "# Notes\n\nPyYAML is used for configuration; see CVE-2031-50005.\n",
    "logs/run.txt": "2031-01-01 10:00:01 engine began\n2031-01-01 10:00:02 engine failed\n2031-01-01 10:00:03 end\n",
}
YAML: dict[str, Any] = {
    "vulnId": "CVE-2031-50005", "title": "Code runs while loading", "severity": "critical", "package": "PyYAML",
    "ecosystem": "pip", "version": "5.1", "fixedVersion": "5.4", "symbols": ["yaml.load"], "service": "api",
    "env": "prod", "publicEndpoint": "/import", "manifestPath": "requirements.txt", "cvss": 9.8,
}  # fmt: skip
MERGE: dict[str, Any] = {
    "vulnId": "GHSA-aaaa-bbbb-cccc", "title": "Prototype pollution", "severity": "high", "package": "left-lodash",
    "ecosystem": "npm", "symbols": ["merge"], "service": "web", "env": "staging",
}  # fmt: skip


class Bench:
    """A desk with the calls of triage, in few words."""

    def __init__(self, desk: Desk, repo: Path) -> None:
        self.desk, self.engine, self.repo = desk, desk.engine, repo

    def ingest(self, *findings: Mapping[str, Any], source: FindingSource = "generic", **meta: object) -> IngestReport:
        stream = io.BytesIO(json.dumps(list(findings)).encode())
        return self.engine.triage_ingest(None, IngestRequest(source, meta=meta), Call(), stream)

    def one(self, finding: Mapping[str, Any], source: FindingSource = "generic") -> str:
        """The id of a finding that is taken in."""
        return self.ingest(finding, source=source).stored[0].record_id

    def decide(self, finding: str, status: DecisionKind = "defer", **more: Any) -> RecordedDecision:  # noqa: ANN401 - any field
        return self.engine.triage_decide(None, DecisionRequest(finding, status, **more), Call())

    def hits(self, text: str = "", mode: SearchMode = "records", limit: int = 50, /, **filters: object) -> list[Hit]:
        query = SearchQuery(text, mode=mode, limit=limit, freshness="best_effort", filters=Filters.parse(filters))
        return list(self.engine.search(None, query, Call()).hits)

    def names(self, text: str = "", mode: SearchMode = "records", /, **filters: object) -> list[str]:
        return [hit.name or hit.path for hit in self.hits(text, mode, 50, **filters)]

    def folder(self) -> Path:
        return self.desk.home / "triage" / "records"

    def rewrite(self, record_id: str, **changes: object) -> None:
        """Change fields of the file of a record, as time would; without a checksum, which would tell of it."""
        path = self.folder() / f"{record_id}.json"
        data = json.loads(path.read_text())
        del data["checksum"]
        for dotted, value in changes.items():
            at = data
            *above, last = dotted.split("__")
            for part in above:
                at = at[part]
            at[last] = value
        fresh = path.with_suffix(".tmp")
        fresh.write_text(json.dumps(data))
        fresh.rename(path)

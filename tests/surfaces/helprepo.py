"""The repository in which every example of the help is run: it holds the names that the examples use."""

import json
from pathlib import Path

from tests.surfaces.conftest import Shell, environment, git

FILES = {
    "src/config.py": (
        "import json\n\nDEFAULT_TIMEOUT = 30\n\n\n"
        "class ConfigError(Exception):\n    pass\n\n\n"
        "def load_config(path):\n    with open(path) as file:\n        return json.load(file)\n"
    ),
    "src/session.py": (
        "from src.config import DEFAULT_TIMEOUT\n\n\n"
        'class Session:\n    """A session closes after its timeout."""\n\n'
        "    def __init__(self, timeout=DEFAULT_TIMEOUT):\n        self.timeout = timeout\n\n"
        "    def fetch(self, key):\n        return key\n\n"
        "    def close(self):\n        self.timeout = 0\n\n\n"
        "class CachedSession(Session):\n    def fetch(self, key):\n        return super().fetch(key)\n"
    ),
    "src/server.py": (
        "import os\n\nfrom flask import request\n\n"
        "from src.config import load_config\nfrom src.session import Session\n\n\n"
        "def handle_request():\n    settings = load_config('app.json')\n    session = Session(settings)\n"
        "    session.fetch('key')\n    os.system(request.args.get('command'))\n    session.close()\n"
    ),
    "docs/decisions.md": "# Decisions\n\nWe decided that sessions time out after 30 seconds, see `DEFAULT_TIMEOUT`.\n",
    "requirements.txt": "flask==3.0.0\npyyaml==5.1\n",
}
FINDINGS = [
    {"vulnId": "CVE-2031-50005", "title": "Code runs while loading", "severity": "critical", "package": "PyYAML",
     "ecosystem": "pip", "version": "5.1", "fixedVersion": "5.4", "manifestPath": "requirements.txt"},
]  # fmt: skip
QUERIES = [{"query": "load the configuration", "relevant": ["src/config.py"]}]


def make_example_repository(home: Path) -> Shell:
    """Make the repository with a tag, a branch and an uncommitted change, and index it."""
    root = home / "repo"
    for name, text in FILES.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    (root / "findings.json").write_text(json.dumps(FINDINGS))
    (root / "queries.jsonl").write_text("".join(json.dumps(query) + "\n" for query in QUERIES))
    git(root, "init", "-q", "-b", "main")
    git(root, "add", ".")
    git(root, "commit", "-qm", "first")
    git(root, "tag", "v1.0")
    git(root, "checkout", "-q", "-b", "work")
    with (root / "src/config.py").open("a") as file:
        file.write("\n\ndef save_config(path, values):\n    load_config(path)\n")
    shell = Shell(root, environment(home) | {"EDITOR": "vim"})
    for words in (("index",), ("index", "--ref", "main"), ("index", "--ref", "v1.0")):
        done = shell.run(*words)
        assert done.returncode == 0, done.stderr
    return shell

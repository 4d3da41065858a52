"""Keys and tokens in files that no name gives away: masked wherever text is found, kept where a file is edited."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from codecompass.contract.tool import Defaults, Host
from codecompass.embed.models import BUNDLED, ModelChoice
from codecompass.model.call import Call
from codecompass.runtime.dispatch import Dispatch
from codecompass.runtime.log import Log
from codecompass.tools import TOOLS
from tests.badinput.oddrepo import facts_by_path
from tests.engine.support import Desk, desk_on
from tests.repo.gitrepo import commit, git, make_repo
from tests.text.test_credentials import KEY, SAMPLES

TOKEN = SAMPLES["GitHub token"]
OLD = SAMPLES["Stripe key"]
BRANCH = SAMPLES["npm token"]
SAID = SAMPLES["GitLab token"]
BODY = KEY.split("\n")[3]
SECRETS = (TOKEN, OLD, BRANCH, SAID, BODY)
SOURCE = f'''"""Deploys the shop. Decision: the deploy token {TOKEN} is used until the vault is ready."""

DEPLOY_TOKEN = "{TOKEN}"


def deploy_shop(target, token="{TOKEN}"):
    """Deploy with {TOKEN}."""
    # TODO: rotate {TOKEN}
    return upload(target, token)


def upload(target, token):
    raise ValueError("upload failed with {TOKEN}")


KEY = """{KEY}"""
'''


class Place:
    def __init__(self, desk: Desk, repo: Path) -> None:
        self.desk = desk
        self.repo = repo
        self._dispatch = Dispatch(TOOLS, Host(desk.engine, Defaults(freshness_policy="best_effort")), Log("error"))

    def ask(self, tool: str, **arguments: object) -> dict[str, object]:
        reply = self._dispatch.call(tool, arguments)
        assert not reply.is_error, (tool, reply.payload, reply.rpc_error)
        return reply.payload


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Place]:
    base = tmp_path_factory.mktemp("credentials")
    repo = make_repo(base / "repo", {"deploy.py": SOURCE.replace(TOKEN, OLD), "notes.md": f"# Notes\n\nUse {TOKEN}.\n"})
    git(repo, "checkout", "-q", "-b", "side")
    commit(repo, {"deploy.py": SOURCE.replace(TOKEN, BRANCH)}, "branch")
    git(repo, "checkout", "-q", "main")
    commit(repo, {"deploy.py": SOURCE}, f"Decide to deploy by token because {SAID} is shared by all")
    with desk_on(repo, base / "data", embedding=ModelChoice(BUNDLED)) as desk:
        desk.index()
        desk.index("side")
        yield Place(desk, repo)


QUESTIONS: dict[str, dict[str, object]] = {
    "search_code": {"query": "deploy token", "detail_level": "context", "ranking_explain_level": "full"},
    "search": {"query": "deploy token", "context": 3, "output": "full"},
    "locate_symbol": {"name": "deploy_shop", "detail_level": "context"},
    "get_file_outline": {"path": "deploy.py"},
    "get_code_context": {"query": "how is the shop deployed with a token"},
    "find_references": {"name": "upload"},
    "get_call_graph": {"name": "upload"},
    "inspect_symbol": {"name": "deploy_shop"},
    "grep_codebase": {"pattern": "ghp_|PRIVATE KEY|token"},
    "show_file": {"path": "deploy.py"},
    "diff_context": {"base_ref": "side"},
    "context_search": {"query": "why is the deploy token used"},
    "find_risks": {},
    "get_diagnostics": {},
}


@pytest.mark.parametrize("ref", [None, "side"])
@pytest.mark.parametrize("tool", QUESTIONS)
def test_no_answer_shows_a_credential(place: Place, tool: str, ref: str | None) -> None:
    """BAD-CREDENTIALS: whatever finds text shows a mask in the place of a credential, at every ref, and says so."""
    named = {"diff_context": "head_ref", "search": "branch", "show_file": "branch"}.get(tool, "ref")
    body = json.dumps(place.ask(tool, **QUESTIONS[tool], **({named: ref} if ref else {})))
    assert not [secret for secret in SECRETS if secret in body]
    assert ("[secret masked]" in body) == ("are masked" in body)


def test_searching_for_a_credential_finds_nothing(place: Place) -> None:
    """BAD-CREDENTIALS: neither words, nor patterns, nor names lead to the text of a credential; its kind is found."""
    for secret in SECRETS:
        assert place.ask("grep_codebase", pattern=secret[5:30])["totalMatches"] == 0
        assert secret not in json.dumps(place.ask("search_code", query=secret)["results"])
    assert place.ask("grep_codebase", pattern="ghp_")["totalMatches"] == 7


def test_reading_for_an_edit_keeps_the_text_and_says_what_it_holds(place: Place) -> None:
    """BAD-CREDENTIALS: read_file gives the bytes of the file, so that no mask is ever written back, and a note."""
    answer = place.ask("read_file", path="deploy.py")
    assert answer["file"]["content"] == SOURCE  # type: ignore[index]
    (note,) = answer["metadata"]["notes"]  # type: ignore[index]
    assert "GitHub token in line 1" in note and TOKEN not in note
    side = place.ask("read_file", path="deploy.py", ref="side")
    assert side["file"]["content"] == SOURCE.replace(TOKEN, BRANCH)  # type: ignore[index]


def test_nothing_kept_holds_a_credential(place: Place) -> None:
    """BAD-CREDENTIALS: facts, texts, vectors, memory, the portable file and a bundle hold none."""
    for ref in ("main", "side"):
        known = repr(facts_by_path(place.desk, ref))
        assert not [secret for secret in SECRETS if secret in known]
        assert "masked_secrets" in known
    place.ask("build_sqlite_index")
    made = place.repo.parent / "state.tar"
    place.desk.engine.export_state(None, None, str(made), Call())
    files = [path for path in (*place.desk.data.rglob("*"), made) if path.is_file()]
    for path in files:
        data = path.read_bytes()
        assert not [secret for secret in SECRETS if secret.encode() in data], path


def test_the_setting_shows_them_and_the_index_follows(place: Place, tmp_path: Path) -> None:
    """BAD-CREDENTIALS: `secrets.mask = false` is taken up by the next sync in both directions."""
    with desk_on(place.repo, tmp_path / "data") as desk:
        desk.index()
        assert Place(desk, place.repo).ask("grep_codebase", pattern=TOKEN)["totalMatches"] == 0
    with desk_on(place.repo, tmp_path / "data", mask_secrets=False) as desk:
        desk.index()
        found = Place(desk, place.repo)
        assert found.ask("grep_codebase", pattern=TOKEN)["totalMatches"] == 7
        assert TOKEN in json.dumps(found.ask("search_code", query="deploy token", detail_level="context"))
    with desk_on(place.repo, tmp_path / "data") as desk:
        desk.index()
        assert TOKEN not in repr(facts_by_path(desk))

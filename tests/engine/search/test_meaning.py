"""Meaning: with a model a question finds code that has none of its words; without one it says no more than words do."""

from collections.abc import Iterator

import pytest

from codecompass.embed.models import ModelChoice
from codecompass.model.call import Call
from codecompass.model.queries.results import Hits
from codecompass.model.queries.search_query import SearchQuery
from tests.engine.support import Desk, desk_on
from tests.repo.gitrepo import commit, make_repo

FILES = {
    "app/credentials.py": (
        "class PasswordHasher:\n    def hash_password(self, password, salt):\n        return bcrypt(password + salt)\n"
        "\n"
        "    def verify_password(self, password, stored):\n        return self.hash_password(password) == stored\n"
    ),
    "app/mailer.py": (
        "class Mailer:\n    def send_email(self, recipient, subject, body):\n"
        "        self.smtp.deliver(recipient, subject, body)\n"
    ),
    "app/thumbnails.py": (
        "def resize_image(image, width, height):\n    return image.scale(width, height)\n\n\n"
        "def crop_image(image, box):\n    return image.cut(box)\n"
    ),
    "app/queue.py": (
        "class JobQueue:\n    def enqueue(self, task):\n        self.items.append(task)\n\n"
        "    def dequeue(self):\n        return self.items.pop(0)\n"
    ),
    "app/schedule.py": "def next_run(cron, now):\n    return cron.after(now)\n",
    "docs/pictures.md": "# Pictures\n\nThe gallery shows small versions of every photo that was uploaded.\n",
}


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Desk]:
    base = tmp_path_factory.mktemp("plain")
    with desk_on(make_repo(base / "repo", FILES), base / "data") as desk:
        desk.index()
        yield desk


@pytest.fixture(scope="module")
def thoughtful(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Desk]:
    base = tmp_path_factory.mktemp("thoughtful")
    with desk_on(make_repo(base / "repo", FILES), base / "data", embedding=ModelChoice()) as desk:
        desk.index()
        yield desk


@pytest.mark.parametrize(
    ("question", "path"),
    [
        ("send a message to the recipient", "app/mailer.py"),
        ("authenticate a user by password", "app/credentials.py"),
        ("make drawings smaller, change their scale", "app/thumbnails.py"),
    ],
)
def test_what_means_the_same_is_found(thoughtful: Desk, plain: Desk, question: str, path: str) -> None:
    """RANK-MEANING: nearness in meaning ranks beside words, and the answer says what it brought."""
    found, before = thoughtful.search(question), plain.search(question)
    assert found.hits[0].path == path
    assert found.hits[0].reasons.semantic_score > 0.3
    assert all(hit.reasons.semantic_score == 0 for hit in before.hits)


def test_words_of_nobody_find_nothing(thoughtful: Desk) -> None:
    """RANK-MEANING: a question without one known word has no answer, however near some file may be to it."""
    assert thoughtful.search("zxqv wobblefrotz").hits == ()
    assert thoughtful.search("Kraftwerkleitung").hits == ()


def search(desk: Desk, text: str, **more: object) -> Hits:
    return desk.engine.search(None, SearchQuery(text, freshness="best_effort", **more), Call())  # type: ignore[arg-type]


def test_meaning_keeps_to_the_mode_and_the_language(thoughtful: Desk) -> None:
    """RANK-MEANING: what is near but of another kind or language is no answer."""
    question = "scale pictures to small versions"
    assert {hit.path for hit in search(thoughtful, question, mode="prose").hits} <= {"docs/pictures.md"}
    assert all(hit.path.endswith(".py") for hit in search(thoughtful, question, mode="code").hits)
    assert all(hit.language == "python" for hit in search(thoughtful, question, language="python").hits)


def test_an_answer_given_before_is_of_its_generation(tmp_path_factory: pytest.TempPathFactory) -> None:
    """SEARCH-DETERMINISTIC: asked again the answer is the same; after an edit it is that of the new state."""
    base = tmp_path_factory.mktemp("again")
    repo = make_repo(base / "repo", FILES)
    with desk_on(repo, base / "data", embedding=ModelChoice()) as desk:
        desk.index()
        first = desk.search("resize image")
        assert desk.search("resize image") == first
        (repo / "app/thumbnails.py").write_text("def shrink(picture):\n    return picture\n")
        stale = desk.search("resize image")
        assert stale.hits == first.hits and stale.state.freshness == "stale"
        commit(repo, {})
        desk.index()
        assert all(hit.name != "resize_image" for hit in desk.search("resize image").hits)

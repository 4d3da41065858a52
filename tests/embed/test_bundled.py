"""The model that ships with the package: what it weighs, how fast it is, and that it means something."""

import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from codecompass.embed.bundled import DIGEST, WEIGHTS, open_bundled
from codecompass.embed.static_model import StaticEmbedder
from codecompass.embed.weights_file import hash_weights

CODE = {
    "retry": "def call_again(fn, attempts, delay):\n    for n in range(attempts):\n"
    "        try:\n            return fn()\n        except ConnectionError:\n            sleep(delay * 2 ** n)",
    "auth": "func (s *Server) checkToken(w http.ResponseWriter, r *http.Request) bool {\n"
    '    header := r.Header.Get("Authorization")\n    return hmac.Equal([]byte(header), s.secret)\n}',
    "json": "export function parseBody(text: string): Value {\n  try { return JSON.parse(text) }\n"
    "  catch (e) { throw new SyntaxError('invalid document') }\n}",
    "colour": "fn blend(a: Rgb, b: Rgb, t: f32) -> Rgb {\n    Rgb { red: a.red * (1.0 - t) + b.red * t, "
    "green: a.green * (1.0 - t) + b.green * t, blue: a.blue * (1.0 - t) + b.blue * t }\n}",
    "commit": "class Session\n  def transaction\n    connection.begin\n    yield\n    connection.commit\n  rescue\n"
    "    connection.rollback\n    raise\n  end\nend",
    "walk": "static void listDirectory(Path root, List<Path> found) throws IOException {\n"
    "    for (Path child : Files.newDirectoryStream(root)) {\n        if (Files.isDirectory(child)) "
    "listDirectory(child, found); else found.add(child);\n    }\n}",
}
QUESTIONS = {
    "try a failed network request several times with a backoff": "retry",
    "verify the authentication credentials of an incoming http request": "auth",
    "deserialize a JSON payload": "json",
    "interpolate between two colors": "colour",
    "undo database changes when an error happens": "commit",
    "collect all files of a folder recursively": "walk",
}


@pytest.fixture(scope="module")
def model() -> StaticEmbedder:
    return open_bundled()


def test_weights_are_small_and_the_ones_that_were_trained() -> None:
    """EMBED-BUNDLED: at most 40 MB, and the file is the one its recipe tells of."""
    data = WEIGHTS.read_bytes()
    recipe = Path(__file__).parents[2] / "training" / "README.md"
    assert len(data) <= 40 * 1024 * 1024
    assert hash_weights(data) == DIGEST
    assert DIGEST in recipe.read_text("utf-8")


def test_loading_is_quick_and_needs_no_network_library() -> None:
    """EMBED-QUICK: a fresh process opens the model in a fifth of a second, with numpy alone."""
    script = (
        "import sys, time\nfrom codecompass.embed.bundled import open_bundled\n"
        "begun = time.process_time(); open_bundled().encode(['warm']); spent = time.process_time() - begun\n"
        "assert not {'torch', 'onnxruntime', 'tokenizers', 'socket'} & set(sys.modules), 'too much'\n"
        "sys.stdout.write(str(spent))"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, timeout=60)
    assert float(done.stdout) < 5 * 0.2


def test_encoding_is_quick(model: StaticEmbedder) -> None:
    """EMBED-QUICK: 2,000 chunks a second on one core, of which a fifth is demanded here."""
    source = [path.read_text("utf-8") for path in sorted(Path(__file__).parents[2].glob("src/codecompass/text/*.py"))]
    lines = "\n".join(source).split("\n")
    chunks = ["\n".join(lines[at : at + 30]) for at in range(0, len(lines), 3)]
    begun = time.process_time()
    model.encode(chunks)
    assert len(chunks) / (time.process_time() - begun) > 2_000 / 5


def test_questions_find_their_code(model: StaticEmbedder) -> None:
    """EMBED-MEANING: in most cases a question is nearest to the code that answers it, in words it does not share."""
    codes = model.encode(list(CODE.values()))
    scores = model.encode(list(QUESTIONS)) @ codes.T
    names = list(CODE)
    found = [names[int(row.argmax())] for row in scores]
    right = sum(a == b for a, b in zip(found, QUESTIONS.values(), strict=True))
    assert right >= 5, list(zip(QUESTIONS, found, strict=True))


def test_an_unseen_name_is_near_its_kin(model: StaticEmbedder) -> None:
    """EMBED-PIECES: a name that training never saw has a vector, near that of a name spelled like it."""
    name, kin, other = model.encode(["frobnicatorx", "frobnicatorxes", "quuzlewamp"])
    assert np.linalg.norm(name) == pytest.approx(1, abs=1e-5)
    assert name @ kin > name @ other

"""`codecompass grep` beside ripgrep: the same lines, counts and exit codes; the payload for programs."""

import json
import random
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from codecompass.model.call import Call
from codecompass.model.queries.grep_query import GrepQuery
from codecompass.surfaces.cli.grep_args import find_error_column, has_capital
from tests.engine.grep.patterns import patterns
from tests.engine.grep.regex_repo import RG
from tests.engine.support import desk_on
from tests.surfaces.conftest import Shell, environment, git

FILES = {
    "src/app.py": "import os\n\n\ndef Run(token):\n    return os.path.join(token, 'token', 'tokens')\n\n\nrun = Run\n",
    "src/deep/util.py": "TOKEN = 1\ntoken_list = [TOKEN]\n\n# token, token; tokens\nx = a.b(c)\ny = a+b\nz = axb(c)\n",
    "src/web/main.ts": "const run = () => token;\nexport { run };\n// naïve token—été token\n",
    "docs/guide.md": "# Guide\n\nRun the token.\n\nrun\nrun\n\nlast line run",
    "notes.txt": "foo foobar barfoo foo-bar foo\n\tfoo_bar  foo\n(foo)(foo)\nnothing here\n",
    "empty.txt": "",
}
CASES = (
    "token", "Token", "TOKEN", "-i TOKEN", "-s token", "-s -i run", "run", "-w run", "-w foo", "-w foo -o", "-o foo",
    "-o [a-z]+oo", "-o f.*?o", "-w -o foo|foobar", "-F a.b(c)", "-F a+b", "-F -w foo", "-F (foo)", "-v token notes.txt",
    "-v o notes.txt", "-v -c token", "-v -l token", "-l token", "-l Run", "-c run", "-c -o foo", "-c -w foo",
    "-e token -e foo", "-e run -e TOKEN", "-e foo src docs", "run src", "run src/app.py docs", "run .", "run ./src",
    "-g *.py token", "-g !*.py token", "-g *.py -g !deep token", "-g src/** run", "-g *.{ts,md} run", "-t py token",
    "-t ts run", "-t py -t md run", "zzz_nothing", "-l zzz_nothing", "-c zzz_nothing", "-v ^", "^$", "-o x+",
    "-w été", "-o -w token", "\\bfoo\\b", "-i élé|ÉTÉ", "foo$", "^\\s+foo", "-n run", "-in RUN", "run src/nope.py",
    "-F -e a.b -e (foo)", "-w -v foo notes.txt", "-e foo -e zzz -w -c", "[", "a(b", "*x", "-F [", "-o \\w+",
)  # fmt: skip
CONTEXT = ("-A1 foo notes.txt", "-B1 nothing notes.txt", "-C1 TOKEN src/deep/util.py", "-C2 run docs/guide.md",
           "-A1 -B2 -v foo notes.txt", "-C0 foo notes.txt", "-C1 -w token src/deep/util.py")  # fmt: skip
pytestmark = pytest.mark.skipif(not RG, reason="ripgrep is a development dependency")


@pytest.fixture(scope="module")
def grove(tmp_path_factory: pytest.TempPathFactory) -> Shell:
    home = tmp_path_factory.mktemp("grove")
    root = home / "repo"
    for name, text in FILES.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    git(root, "init", "-q", "-b", "main")
    git(root, "add", ".")
    git(root, "commit", "-qm", "first")
    shell = Shell(root, environment(home))
    assert shell.run("index").returncode == 0
    return shell


def ripgrep(root: Path, words: list[str]) -> tuple[int, list[str]]:
    command = [RG, "--no-config", "--no-heading", "-H", "--color=never", "--smart-case", "--threads=1"]
    flags = [] if {"-l", "-c"} & set(words) else ["-n"]
    done = subprocess.run([*command, *flags, *words, *([] if _has_path(words) else ["."])], cwd=root, text=True,
                          capture_output=True, check=False, timeout=60)  # fmt: skip
    return done.returncode, [line.removeprefix("./") for line in done.stdout.splitlines()]


def _has_path(words: list[str]) -> bool:
    return any("/" in word or word in (".", "src", "docs", "notes.txt") for word in words if word[0] not in "-*")


@pytest.mark.parametrize("case", CASES)
def test_the_same_as_ripgrep(grove: Shell, case: str) -> None:
    """GREP-CLI, CLI-GREP-EXIT: the same lines in any order of files, and the same exit code."""
    code, lines = ripgrep(grove.cwd, case.split(" "))
    done = grove.run("grep", *case.split(" "))
    assert (done.returncode, sorted(done.stdout.splitlines())) == (code, sorted(lines)), done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("case", CONTEXT)
def test_context_as_ripgrep_shows_it(grove: Shell, case: str) -> None:
    """GREP-CLI: neighbours in order, each once, with a mark between groups."""
    code, lines = ripgrep(grove.cwd, case.split(" "))
    done = grove.run("grep", *case.split(" "))
    assert (done.returncode, done.stdout.splitlines()) == (code, lines)


def test_random_patterns_with_flags(grove: Shell, tmp_path: Path) -> None:
    """GREP-CLI: whole words, inverted lines, parts and numbers by file agree for random patterns, too."""
    rng = random.Random(6)
    compared = 0
    with desk_on(grove.cwd, tmp_path / "data") as desk:
        desk.index()
        for pattern in patterns(150, 6):
            if "\\b" in pattern or "\\B" in pattern or "(?" in pattern:
                continue
            flags = [flag for flag in ("-w", "-v", "-F") if rng.random() < 0.4]
            code, lines = ripgrep(grove.cwd, [*flags, "-s", "-e", pattern, "."])
            _, counts = ripgrep(grove.cwd, [*flags, "-s", "-c", "-e", pattern, "."])
            if code == 2:
                continue
            query = GrepQuery(pattern, case_sensitive=True, limit=10**6, is_word="-w" in flags,
                              is_inverted="-v" in flags, is_literal="-F" in flags, output="lines")  # fmt: skip
            found = desk.engine.grep(None, query, Call())
            assert sorted(f"{one.path}:{one.line}:{one.text}" for one in found.matches) == sorted(lines), pattern
            by_file = desk.engine.grep(None, replace(query, output="counts"), Call()).file_counts
            assert sorted(f"{path}:{count}" for path, count in by_file) == sorted(counts), pattern
            if "-v" not in flags:
                _, parts = ripgrep(grove.cwd, [*flags, "-s", "-o", "-e", pattern, "."])
                own = [f"{one.path}:{one.line}:{one.text[a:b]}" for one in found.matches for a, b in one.spans if b > a]
                assert sorted(own) == sorted(part for part in parts if part.split(":", 2)[2]), (pattern, flags)
            compared += 1
    assert compared > 60


def test_grep_for_programs(grove: Shell) -> None:
    """GREP-CLI: the payload of the tool, and beside it what only the command line has."""
    payload = json.loads(grove.run("grep", "--json", "--limit", "1", "-w", "foo").stdout)
    assert [(one["file"], one["line"], one["column"]) for one in payload["matches"]] == [("notes.txt", 1, 1)]
    assert payload["totalMatches"] == 3 and payload["truncated"]
    none = json.loads(grove.run("grep", "needle", "--file-pattern", "*.rs", "--case-sensitive", "--json").stdout)
    assert none["totalMatches"] == 0 and none["message"]
    files = json.loads(grove.run("grep", "--json", "-c", "foo").stdout)["files"]
    assert files == [{"file": "notes.txt", "count": 3}]
    parts = json.loads(grove.run("grep", "--json", "-o", "-w", "foo", "notes.txt").stdout)["matches"]
    assert [one["parts"] for one in parts] == [["foo", "foo", "foo"], ["foo"], ["foo", "foo"]]
    page = grove.run("grep", "foo", "--limit", "1", "--offset", "1")
    assert page.stdout.startswith("notes.txt:2:") and "--offset 2" in page.stderr


def test_a_bad_pattern_is_pointed_at(grove: Shell) -> None:
    """GREP-CLI: the caret stands below the place."""
    done = grove.run("grep", "ab[z-a]")
    lines = done.stderr.splitlines()
    assert done.returncode == 2 and lines[1:3] == ["    ab[z-a]", "       ^"]
    places = (("a(b", "missing ): a(b", 1), ("a)b", "unexpected ): a)b", 1), ("x**", "bad repetition operator: **", 1),
              ("ab\\", "trailing \\: ", 2))  # fmt: skip
    for pattern, reason, column in places:
        assert find_error_column(pattern, reason) == column


def test_smart_case() -> None:
    """GREP-CLI: capitals of escapes, groups and flags are not letters of the text."""
    for pattern in ("foo", r"\S+", r"\pL", r"(?P<Name>x)", r"\p{Lu}x", "[a-z]"):
        assert not has_capital(pattern, fixed=False), pattern
    for pattern in ("Foo", "[A-Z]", r"\SA"):
        assert has_capital(pattern, fixed=False), pattern
    assert has_capital(r"\S", fixed=True)

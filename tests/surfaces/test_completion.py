"""Completion in real shells: what they offer is what the parser and the index know."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from codecompass.surfaces.cli.completion.shell_scripts import SHELLS
from tests.surfaces.conftest import Shell, environment
from tests.surfaces.helprepo import make_example_repository


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Shell:
    """The repository, with a program `codecompass` on the PATH."""
    home = tmp_path_factory.mktemp("completion")
    shell = make_example_repository(home)
    program = home / "bin" / "codecompass"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\nexec {sys.executable} -m codecompass "$@"\n')
    program.chmod(0o755)
    return Shell(shell.cwd, shell.env | {"PATH": f"{program.parent}{os.pathsep}{os.environ['PATH']}"})


LINES = (
    (("sea",), "search"),
    (("locate", "load_c"), "load_config"),
    (("references", "cached"), "CachedSession"),
    (("search", "x", "--lim"), "--limit"),
    (("search", "x", "--mode", "extr"), "extracted-prose"),
    (("status", "--ref", "v1"), "v1.0"),
    (("diff", "mai"), "main"),
    (("outline", "src/ses"), "src/session.py"),
    (("outline", "sr"), "src/"),
    (("tool", "locate_"), "locate_symbol"),
    (("care", "rep"), "report"),
    (("context", "supers"), "supersede"),
    (("setup", "curs"), "cursor"),
    (("help", "lang"), "languages"),
    (("search", "x", "--lang", "pyth"), "python"),
)


def complete(shell: Shell, *words: str) -> list[str]:
    done = shell.run("complete", "--", *words)
    assert done.returncode == 0 and not done.stderr
    return [line.split("\t")[0] for line in done.stdout.splitlines()]


@pytest.mark.parametrize(("words", "expected"), LINES, ids=lambda value: " ".join(value) if value else "")
def test_words_are_completed(shop: Shell, words: tuple[str, ...], expected: str) -> None:
    """CLI-COMPLETION: each kind of word, from its table or from the index."""
    assert expected in complete(shop, *words)


def test_paths_begin_at_the_current_directory(shop: Shell) -> None:
    """CLI-COMPLETION: as a shell shows them; a flag with its value may be one word."""
    below = Shell(shop.cwd / "src", shop.env)
    assert complete(below, "outline", "ses") == ["session.py"]
    assert complete(shop, "references", "x", "--file=src/ses") == ["--file=src/session.py"]
    assert complete(shop, "references", "x", "--file", "=", "src/ses") == ["src/session.py"], "as bash splits it"


@pytest.mark.parametrize("words", [("nonsense", ""), ("locate", "\x01"), ("search", "x" * 5000), ("--ref",), ()])
def test_completion_is_silent(shop: Shell, tmp_path: Path, words: tuple[str, ...]) -> None:
    """CLI-COMPLETION: no message and no failure, also where nothing is indexed, and nothing is created there."""
    for shell in (shop, Shell(tmp_path, environment(tmp_path))):
        complete(shell, *words)
    assert Shell(tmp_path, environment(tmp_path)).run("complete", "--", "locate", "x").stdout == ""
    assert not list(tmp_path.rglob("*.db"))


def run_shell(shop: Shell, program: str, script: str) -> str:
    if shutil.which(program) is None:
        pytest.skip(f"{program} is not installed")
    flags = {"bash": ("--norc", "--noprofile"), "zsh": ("-f",), "fish": ("--no-config",)}[program]
    done = subprocess.run(
        [program, *flags, "-c", script], cwd=shop.cwd, env=shop.env, capture_output=True, text=True, timeout=100,
        check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_bash_completes(shop: Shell) -> None:
    """CLI-COMPLETION: the function fills COMPREPLY as readline asks it to."""
    script = """
    source <(codecompass completion bash)
    compopt() { :; }
    ask() { COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _codecompass; echo "${COMPREPLY[*]}"; }
    ask codecompass sea
    ask codecompass locate load_c
    ask codecompass status --ref v1
    ask codecompass outline src/ses
    complete -p codecompass
    """
    lines = run_shell(shop, "bash", script).splitlines()
    assert lines == ["search", "load_config", "v1.0", "src/session.py", "complete -F _codecompass codecompass"]


def test_zsh_completes(shop: Shell) -> None:
    """CLI-COMPLETION: the function is defined for the program, and gives its words to the completion system."""
    script = """
    autoload -Uz compinit && compinit -u -D
    source <(codecompass completion zsh)
    _describe() { print -r -- ${(P)4} }
    compadd() { print -r -- ${@[-1]} }
    ask() { words=("$@"); CURRENT=$#; _codecompass }
    ask codecompass sea
    ask codecompass locate load_c
    ask codecompass outline sr
    print -r -- $_comps[codecompass]
    """
    lines = run_shell(shop, "zsh", script).splitlines()
    assert lines[0].startswith("search:Search code") and lines[1].startswith("load_config")
    assert lines[2:] == ["src/", "_codecompass"]


def test_fish_completes(shop: Shell) -> None:
    """CLI-COMPLETION: asked as the Tab key asks."""
    script = """
    codecompass completion fish | source
    complete -C 'codecompass sea'
    complete -C 'codecompass locate load_c'
    complete -C 'codecompass status --ref v1'
    complete -C 'codecompass outline src/ses'
    """
    lines = [line.split("\t")[0] for line in run_shell(shop, "fish", script).splitlines()]
    assert lines == ["search", "load_config", "v1.0", "src/session.py"]


@pytest.mark.parametrize("shell", SHELLS)
def test_each_shell_has_a_script(indexed: Shell, shell: str) -> None:
    """CLI-COMPLETION: printed by `completion`."""
    done = indexed.run("completion", shell)
    assert done.returncode == 0 and "codecompass complete --" in done.stdout

"""Commands `completion`, `complete` and `man`: what a shell needs to know about this program."""

import argparse
import sys
from collections.abc import Callable
from contextlib import suppress

from codecompass import __version__
from codecompass.surfaces.cli.completion.shell_scripts import SCRIPTS
from codecompass.surfaces.cli.completion.word_completion import LateNames, NameLists, complete_line
from codecompass.surfaces.cli.help.man_page import render_man_page


def run_shell_command(
    args: argparse.Namespace, parser: argparse.ArgumentParser, open_names: Callable[[], NameLists]
) -> int:
    """Print the manual page, a script, or the candidates that a script asks for."""
    if args.command == "man":
        sys.stdout.write(render_man_page(parser, __version__))
    elif args.command == "completion":
        sys.stdout.write(SCRIPTS[args.shell])
    else:
        # Silent whatever happens: a message would be written into the line that the user types.
        with suppress(Exception):
            sys.stdout.write(complete_line(parser, args.words, LateNames(open_names)))
    sys.stdout.flush()
    return 0

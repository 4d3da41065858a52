"""Console script: run app.main and end the process with its exit code."""

import _signal  # type: ignore[import-not-found] # `signal` itself loads modules

if _signal.getsignal(_signal.SIGINT) is _signal.default_int_handler:
    _signal.signal(_signal.SIGINT, _signal.SIG_DFL)

import gc
import os
import signal
import sys

INTERRUPTED, BROKEN_PIPE = 130, 141


def remove_current_directory_from_path() -> None:
    """Remove the current directory, which `python -m` adds, from the import path: a workspace must not add modules."""
    try:
        here = os.path.realpath(os.getcwd())
    except FileNotFoundError:
        return  # the current directory is gone, so nothing can be imported from it
    ours = os.path.dirname(os.path.dirname(os.path.realpath(__file__)))
    if not sys.flags.safe_path and sys.path and here != ours and os.path.realpath(sys.path[0] or here) == here:
        del sys.path[0]


def main() -> None:
    """Entry point of `codecompass` and of `python -m codecompass`."""
    # Until the command has begun there is nothing to clean up: Ctrl-C ends the process without a traceback.
    is_default = signal.getsignal(signal.SIGINT) is signal.SIG_DFL
    gc.disable()  # imports leave no garbage; `app` enables it again for commands that take long
    from codecompass.app import main as run  # noqa: PLC0415 - after the signal handler

    code = 0
    try:
        if is_default:
            signal.signal(signal.SIGINT, signal.default_int_handler)
        code = run(sys.argv[1:])
        sys.stdout.flush()
    except KeyboardInterrupt:
        code = INTERRUPTED
    except BrokenPipeError:
        code = BROKEN_PIPE  # stderr is closed, too
    except OSError:
        code = code or 1
    # A thread that still waits on a pipe or a query must not delay the exit.
    os._exit(code)


if __name__ == "__main__":
    remove_current_directory_from_path()  # before anything else is imported
    main()

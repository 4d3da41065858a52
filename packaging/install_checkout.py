"""Install this checkout into a virtual environment: `python3 packaging/install_checkout.py DIRECTORY LOCK...`.

Used by the Makefile. It runs on whatever python3 there is, so it keeps to the syntax of Python 3.6 and to the standard
library. What is missing on a machine (a newer Python, git, venv, a compiler, the network) is said in one line.
"""

import os
import re
import shutil
import subprocess
import sys
import threading
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PIP = ("-m", "pip", "--disable-pip-version-check", "--no-input", "install", "--progress-bar", "off")
COMPILERS = ("cc", "gcc", "clang", "cl")
GIT_HELP = "'apt install git', 'brew install git' or 'winget install Git.Git'"
COMPILER_HELP = "'apt install build-essential', 'dnf install gcc' or 'xcode-select --install'"
NO_WHEEL = re.compile(r"No matching distribution found for ([\w.-]+)")
NO_BUILD = re.compile(r"(?:Failed building wheel for|Failed to build|installable wheels for) ([\w.-]+)")
NO_NETWORK = re.compile(r"NewConnectionError|ConnectTimeout|Name or service not known|name resolution|ProxyError|SSLError")
PACKAGE = re.compile(r"^(?:Collecting|Requirement already satisfied:) ([\w.-]+)")


class Trouble(Exception):
    """Why the installation cannot go on, in one line."""


def main(words):
    """Create the environment if it is missing, and install the packages of the lock files and this checkout."""
    directory, locks = words[0], words[1:]
    try:
        check_python()
        check_git()
        python = create_environment(directory)
        for lock in locks:
            install_packages(python, directory, lock)
        run_pip(python, directory, "codecompass", ["--no-deps", "--no-build-isolation", "-e", ROOT])
    except Trouble as trouble:
        sys.stderr.write("error: %s\n" % trouble)
        return 1
    except KeyboardInterrupt:
        return 130
    return 0


def check_python():
    """Compare this Python with the oldest one that pyproject.toml allows."""
    with open(os.path.join(ROOT, "pyproject.toml"), encoding="utf-8") as file:
        wanted = re.search(r'requires-python = ">=(\d+)\.(\d+)"', file.read()).groups()
    if tuple(sys.version_info[:2]) < tuple(map(int, wanted)):
        have = ".".join(str(part) for part in sys.version_info[:3])
        raise Trouble(
            "codecompass needs Python %s.%s or newer, and %s is Python %s. Name a newer one: make try PYTHON=python%s.%s"
            % (wanted + (sys.executable, have) + wanted)
        )


def check_git():
    """Look for git on the PATH."""
    if shutil.which("git") is None:
        raise Trouble("codecompass needs git, which is not on the PATH. Install it: %s." % GIT_HELP)


def create_environment(directory):
    """Create the virtual environment, and return its interpreter."""
    python = os.path.join(directory, "Scripts" if os.name == "nt" else "bin", "python")
    if not os.path.exists(python):
        done = subprocess.run([sys.executable, "-m", "venv", directory], stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        if done.returncode != 0:
            shutil.rmtree(directory, ignore_errors=True)
            raise Trouble(
                "%s cannot make virtual environments. On Debian and Ubuntu: 'apt install python3-venv'." % sys.executable
            )
    return python


def install_packages(python, directory, lock):
    """Install what a lock file lists: ready-made packages first, from source where there is a compiler."""
    with open(lock, encoding="utf-8") as file:
        count = sum(1 for line in file if re.match(r"[a-z0-9]", line))
    options = ["--require-hashes", "-r", lock]
    try:
        run_pip(python, directory, os.path.basename(lock), ["--only-binary", ":all:"] + options, count)
    except NoWheel as missing:
        if not any(shutil.which(name) for name in COMPILERS):
            raise Trouble(
                "there is no ready-made package of %s for this Python and machine, and no C compiler to build it. "
                "Install one and try again: %s." % (missing, COMPILER_HELP)
            )
        try:
            run_pip(python, directory, os.path.basename(lock), options, count)
        except NoWheel:
            raise Trouble("%s could not be built from source here; details: %s" % (missing, name_log(directory)))


class NoWheel(Exception):
    """The name of a package that has no wheel for this Python and machine."""


def name_log(directory):
    """Return the file that has the whole output of pip."""
    return os.path.join(directory, "install.log")


def run_pip(python, directory, what, options, count=1):
    """Run pip with one line of progress; its whole output goes to `install.log` in the environment."""
    log = name_log(directory)
    command = [python] + list(PIP) + options
    with ProgressLine("Installing %s" % what, count) as line, open(log, "w", encoding="utf-8") as file:
        with subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, universal_newlines=True, errors="replace"
        ) as pip:
            for text in pip.stdout:
                file.write(text)
                line.follow(text)
        line.failed = pip.returncode != 0
    if pip.returncode != 0:
        with open(log, encoding="utf-8") as file:
            raise explain_failure(file.read(), log)


def explain_failure(output, log):
    """Return the exception for what pip wrote."""
    if NO_NETWORK.search(output):
        return Trouble("pip cannot reach the package index. Check the network and the proxy; details: %s" % log)
    missing = NO_WHEEL.search(output)
    if missing:
        return NoWheel(missing.group(1))
    failed = NO_BUILD.search(output)
    if failed:
        return Trouble("%s could not be built from source here; details: %s" % (failed.group(1), log))
    lines = [line for line in output.splitlines() if line.startswith("ERROR:")] or ["ERROR: pip gave no reason"]
    return Trouble("pip failed: %s; details: %s" % (lines[-1][len("ERROR:") :].strip(), log))


class ProgressLine:
    """One line that says what pip does: redrawn on a terminal, printed at every tenth package elsewhere."""

    def __init__(self, title, count):
        self.title, self.count, self.seen = title, count, 0
        self.state, self.began, self.failed = "", time.time(), False
        self.live = sys.stdout.isatty()
        self.done = threading.Event()
        self.ticker = threading.Thread(target=self.tick, daemon=True)

    def __enter__(self):
        if self.live:
            self.ticker.start()
        else:
            self.write("%s\n" % self.title)
        return self

    def __exit__(self, *_error):
        self.done.set()
        if self.live:
            self.ticker.join()
            self.write("\r\033[K")
        if not self.failed:
            self.write("%s: done in %d s\n" % (self.title, time.time() - self.began))

    def follow(self, text):
        """Take one line of pip's output."""
        package = PACKAGE.match(text)
        if package:
            self.seen += 1
            self.state = "%d of %d, %s" % (min(self.seen, self.count), self.count, package.group(1))
            if not self.live and self.seen % 10 == 0:
                self.write("  %s\n" % self.state)
        elif text.startswith("Installing collected packages"):
            self.state = "unpacking"
            if not self.live:
                self.write("  unpacking\n")

    def tick(self):
        while not self.done.wait(0.2):
            width = shutil.get_terminal_size().columns - 1
            text = "%s: %s (%d s)" % (self.title, self.state or "asking the package index", time.time() - self.began)
            self.write("\r\033[K" + text[:width])

    def write(self, text):
        sys.stdout.write(text)
        sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

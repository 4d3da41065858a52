"""First paint, search time and weight of the web page: `python -m bench.web_bench REPO [--query TEXT]`.

REPO is indexed. The server is started by the command; a browser is used where there is one (Debian's `chromium`, or
the program that CHROMIUM names). Times are of this machine and its load; ratios and weights are what to compare.
"""

import argparse
import gzip
import json
import os
import re
import shutil
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx2
from playwright.sync_api import Error, sync_playwright

ROUNDS = 5
FLAGS = ["--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking"]
PAINTED = "() => performance.getEntriesByName('first-contentful-paint').length > 0"
PAINT = "() => performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? -1"


@contextmanager
def serving(repo: str) -> Iterator[str]:
    """A server over a repository; its address."""
    command = [sys.executable, "-m", "codecompass", "serve-http", "--workspace", repo, "--port", "0", "--json"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as process:
        assert process.stdout is not None
        try:
            yield str(json.loads(process.stdout.readline())["url"])
        finally:
            process.terminate()


def measure_request(client: httpx2.Client, address: str) -> tuple[float, int, int]:
    """Median time of a request in milliseconds, and its bytes plain and compressed."""
    times = []
    body = b""
    for _ in range(ROUNDS):
        began = time.perf_counter()
        body = client.get(address).raise_for_status().content
        times.append((time.perf_counter() - began) * 1000)
    return statistics.median(times), len(body), len(gzip.compress(body))


def measure_ripgrep(repo: str, query: str) -> float | None:
    """Median time of ripgrep for the same words, any of them, in milliseconds."""
    program = shutil.which("rg") or shutil.which("rg", path=str(Path(sys.executable).parent))
    if program is None:
        return None
    pattern = "|".join(map(re.escape, query.split()))
    times = []
    for _ in range(ROUNDS):
        began = time.perf_counter()
        subprocess.run([program, "-i", "-n", pattern, repo], stdout=subprocess.DEVNULL, check=False)
        times.append((time.perf_counter() - began) * 1000)
    return statistics.median(times)


def measure_paint(url: str, addresses: dict[str, str]) -> dict[str, float]:
    """Median first contentful paint of each page in milliseconds; empty without a browser."""
    program = os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("google-chrome")
    if program is None:
        return {}
    found: dict[str, float] = {}
    with sync_playwright() as play:
        try:
            browser = play.chromium.launch(executable_path=program, args=FLAGS)
        except Error:
            return {}
        page = browser.new_page()
        for name, address in addresses.items():
            paints = []
            for _ in range(ROUNDS):
                page.goto(url + address)
                page.wait_for_function(PAINTED)
                paints.append(float(page.evaluate(PAINT)))
            found[name] = statistics.median(paints)
        browser.close()
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("repo")
    parser.add_argument("--query", default="prefetch related objects")
    parser.add_argument("--file", default="django/urls/base.py")
    parser.add_argument("--symbol", default="prefetch_related_objects")
    words = parser.parse_args()
    with serving(words.repo) as url, httpx2.Client(base_url=url, timeout=120) as client:
        query = httpx2.QueryParams({"q": words.query})
        addresses = {"home": "/", "search": f"/?{query}", "results as you type": f"/?{query}&part=results",
                     "file": f"/file/{words.file}", "symbol": f"/symbol/?name={words.symbol}"}  # fmt: skip
        print(f"{'page':22}{'ms':>9}{'bytes':>10}{'gzip':>9}")
        for name, address in addresses.items():
            took, plain, packed = measure_request(client, address)
            print(f"{name:22}{took:9.1f}{plain:10,}{packed:9,}")
        for name in ("page.js", "page.css"):
            body = client.get(f"/static/{name}").content
            print(f"{name:22}{'':9}{len(body):10,}{len(gzip.compress(body)):9,}")
        if (ripgrep := measure_ripgrep(words.repo, words.query)) is not None:
            print(f"{'rg, any of the words':22}{ripgrep:9.1f}")
        paints = measure_paint(url, {name: address for name, address in addresses.items() if "type" not in name})
        for name, took in paints.items():
            print(f"{'first paint: ' + name:22}{took:9.1f}")
        if not paints:
            print("first paint: no browser here")
    return 0


if __name__ == "__main__":
    sys.exit(main())

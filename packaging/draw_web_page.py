"""Draw docs/images/web.png: the page of a server in a real browser.

`make webpicture REPO=~/src/django` (an indexed clone of django) runs it. CHROMIUM names another browser than Debian's.
"""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

from playwright.sync_api import sync_playwright

ADDRESS = "/?q=prefetch+related+objects"
FLAGS = ["--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run"]
SIZE = {"width": 1280, "height": 800}
TARGET = Path(__file__).parent.parent / "docs" / "images" / "web.png"


def main(repo: str) -> int:
    program = os.environ.get("CHROMIUM") or shutil.which("chromium")
    if not program:
        sys.exit("no browser: install Debian's package chromium, or name one by CHROMIUM")
    command = ["codecompass", "serve-http", "--workspace", repo, "--port", "0", "--json"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server, sync_playwright() as play:
        try:
            assert server.stdout is not None
            url = json.loads(server.stdout.readline())["url"]
            browser = play.chromium.launch(executable_path=program, args=FLAGS)
            page = browser.new_page(viewport=SIZE, color_scheme="light")
            page.set_default_timeout(120_000)
            page.goto(url + ADDRESS)
            page.screenshot(path=TARGET)
            browser.close()
        finally:
            server.terminate()
    return 0


if __name__ == "__main__":
    sys.exit(main(os.path.expanduser(sys.argv[1])))

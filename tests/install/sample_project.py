"""The sample project of the documentation, with a history of its own."""

import os
import shutil
import subprocess
from pathlib import Path

from tests.architecture.source import ROOT

SAMPLE = ROOT / "examples" / "shop"
LOWERED = """\
Lower the largest discount

Because every sale above 30 percent lost money last year.
"""
VOUCHERS = '''"""Vouchers: a discount that a customer hands in once."""

from shop.basket import Basket


def redeem_voucher(basket: Basket, percent: int) -> None:
    """Give the basket the discount of a voucher."""
    basket.discount = max(basket.discount, percent)
'''


def commit(repo: Path, author: str, day: str, message: str) -> None:
    """Commit everything, at a fixed time: the ids of commits are the same each time."""
    person = {"NAME": author, "EMAIL": f"{author.lower()}@example.org", "DATE": f"{day}T10:00:00Z"}
    who = {f"GIT_{role}_{key}": value for role in ("AUTHOR", "COMMITTER") for key, value in person.items()}
    for words in (["add", "-A"], ["commit", "-q", "--no-gpg-sign", "-m", message]):
        subprocess.run(["git", *words], cwd=repo, env=os.environ | who, check=True, capture_output=True)


def make_sample(repo: Path) -> Path:
    """Copy the sample project and give it two commits on `main` and one on the branch `vouchers`."""
    shutil.copytree(SAMPLE, repo)
    run = ["git", "-C", str(repo), "-c", "core.autocrlf=false"]
    subprocess.run([*run, "init", "-q", "-b", "main"], check=True)
    prices = repo / "shop" / "prices.py"
    lowered = prices.read_text()
    prices.write_text(lowered.replace("MAX_DISCOUNT = 30", "MAX_DISCOUNT = 50"))
    commit(repo, "Ana", "2026-01-12", "Sell things")
    prices.write_text(lowered)
    commit(repo, "Ben", "2026-02-03", LOWERED)
    subprocess.run([*run, "checkout", "-q", "-b", "vouchers"], check=True)
    (repo / "shop" / "vouchers.py").write_text(VOUCHERS)
    commit(repo, "Ana", "2026-02-20", "Take vouchers")
    subprocess.run([*run, "checkout", "-q", "main"], check=True)
    return repo

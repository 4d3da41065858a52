"""Project memory measured on public histories.

Usage: python -m bench.memory staleness|recall|abstention --repos DIR [--only NAME…] [--mistakes FILE]

`--repos` holds one git directory for each repository of `bench/data/memory_repositories.toml`, named `<owner>+<name>`.
"""

import argparse
from pathlib import Path

from bench.memory import recall, staleness
from bench.memory.repositories import LIST


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("part", choices=("staleness", "recall", "abstention"))
    parser.add_argument("--repos", type=Path, required=True)
    parser.add_argument("--only", nargs="*", default=[], help="names of repositories; all of them without it")
    parser.add_argument("--split", choices=("", "dev", "test"), default="", help="which half of the questions")
    parser.add_argument("--list", type=Path, default=LIST, help="which repositories at which commits, for staleness")
    parser.add_argument("--data", type=Path, help="where clones and indexes are kept for another run")
    parser.add_argument("--mistakes", type=Path, help="write what ours got wrong as lines of JSON")
    args = parser.parse_args()
    if args.part == "staleness":
        staleness.run(args)
    else:
        recall.run(args)


if __name__ == "__main__":
    main()

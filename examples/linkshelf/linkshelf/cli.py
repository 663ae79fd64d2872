"""The command line: translates arguments, prints results, returns exit codes."""

import argparse
import os
import sys
from pathlib import Path

from linkshelf.links import BadLink, Link
from linkshelf.store import BrokenShelf, Duplicate, Shelf


def main(argv: list[str] | None = None) -> int:
    """Runs one command: 0 done, 1 not found or already there, 2 bad input."""
    arguments = build_parser().parse_args(argv)
    try:
        shelf = Shelf.open(shelf_path())
        return int(arguments.run(shelf, arguments))
    except (BadLink, BrokenShelf) as problem:
        print(f"linkshelf: {problem}", file=sys.stderr)
        return 2


def shelf_path() -> Path:
    """Where the shelf lies: LINKSHELF_FILE, else a file in the home folder."""
    return Path(os.environ.get("LINKSHELF_FILE") or Path.home() / ".linkshelf.json")


def build_parser() -> argparse.ArgumentParser:
    """One sub-command for each verb; `run` is the function that carries it out."""
    parser = argparse.ArgumentParser(prog="linkshelf", description="Keeps links in one JSON file.")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    add = commands.add_parser("add", help="put a link on the shelf")
    add.add_argument("url")
    add.add_argument("--title", default="")
    add.add_argument("--tag", action="append", default=[], dest="tags")
    add.set_defaults(run=run_add)

    listing = commands.add_parser("list", help="show the shelf")
    listing.add_argument("--tag")
    listing.set_defaults(run=run_list, words="")

    search = commands.add_parser("search", help="show the links that hold every word")
    search.add_argument("words")
    search.add_argument("--tag")
    search.set_defaults(run=run_list)

    remove = commands.add_parser("remove", help="take a link off the shelf")
    remove.add_argument("number", type=int)
    remove.set_defaults(run=run_remove)
    return parser


def run_add(shelf: Shelf, arguments: argparse.Namespace) -> int:
    try:
        link = shelf.add(arguments.url, title=arguments.title, tags=arguments.tags)
    except Duplicate as problem:
        print(f"linkshelf: {problem}", file=sys.stderr)
        return 1
    shelf.save()
    print(f"added {link.number}  {link.url}")
    return 0


def run_list(shelf: Shelf, arguments: argparse.Namespace) -> int:
    for link in shelf.search(arguments.words, tag=arguments.tag):
        print(format_link(link))
    return 0


def run_remove(shelf: Shelf, arguments: argparse.Namespace) -> int:
    try:
        link = shelf.remove(arguments.number)
    except KeyError:
        print(f"linkshelf: there is no link {arguments.number}", file=sys.stderr)
        return 1
    shelf.save()
    print(f"removed {link.number}  {link.url}")
    return 0


def format_link(link: Link) -> str:
    """One line of a listing: number, URL, title, tags."""
    tags = f"[{', '.join(link.tags)}]" if link.tags else ""
    return "  ".join(part for part in (str(link.number), link.url, link.title, tags) if part)

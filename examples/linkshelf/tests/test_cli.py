import contextlib
import io
import os
import tempfile
import unittest
from pathlib import Path
from unittest import mock

from linkshelf.cli import main


class CommandLine(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.file = Path(folder.name) / "shelf.json"
        patch = mock.patch.dict(os.environ, {"LINKSHELF_FILE": str(self.file)})
        patch.start()
        self.addCleanup(patch.stop)

    def run_command(self, *arguments: str) -> tuple[int, str, str]:
        out, err = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            code = main(list(arguments))
        return code, out.getvalue(), err.getvalue()

    def test_add_list_search_remove(self) -> None:
        self.assertEqual(
            self.run_command("add", "https://example.org", "--title", "Example", "--tag", "web"),
            (0, "added 1  https://example.org\n", ""),
        )
        line = "1  https://example.org  Example  [web]\n"
        self.assertEqual(self.run_command("list", "--tag", "web"), (0, line, ""))
        self.assertEqual(self.run_command("search", "exam"), (0, line, ""))
        self.assertEqual(self.run_command("remove", "1")[0], 0)
        self.assertEqual(self.run_command("list"), (0, "", ""))

    def test_a_link_that_is_there_already_is_exit_1(self) -> None:
        self.run_command("add", "https://example.org")
        code, _, err = self.run_command("add", "https://example.org/")
        self.assertEqual((code, err), (1, "linkshelf: already on the shelf as 1: https://example.org\n"))

    def test_bad_input_is_exit_2(self) -> None:
        self.assertEqual(self.run_command("add", "ftp://example.org")[0], 2)
        self.file.write_text("not json")
        self.assertEqual(self.run_command("list")[0], 2)

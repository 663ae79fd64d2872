"""The repository that citations are held against: real git, with everything that makes a path hard to judge.

Renames (twice, and of a folder), a plan that moved when its phase closed, links inside, out of the tree and to a
secret, an ignored file, `.env` files, a binary, a huge file, CRLF, names with spaces, accents and other scripts, one
base name in several folders, a submodule, deleted files, a FIFO, and a plan that creates files.
"""

import os
import subprocess
from pathlib import Path

MAIN = "".join(
    f"def step_{number}(order):\n    return order + {number}\n\n\n" for number in range(1, 16)
)  # 60 lines
FILES: dict[str, str] = {
    "src/app/main.py": MAIN,
    "src/app/__init__.py": "VERSION = '1'\n",
    "src/lib/__init__.py": "NAME = 'lib'\n",
    "src/app/util.py": "def join(a, b):\n    return a + b\n" * 5,
    "lib/util.py": "def split(a):\n    return a.split()\n" * 5,
    "src/app/wiped.py": "x = 1\n",
    "src/app/gone.py": "y = 2\n" * 30,
    "src/app/first_name.py": "".join(
        f"def price_{n}(item):\n    return item.price * {n}\n" for n in range(20)
    ),
    "old_folder/tax.rb": "".join(f"def tax_{n}(x)\n  x * {n}\nend\n" for n in range(12)),
    "web/app/[id]/page.tsx": "export default function Page() {\n  return null\n}\n",
    "web/src/Button.tsx": "export const Button = () => <button/>\n" * 4,
    "web/app/(group)/layout.tsx": "export const Layout = 1\n",
    "docs/user guide.md": "# Guide\n\nHow to.\n",
    "docs/größe.md": "# Größe\n\nText\n",
    "文档/说明.md": "# 说明\n\n内容\n",
    "日本/計画.md": "# 計画\n\n本文\n",
    "données/réglage.yaml": "a: 1\nb: 2\n",
    "win/start.py": "import os\r\nimport sys\r\nprint('win')\r\n",
    "README.md": "# Shop\n\nWords\n",
    "Makefile": "all:\n\techo hi\ntest:\n\tpytest\n",
    ".github/workflows/ci.yml": "on: push\njobs:\n  a: 1\n",
    "cmd/server/main.go": "package main\n\nfunc main() {\n\tRun()\n}\n",
    "internal/store/lease.go": "package store\n\ntype Lease struct{}\n\nfunc (l *Lease) Renew() error {\n\treturn nil\n}\n",
    ".planning/phases/01-start/01-01-PLAN.md": "# Start\n\nDone.\n" * 8,
    ".planning/phases/03-pay/03-02-PLAN.md": "",
    ".gitignore": "build/\nsecrets.txt\n",
    "empty.py": "",
    "no_newline.py": "one = 1\ntwo = 2",
}
PLAN_NAME = ".planning/phases/03-pay/03-02-PLAN.md"
PLAN = """\
---
phase: 03-pay
plan: 02
files_modified: [src/app/main.py, src/app/ledger.py]
---

<objective>Pay once.</objective>

<task type="auto">
  <name>Task 1: the ledger</name>
  <files>src/app/ledger.py</files>
  <action>Create `src/app/ledger.py` with `Ledger.post()`, and `tests/test_ledger.py`.</action>
</task>
"""
IDENTITY = ("-c", "user.name=bench", "-c", "user.email=bench@example.invalid")


def build(folder: Path) -> Path:
    """The repository, below `folder`; its name is `shop-app`."""
    root = folder / "shop-app"
    for path, text in (FILES | {PLAN_NAME: PLAN}).items():
        _write(root / path, text.encode())
    _write(root / "assets/logo.png", b"\x89PNG\r\n\0\0" * 40)
    _write(root / "big/huge.py", b"x = 1\n" * 900_000)
    _git(root, "init", "-q", "-b", "main")
    _commit(root, "all of it")
    _move(root, "src/app/first_name.py", "src/app/second_name.py")
    _move(root, "src/app/second_name.py", "src/pricing/prices.py")
    _move(root, "old_folder", "new_folder")
    _move(root, ".planning/phases/01-start", ".planning/milestones/v1.0-phases/01-start")
    _git(root, "rm", "-q", "src/app/gone.py")
    _commit(root, "it is gone")
    _submodule(folder, root)
    _links(folder, root)
    _commit(root, "links")
    for path in (".env", ".env.local", "config/.env.production", "secrets.txt", "build/out.js"):
        _write(root / path, b"TOKEN=s3cret\nB=2\nC=3\n")
    os.mkfifo(root / "pipe.py")
    (root / "src/app/wiped.py").unlink()
    _write(root / "src/app/untracked.py", b"new = 1\nnewer = 2\n")
    return root


def _links(folder: Path, root: Path) -> None:
    _write(folder / "outside.py", b"secret = 1\nsecond = 2\n")
    for name, target in {
        "link_in.py": "src/app/main.py",
        "link_out.py": "../outside.py",
        "link_env.py": ".env",
        "link_folder": "..",
        "link_nowhere.py": "src/app/never.py",
        "link_etc.conf": "/etc/passwd",
    }.items():
        (root / name).symlink_to(target)


def _submodule(folder: Path, root: Path) -> None:
    other = folder / "other"
    _write(other / "inner.py", b"a = 1\n")
    _git(other, "init", "-q", "-b", "main")
    _commit(other, "inner")
    _git(root, "-c", "protocol.file.allow=always", "submodule", "add", "-q", str(other), "vendor/sub")
    _commit(root, "sub")


def _write(path: Path, content: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)


def _move(root: Path, old: str, new: str) -> None:
    (root / new).parent.mkdir(parents=True, exist_ok=True)
    _git(root, "mv", old, new)
    _commit(root, f"{old} to {new}")


def _commit(root: Path, message: str) -> None:
    _git(root, "add", "-A")
    _git(root, *IDENTITY, "commit", "-q", "-m", message)


def _git(root: Path, *arguments: str) -> None:
    subprocess.run(["git", *arguments], cwd=root, check=True, capture_output=True)

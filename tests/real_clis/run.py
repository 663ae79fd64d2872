"""`make test-real-clis`: fetches the real tools, then drives them in a network namespace that has loopback only.

    python tests/real_clis/run.py [--refresh] [--only TOOL]...

Exit status: 0 every check holds, 1 one does not. What cannot be had (a tool, the registry, a namespace) is skipped,
with the reason on a line of its own.
"""

import argparse
import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))  # run as a script, it knows only its own folder

from tests.real_clis.tools import TOOLS, install  # noqa: E402 - needs the line above

_SECONDS = 3600
_NAMESPACE = ("--net", "--pid", "--fork", "--mount-proc", "--kill-child")


def main() -> int:
    """See the module."""
    asked = _arguments()
    namespace = _namespace()
    if namespace is None:
        print(
            "SKIPPED: this machine gives no network namespace (unshare), and real tools are run in no other place"
        )
        return 0
    installed = install(refresh=asked.refresh)
    for slug, version in installed.versions.items():
        print(f"{slug} {version} (Node {installed.node})")
    for slug, reason in installed.missing.items():
        print(f"SKIPPED {slug}: {reason}")
    slugs = [slug for slug in installed.versions if not asked.only or slug in asked.only]
    if not slugs:
        return 0
    sys.stdout.flush()
    command = [*namespace, sys.executable, "-m", "tests.real_clis.sealed", *slugs]
    environment = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "LANG": "C.UTF-8", "PYTHONPATH": str(ROOT)}
    done = subprocess.run(command, cwd=ROOT, env=environment, timeout=_SECONDS, check=False)
    return done.returncode


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Drive real reviewer tools against a local model server.")
    parser.add_argument("--refresh", action="store_true", help="fetch the tools of today again")
    parser.add_argument("--only", action="append", choices=[tool.slug for tool in TOOLS], default=[])
    return parser.parse_args()


def _namespace() -> list[str] | None:
    """The words that start a command in a namespace of its own; None where there is no such thing."""
    unshare = shutil.which("unshare")
    if unshare is None:
        return None
    user = () if os.geteuid() == 0 else ("--user", "--map-root-user")
    words = [unshare, *user, *_NAMESPACE]
    tried = subprocess.run([*words, "true"], capture_output=True, timeout=30, check=False)
    return words if tried.returncode == 0 else None


if __name__ == "__main__":
    raise SystemExit(main())

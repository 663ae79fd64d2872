"""Talks to the real `msd mcp` through the SDK's own client, and by hand where the SDK is too polite."""

import json
import subprocess
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import anyio
import mcp_types as types
from anyio.from_thread import start_blocking_portal
from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.shared.dispatcher import ProgressFnT

from msd_review.trust import grants
from tests.installed import MSD, PYTHON, Desk

Result = TypeVar("Result")


@dataclass(frozen=True)
class Talk:
    """A conversation with a server."""

    session: ClientSession

    async def call(self, tool: str, progress: ProgressFnT | None = None, **given: Any) -> dict[str, Any]:
        """The document of a call that succeeds; the client has held it against the tool's schema."""
        result = await self.session.call_tool(tool, given, progress_callback=progress)
        document = result.structured_content
        assert not result.is_error, document
        assert isinstance(document, dict)
        assert isinstance(result.content[0], types.TextContent)
        assert json.loads(result.content[0].text) == document
        return document

    async def refused(self, tool: str, **given: Any) -> dict[str, Any]:
        """The error of a call that is refused."""
        result = await self.session.call_tool(tool, given)
        assert result.is_error, result.structured_content
        assert isinstance(result.structured_content, dict)
        error: dict[str, Any] = result.structured_content["error"]
        return error

    async def ended(self, run: str) -> dict[str, Any]:
        """The status of a run once it is over."""
        with anyio.fail_after(240):
            while not (status := await self.call("review_status", run=run, wait_seconds=20))["is_over"]:
                pass
        return status


@asynccontextmanager
async def talking(
    desk: Desk, *, client: str = "tests", cwd: Path | None = None, arguments: tuple[str, ...] = ()
) -> AsyncIterator[Talk]:
    """A server in the desk's project (or with `-C`, as in `arguments`), and a client that has shaken hands."""
    server = StdioServerParameters(
        command=PYTHON, args=[*MSD[1:], *arguments, "mcp"], env=desk.env(), cwd=cwd or desk.project
    )
    with (desk.base / "server.log").open("a", encoding="utf-8") as log:
        async with stdio_client(server, errlog=log) as (incoming, outgoing):
            who = types.Implementation(name=client, version="1")
            async with ClientSession(incoming, outgoing, client_info=who) as session:
                await session.initialize()
                await session.list_tools()
                yield Talk(session)


def talk(desk: Desk, conversation: Callable[[Talk], Awaitable[Result]], **options: Any) -> Result:
    """Holds a conversation from beginning to end, outside of any event loop."""

    async def whole() -> Result:
        async with talking(desk, **options) as one:
            return await conversation(one)

    return anyio.run(whole)


@contextmanager
def room(desk: Desk, **options: Any) -> Iterator[Callable[[Callable[[Talk], Awaitable[Result]]], Result]]:
    """One server for many conversations, each held to its end before the next: starting one loads the whole SDK."""
    with (
        start_blocking_portal() as portal,
        portal.wrap_async_context_manager(talking(desk, **options)) as one,
    ):
        yield lambda conversation: portal.call(conversation, one)


def agree(desk: Desk, *slugs: str) -> None:
    """What a person says on a terminal: these may receive plans."""
    grants.record_answers(desk.msd_home, dict.fromkeys(slugs, True))


class Wire:
    """A server spoken to by hand, line by line."""

    def __init__(self, desk: Desk, *, env: Mapping[str, str] | None = None) -> None:
        self.log = desk.base / "wire.log"
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(
                [*MSD, "mcp"],
                cwd=desk.project,
                env={**desk.env(), **(env or {})},
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=log,
            )
        self._number = 0

    def __enter__(self) -> "Wire":
        self.ask(
            "initialize",
            {
                "protocolVersion": "2025-06-18",
                "capabilities": {},
                "clientInfo": {"name": "by-hand", "version": "1"},
            },
        )
        self.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
        return self

    def __exit__(self, *_: object) -> None:
        self.process.kill()
        self.process.wait(timeout=30)
        for stream in (self.process.stdin, self.process.stdout):
            if stream is not None:
                stream.close()

    def send(self, message: Any) -> None:
        """One message, or bytes as they are."""
        assert self.process.stdin is not None
        line = message if isinstance(message, bytes) else json.dumps(message).encode()
        self.process.stdin.write(line + b"\n")
        self.process.stdin.flush()

    def read(self) -> Any:
        """The next message; everything on stdout is one."""
        assert self.process.stdout is not None
        return json.loads(self.process.stdout.readline())

    def ask(self, method: str, params: Any) -> Any:
        """The answer to a request, whatever is told in between."""
        self._number += 1
        self.send({"jsonrpc": "2.0", "id": self._number, "method": method, "params": params})
        while (answer := self.read()).get("id") != self._number:
            pass
        return answer

    def call(self, tool: str, **given: Any) -> dict[str, Any]:
        """A tool's document."""
        answer = self.ask("tools/call", {"name": tool, "arguments": given})
        document: dict[str, Any] = answer["result"]["structuredContent"]
        return document

    def end(self) -> int:
        """Closes our end; the server's exit code."""
        assert self.process.stdin is not None
        self.process.stdin.close()
        return self.process.wait(timeout=30)


def reports(desk: Desk) -> list[Path]:
    """The REVIEWS files of the project."""
    return sorted(desk.project.rglob("*REVIEWS.*"))


def processes_of(run: str) -> list[int]:
    """The processes whose command line names the run."""
    found = []
    for folder in Path("/proc").iterdir():
        try:
            words = (folder / "cmdline").read_bytes() if folder.name.isdigit() else b""
        except OSError:
            continue
        if run.encode() in words:
            found.append(int(folder.name))
    return found

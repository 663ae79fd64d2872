"""A local server on raw sockets that can misbehave in every way: each connection is handed to a script.

A script is a coroutine that gets the request as it was read and a connection to write any bytes to. The server
keeps what it was sent, and counts its connections.
"""

import asyncio
import contextlib
import json
import ssl
import threading
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

_HEADER_LIMIT = 64 * 1024


@dataclass(slots=True)
class Received:
    """One request: its first line's method and target, headers in lower case, body."""

    method: str
    target: str
    headers: dict[str, str]
    body: bytes

    def json(self) -> Any:
        return json.loads(self.body)


class Connection:
    """The server's side of one connection."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader = reader
        self.writer = writer

    async def write(self, data: bytes) -> None:
        self.writer.write(data)
        await self.writer.drain()

    async def answer(self, body: bytes | str, *, status: str = "200 OK", **headers: str) -> None:
        """A well-formed answer; header names are written with underscores."""
        content = body.encode() if isinstance(body, str) else body
        named = {
            "Content-Type": "application/json",
            "Content-Length": str(len(content)),
            "Connection": "close",
        }
        named |= {name.replace("_", "-"): value for name, value in headers.items()}
        head = f"HTTP/1.1 {status}\r\n" + "".join(f"{name}: {value}\r\n" for name, value in named.items())
        await self.write(head.encode() + b"\r\n" + content)

    async def answer_json(self, value: Any, *, status: str = "200 OK", **headers: str) -> None:
        await self.answer(json.dumps(value), status=status, **headers)

    def reset(self) -> None:
        """Ends the connection with a RST, not a FIN."""
        self.writer.transport.abort()


Script = Callable[[Received, Connection], Awaitable[None]]


@dataclass(slots=True)
class Misbehaving:
    """A running server; `script` may be exchanged at any time."""

    port: int
    script: Script
    received: list[Received] = field(default_factory=list)
    connections: int = 0

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def posts(self) -> list[Received]:
        return [one for one in self.received if one.method == "POST"]


async def _read(reader: asyncio.StreamReader) -> Received:
    begin = await reader.readexactly(1)
    if begin == b"\x16":
        raise ValueError("somebody speaks TLS to a plain port")
    head = begin + await reader.readuntil(b"\r\n\r\n")
    first, *lines = head.decode("latin-1").split("\r\n")
    method, target, _ = first.split(" ", 2)
    headers = {
        name.strip().lower(): value.strip()
        for name, _, value in (line.partition(":") for line in lines if line)
    }
    body = await reader.readexactly(int(headers.get("content-length", "0")))
    return Received(method, target, headers, body)


async def _serve(server: Misbehaving, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    server.connections += 1
    connection = Connection(reader, writer)
    try:
        request = await _read(reader)
        server.received.append(request)
        await server.script(request, connection)
    except (OSError, asyncio.IncompleteReadError, asyncio.LimitOverrunError, ValueError):
        pass
    finally:
        writer.close()
    with contextlib.suppress(OSError):
        await writer.wait_closed()


@contextlib.contextmanager
def misbehaving(
    script: Script, *, host: str = "127.0.0.1", tls: ssl.SSLContext | None = None
) -> Iterator[Misbehaving]:
    """The server on a free port of this machine, in a thread with a loop of its own."""
    server = Misbehaving(port=0, script=script)
    started = threading.Event()
    loop = asyncio.new_event_loop()
    ended = asyncio.Event()

    async def main() -> None:
        tasks: set[asyncio.Task[None]] = set()
        writers: list[asyncio.StreamWriter] = []

        def accept(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            writers.append(writer)
            task = asyncio.ensure_future(_serve(server, reader, writer))
            tasks.add(task)
            task.add_done_callback(tasks.discard)

        listening = await asyncio.start_server(accept, host, 0, limit=_HEADER_LIMIT, ssl=tls)
        server.port = listening.sockets[0].getsockname()[1]
        started.set()
        await ended.wait()
        listening.close()
        for task in tuple(tasks):
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        for writer in writers:
            writer.transport.abort()
        await asyncio.sleep(0)  # a closed transport lets go of its socket one turn later

    def run() -> None:
        asyncio.set_event_loop(loop)
        loop.run_until_complete(main())
        loop.close()

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    if not started.wait(10):
        raise RuntimeError("the server did not start")
    try:
        yield server
    finally:
        loop.call_soon_threadsafe(ended.set)
        thread.join(10)


def completion(content: Any, **fields: Any) -> dict[str, Any]:
    """A chat completion as servers write it; `fields` replace its own."""
    answer = {
        "id": "c-1",
        "object": "chat.completion",
        "model": "tiny",
        "choices": [
            {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": content}}
        ],
        "usage": {"prompt_tokens": 60, "completion_tokens": 20, "total_tokens": 80},
    }
    return answer | fields

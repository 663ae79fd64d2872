"""A stand-in for every tool's model service, on loopback. It keeps each request that it was sent.

The first part of a path names the tool that was pointed at it (`/codex/v1/responses`), so that one server serves
all. `mode` may be changed between runs: `ok`, `empty`, `401`, `429`, `hang`.
"""

import contextlib
import json
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, cast
from urllib.parse import urlsplit

from tests.real_clis.wire import REVIEW, answer, refusal

_HANG_SECONDS = 600.0
_BODY_LIMIT = 64 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Asked:
    """One request: its method, target, headers (as one text) and body."""

    method: str
    target: str
    headers: str
    body: bytes

    @property
    def tool(self) -> str:
        return self.target.split("/", 2)[1] if self.target.startswith("/") else ""


@dataclass(slots=True)
class ModelServer:
    """A running server."""

    port: int
    mode: str = "ok"
    script: Callable[[str, dict[str, Any]], tuple[str, str]] | None = (
        None  # answers instead, where there is one
    )
    asked: list[Asked] = field(default_factory=list)
    released: threading.Event = field(default_factory=threading.Event)

    def url(self, tool: str) -> str:
        """Where `tool` is pointed."""
        return f"http://127.0.0.1:{self.port}/{tool}"

    def of(self, tool: str) -> list[Asked]:
        """The requests to a model that `tool` made."""
        return [one for one in self.asked if one.tool == tool and one.method == "POST"]


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    state: ModelServer

    def handle_error(self, request: object, client_address: object) -> None:
        """A tool that was killed, or that speaks TLS to us, is no event: what it asked before is kept."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, format: str, *args: object) -> None:
        """Nothing: the table is all that is printed."""

    def do_GET(self) -> None:
        self._serve(b"")

    def do_HEAD(self) -> None:
        self._serve(b"")

    def do_CONNECT(self) -> None:
        self._serve(b"")

    def do_POST(self) -> None:
        self._serve(self._body())

    def _body(self) -> bytes:
        if "chunked" in self.headers.get("Transfer-Encoding", ""):
            return b"".join(self._chunks())
        return self.rfile.read(min(int(self.headers.get("Content-Length") or 0), _BODY_LIMIT))

    def _chunks(self) -> Iterator[bytes]:
        while size := int(self.rfile.readline().split(b";")[0] or b"0", 16):
            yield self.rfile.read(size)
            self.rfile.readline()
        self.rfile.readline()

    def _serve(self, body: bytes) -> None:
        state = cast(_Server, self.server).state
        state.asked.append(Asked(self.command, self.path, str(self.headers), body))
        path, mode = urlsplit(self.path).path, state.mode
        if self.command == "POST" and mode == "hang":
            state.released.wait(_HANG_SECONDS)
            self.close_connection = True
            return
        if self.command == "POST" and mode in {"401", "429"}:
            self._send(int(mode), "application/json", refusal(path, int(mode)))
            return
        if self.command == "POST" and state.script is not None:
            self._send(200, *state.script(path, _object(body)))
            return
        kind, text = answer(path, _object(body), "" if mode == "empty" else REVIEW)
        self._send(200, kind, text)

    def _send(self, status: int, kind: str, text: str) -> None:
        content = b"" if self.command == "HEAD" else text.encode()
        with contextlib.suppress(OSError):
            self.send_response(status)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(content)))
            if status == 429:
                self.send_header("Retry-After", "2")
            self.end_headers()
            self.wfile.write(content)


def _object(body: bytes) -> dict[str, Any]:
    try:
        value = json.loads(body)
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {}


@contextlib.contextmanager
def model_server() -> Iterator[ModelServer]:
    """A server that lives as long as the block."""
    server = _Server(("127.0.0.1", 0), _Handler)
    server.state = ModelServer(port=server.server_address[1])
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield server.state
    finally:
        server.state.released.set()
        server.shutdown()
        server.server_close()

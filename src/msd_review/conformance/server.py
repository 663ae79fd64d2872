"""The server that plays an OpenAI-compatible model: on loopback, on a port of its own, in a thread of the kit.

It answers as it is told, misbehaves as servers do, and keeps every request that reached it.
"""

import contextlib
import json
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

MODEL = "conformance-model"
EMBEDDING = "conformance-embedding"
ELSEWHERE = "/conformance/elsewhere"
_MAX_BODY = 64 * 1024 * 1024
_HANG_S = 120.0
_FLOOD = b"x" * 65536


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """One request as it arrived; header names in lower case."""

    method: str
    path: str
    headers: dict[str, str]
    body: bytes

    @property
    def document(self) -> dict[str, Any]:
        """The body as a JSON object, {} where it is none."""
        try:
            value = json.loads(self.body)
        except ValueError:
            return {}
        return value if isinstance(value, dict) else {}


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """What is played to a request for a completion.

    `mode`: "answer" sends `status` and `body`; "drop" closes in the middle of the answer, "hang" sends nothing,
    "redirect" points elsewhere on this server, "flood" does not stop sending.
    """

    mode: str = "answer"
    status: int = 200
    body: Any = None


@dataclass(slots=True)
class Server:
    """A running stand-in. `part` is what the next requests meet; `requests` are those that came."""

    port: int = 0
    part: Part = field(default_factory=Part)
    requests: list[Request] = field(default_factory=list)
    closing: threading.Event = field(default_factory=threading.Event)

    @property
    def base(self) -> str:
        """Its base URL."""
        return f"http://127.0.0.1:{self.port}"

    def play(self, part: Part) -> None:
        """Begins another part, and forgets what came before."""
        self.part = part
        self.requests.clear()

    def completions(self) -> list[Request]:
        """The requests that carried a prompt."""
        return [request for request in self.requests if request.method == "POST"]


def completion(text: str | None, *, model: str = MODEL) -> dict[str, Any]:
    """A completion as servers send it; None for one without choices."""
    choice = {"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": "stop"}
    return {
        "id": "conformance",
        "object": "chat.completion",
        "model": model,
        "choices": [] if text is None else [choice],
        "usage": {"prompt_tokens": 1234, "completion_tokens": 56, "total_tokens": 1290},
    }


@contextlib.contextmanager
def running_server() -> Iterator[Server]:
    """A stand-in on a free port of 127.0.0.1, gone when the block ends."""
    server = Server()
    httpd = _Quiet(("127.0.0.1", 0), _handler(server))
    server.port = int(httpd.server_address[1])
    thread = threading.Thread(target=httpd.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.closing.set()
        httpd.shutdown()
        httpd.server_close()


class _Quiet(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that goes away is what the kit provokes: nothing to tell."""


def _handler(server: Server) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        timeout = 30

        def do_GET(self) -> None:
            self._keep(b"")
            models = {"object": "list", "data": [{"id": EMBEDDING, "type": "embeddings"}, {"id": MODEL}]}
            self._send(200, json.dumps(models).encode())

        def do_POST(self) -> None:
            length = min(int(self.headers.get("content-length") or 0), _MAX_BODY)
            self._keep(self.rfile.read(length))
            _PLAYS[server.part.mode](self, server)

        def _keep(self, body: bytes) -> None:
            headers = {name.lower(): value for name, value in self.headers.items()}
            server.requests.append(Request(method=self.command, path=self.path, headers=headers, body=body))

        def _send(self, status: int, body: bytes, *, length: int | None = None) -> None:
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body) if length is None else length))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: Any) -> None:
            """Says nothing."""

    return Handler


def _answer(handler: Any, server: Server) -> None:
    handler._send(server.part.status, json.dumps(server.part.body, ensure_ascii=False).encode())


def _drop(handler: Any, server: Server) -> None:
    whole = json.dumps(server.part.body).encode()
    handler._send(200, whole[: len(whole) // 2], length=len(whole))


def _hang(handler: Any, server: Server) -> None:
    server.closing.wait(_HANG_S)


def _redirect(handler: Any, server: Server) -> None:
    handler.send_response(307)
    handler.send_header("Location", f"http://localhost:{server.port}{ELSEWHERE}")
    handler.send_header("Content-Length", "0")
    handler.end_headers()


def _flood(handler: Any, server: Server) -> None:
    handler.send_response(200)
    handler.send_header("Content-Type", "application/json")
    handler.end_headers()
    handler.wfile.write(b'{"choices":[{"message":{"role":"assistant","content":"')
    for _ in range(1024):
        if server.closing.is_set():
            return
        handler.wfile.write(_FLOOD)


_PLAYS = {"answer": _answer, "drop": _drop, "hang": _hang, "redirect": _redirect, "flood": _flood}

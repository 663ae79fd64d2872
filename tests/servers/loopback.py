"""A real HTTPS server on loopback, with a certificate of a test authority: files, npm metadata and git over HTTP."""

import contextlib
import os
import ssl
import subprocess
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import urlsplit

import trustme

GIT_BACKEND = "/usr/lib/git-core/git-http-backend"


@dataclass(slots=True)
class Answer:
    """What the server says to one request."""

    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    body: bytes = b""


Route = Callable[[BaseHTTPRequestHandler, bytes], Answer]


@dataclass(slots=True)
class Server:
    """A running server: its port, the authority's certificate file, and the requests it saw."""

    port: int
    authority: Path
    routes: dict[str, Route]
    seen: list[str] = field(default_factory=list)

    def url(self, path: str, host: str = "localhost") -> str:
        return f"https://{host}:{self.port}{path}"

    def serve(self, path: str, body: bytes, *, status: int = 200, **headers: str) -> str:
        """Answers `path` with `body` and returns its address."""
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        self.routes[path] = lambda _handler, _body: Answer(status=status, headers=named, body=body)
        return self.url(path)

    def serve_git(self, root: Path, *, old: bool = False) -> None:
        """Answers every path under /git/ from the repositories in `root`, by git's own backend.

        An `old` one speaks the first protocol alone, in which only advertised commits can be asked for.
        """
        self.routes["/git/"] = lambda handler, body: _git(root, handler, body, old=old)


@cache
def authority() -> trustme.CA:
    return trustme.CA()


@contextlib.contextmanager
def https_server(folder: Path) -> Iterator[Server]:
    """A server on a free port of 127.0.0.1; `folder` gets the authority's certificate."""
    certificate = folder / "authority.pem"
    authority().cert_pem.write_to_path(certificate)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority().issue_cert("localhost", "127.0.0.1", "elsewhere.localhost").configure_cert(context)
    server = Server(port=0, authority=certificate, routes={})
    httpd = ThreadingHTTPServer(("127.0.0.1", 0), _handler(server))
    httpd.daemon_threads = True
    httpd.socket = context.wrap_socket(httpd.socket, server_side=True, do_handshake_on_connect=False)
    server.port = httpd.server_address[1]
    thread = threading.Thread(target=httpd.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        httpd.shutdown()
        httpd.server_close()
        thread.join(5)


def _handler(server: Server) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            self._answer()

        do_POST = do_GET

        def _answer(self) -> None:
            server.seen.append(self.path)
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            answer = _route(server, self)(self, body)
            self.send_response(answer.status)
            headers = {"Content-Length": str(len(answer.body)), **answer.headers}
            for name, value in headers.items():
                self.send_header(name, value)
            self.end_headers()
            with contextlib.suppress(OSError):
                self.wfile.write(answer.body)

        def log_message(self, format: str, *arguments: object) -> None:
            pass

    return Handler


def _route(server: Server, handler: BaseHTTPRequestHandler) -> Route:
    path = urlsplit(handler.path).path
    if path in server.routes:
        return server.routes[path]
    prefixes = [prefix for prefix in server.routes if prefix.endswith("/") and path.startswith(prefix)]
    return server.routes[prefixes[0]] if prefixes else (lambda _handler, _body: Answer(status=404))


def _git(root: Path, handler: BaseHTTPRequestHandler, body: bytes, *, old: bool) -> Answer:
    parts = urlsplit(handler.path)
    environment = {
        "PATH": os.environ["PATH"],
        "GIT_PROJECT_ROOT": str(root),
        "GIT_HTTP_EXPORT_ALL": "1",
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_CONFIG_COUNT": "1",
        "GIT_CONFIG_KEY_0": "safe.directory",
        "GIT_CONFIG_VALUE_0": "*",
        "PATH_INFO": parts.path.removeprefix("/git"),
        "QUERY_STRING": parts.query,
        "REQUEST_METHOD": handler.command,
        "CONTENT_TYPE": handler.headers.get("Content-Type", ""),
        "CONTENT_LENGTH": str(len(body)),
        "HTTP_CONTENT_ENCODING": handler.headers.get("Content-Encoding", ""),
        "GIT_PROTOCOL": "" if old else handler.headers.get("Git-Protocol", ""),
        "REMOTE_ADDR": "127.0.0.1",
    }
    done = subprocess.run(
        [GIT_BACKEND], input=body, env=environment, capture_output=True, timeout=60, check=False
    )
    head, _, content = done.stdout.partition(b"\r\n\r\n")
    headers = dict(line.split(": ", 1) for line in head.decode().split("\r\n") if ": " in line)
    status = int(headers.pop("Status", "200").split()[0])
    return Answer(status=status, headers=headers, body=content)

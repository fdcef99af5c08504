"""Serves files by formula, for the virtual chunks of `repositories.py`: the JavaScript tests serve the same ones (`served.mjs`)."""

import re
from contextlib import contextmanager
from datetime import UTC, datetime
from email.utils import format_datetime, parsedate_to_datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from urllib.parse import unquote, urlsplit

PORT = 28917
SIZE = 10_000
TAG = "the-tag"
MODIFIED = datetime(2025, 1, 1, tzinfo=UTC)


def byte_at(path, at):
    """The byte of a file, of its decoded path."""
    return (at * 31 + sum(path.encode()) * 7) % 251


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def refuse(self, status):
        self.send_response(status)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def do_GET(self):
        path = unquote(urlsplit(self.path).path)
        if "/absent/" in path:
            return self.refuse(404)
        wanted, until = self.headers.get("If-Match", TAG), self.headers.get("If-Unmodified-Since")
        if wanted.strip('"') != TAG or (until and parsedate_to_datetime(until) < MODIFIED):
            return self.refuse(412)
        body = bytes(byte_at(path, at) for at in range(SIZE))
        asked = re.fullmatch(r"bytes=(\d+)-(\d+)", self.headers.get("Range", ""))
        first, last = (int(each) for each in asked.groups()) if asked else (0, SIZE - 1)
        self.send_response(206 if asked else 200)
        if asked:
            self.send_header("Content-Range", f"bytes {first}-{last}/{SIZE}")
        self.send_header("Content-Length", str(last + 1 - first))
        self.send_header("ETag", f'"{TAG}"')
        self.send_header("Last-Modified", format_datetime(MODIFIED, usegmt=True))
        self.end_headers()
        if self.command == "GET":
            self.wfile.write(body[first : last + 1])

    do_HEAD = do_GET


@contextmanager
def serve():
    server = ThreadingHTTPServer(("127.0.0.1", PORT), Handler)
    Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield
    finally:
        server.shutdown()

"""A plain HTTP/1.1 client that also says how many bytes an answer took on the wire."""

import dataclasses
import json
import socket

from operations import ID, WrongAnswer


@dataclasses.dataclass
class Answer:
    status: int
    headers: dict  # names in lower case
    body: bytes
    wire_bytes: int

    def message(self):
        """The JSON-RPC message of the body, which may be an event stream of one event."""
        text = self.body.decode()
        if self.headers.get("content-type", "").startswith("text/event-stream"):
            events = [line[5:].strip() for line in text.splitlines() if line.startswith("data:")]
            text = next((event for event in reversed(events) if event), "")
        try:
            return json.loads(text)
        except ValueError as error:
            raise WrongAnswer(f"not JSON: {self.body[:300]!r}") from error


def post(port, operation, session=None, timeout=30.0, path="/mcp"):
    """Sends one request on a connection of its own. Raises OSError while nobody listens."""
    body = operation.body().replace(ID, "100000")
    lines = [f"POST {path} HTTP/1.1", f"Host: 127.0.0.1:{port}", f"Content-Length: {len(body)}"]
    lines += [f"{name}: {value}" for name, value in operation.headers(session).items()]
    request = "\r\n".join(lines) + "\r\n\r\n" + body
    with socket.create_connection(("127.0.0.1", port), timeout) as peer:
        peer.sendall(request.encode())
        return _read_answer(peer)


def _read_answer(peer):
    stream = peer.makefile("rb")
    status_line = stream.readline()
    if not status_line:
        raise ConnectionResetError("closed without an answer")
    headers, wire_bytes = {}, len(status_line)
    while True:
        line = stream.readline()
        wire_bytes += len(line)
        if line in (b"\r\n", b""):
            break
        name, _, value = line.decode().partition(":")
        headers[name.lower()] = value.strip()
    if headers.get("transfer-encoding", "") == "chunked":
        body, read = _read_chunks(stream)
    else:
        body = stream.read(int(headers.get("content-length", "0")))
        read = len(body)
    return Answer(int(status_line.split()[1]), headers, body, wire_bytes + read)


def _read_chunks(stream):
    body, read = b"", 0
    while True:
        line = stream.readline()
        size = int(line.split(b";")[0], 16)
        chunk = stream.read(size + 2)
        read += len(line) + len(chunk)
        if size == 0:
            return body, read
        body += chunk[:-2]

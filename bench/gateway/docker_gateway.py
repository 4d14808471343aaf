"""Docker's gateway in front of one server that it reaches over HTTP, without a Docker.

    docker_gateway.py PROGRAM PORT URL

It asks a Docker daemon whether it lives before it does anything, and starts no container for a
server elsewhere: a stand-in that says yes is all that it needs. Its guard against secrets and its
log of calls are off. It listens on every address, so it is started only where there is no other
than 127.0.0.1. BENCH_TOKEN is what callers must bring.
"""

import http.server
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import threading

CATALOG = """\
registry:
  up:
    type: remote
    title: up
    description: The server behind the gateways.
    remote:
      url: {url}
      transport_type: http
"""


class Daemon(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        body = b"OK" if self.path.endswith("/_ping") else b"{}"
        self.send_response(200)
        self.send_header("Api-Version", "1.47")
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    do_HEAD = do_GET

    def log_message(self, *_):
        pass


def started_daemon():
    daemon = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Daemon)
    threading.Thread(target=daemon.serve_forever, daemon=True).start()
    return f"tcp://127.0.0.1:{daemon.server_address[1]}"


def main():
    program, port, url = sys.argv[1:]
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "catalog.yaml").write_text(CATALOG.format(url=url))
        (folder / "none.yaml").write_text("{}\n")
        (folder / "secrets.env").write_text("")
        command = [program, "gateway", "run", "--transport", "streaming", "--port", port,
                   "--catalog", folder / "catalog.yaml", "--config", folder / "none.yaml",
                   "--tools-config", folder / "none.yaml", "--secrets", folder / "secrets.env",
                   "--block-secrets=false", "--log-calls=false", "--servers", "up"]
        environment = {**os.environ, "HOME": name, "DOCKER_HOST": started_daemon(),
                       "MCP_GATEWAY_AUTH_TOKEN": os.environ["BENCH_TOKEN"]}
        gateway = subprocess.Popen(command, env=environment)
        signal.signal(signal.SIGTERM, lambda *_: gateway.terminate())
        sys.exit(gateway.wait())


main()

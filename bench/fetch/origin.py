"""The web server that everybody fetches from: nginx on loopback with pages of known sizes."""

import pathlib
import shutil
import socket
import time

import processes

SMALL, LARGE = 1024, 100_000
HUGE = 100 * 1024 * 1024
# Ends every page: an answer that has it was not cut.
END = "the gate is closed again behind the last of them"

_HEAD = """<!doctype html><html lang="en"><head><meta charset="utf-8"><title>The sally port</title>
</head><body><nav><a href="/">Home</a> <a href="/about">About</a></nav><main><article>
<h1>The sally port</h1>
"""
_TAIL = f"<p>And so {END}.</p>\n</article></main><footer>Printed here.</footer></body></html>\n"


def page(size):
    """An article of headings, paragraphs, links and lists with exactly `size` bytes."""
    parts, length, number = [_HEAD], len(_HEAD) + len(_TAIL), 0
    while True:
        number += 1
        section = (
            f"<h2>Watch {number}</h2>\n<p>A <em>small</em> door in the wall, hidden from those "
            f'outside, by which <a href="/watch/{number}">watch {number}</a> leaves the fort &amp; '
            "comes back without opening the main gate.</p>\n<ul><li>It opens inwards.</li>"
            f"<li>Its key hangs on hook <code>{number}</code>.</li></ul>\n"
        )
        if length + len(section) + 20 > size:
            break
        parts.append(section)
        length += len(section)
    filler = "<p>" + "and on. " * ((size - length) // 8 + 1)
    parts.append(filler[: size - length - 4] + "</p>")
    return "".join(parts) + _TAIL


class Origin:
    """Listens on 127.0.0.1 and, for the server that refuses only that one, on 127.0.0.2."""

    def __init__(self, scratch, core):
        self.port = processes.free_port()
        folder = pathlib.Path(scratch) / "origin"
        pathlib.Path(scratch).chmod(0o711)  # started by root, nginx reads as somebody else
        (folder / "pages").mkdir(parents=True)
        for size in (SMALL, LARGE):
            text = page(size)
            assert len(text) == size
            (folder / "pages" / f"{size}.html").write_text(text)
        with (folder / "pages/huge.txt").open("wb") as file:
            file.write(b"The wall goes on. " * (HUGE // 18))
        (folder / "pages/robots.txt").write_text("User-agent: *\nDisallow: /private\n")
        (folder / "nginx.conf").write_text(_CONF.format(port=self.port))
        program = shutil.which("nginx") or "/usr/sbin/nginx"
        command = [program, "-p", str(folder), "-c", "nginx.conf", "-e", "stderr"]
        self.server = processes.Server(command, {core}, folder / "log")
        self._wait()

    def _wait(self):
        for _ in range(2000):
            try:
                socket.create_connection(("127.0.0.1", self.port), 1).close()
                return
            except OSError:
                self.server.require_alive()
                time.sleep(0.001)
        raise SystemExit("nginx did not start.")

    def url(self, path, host="127.0.0.1"):
        return f"http://{host}:{self.port}/{path}"


_CONF = """\
daemon off;
worker_processes 1;
pid nginx.pid;
error_log stderr crit;
events {{ worker_connections 4096; }}
http {{
  access_log off;
  keepalive_timeout 600;
  keepalive_requests 1000000000;
  client_body_temp_path body;
  proxy_temp_path proxy;
  fastcgi_temp_path fastcgi;
  uwsgi_temp_path uwsgi;
  scgi_temp_path scgi;
  types {{ text/html html; text/plain txt; }}
  sendfile on;
  tcp_nopush on;
  open_file_cache max=100;
  server {{
    listen 127.0.0.1:{port};
    listen 127.0.0.2:{port};
    root pages;
    # Includes are looked for, so that nobody is told the length beforehand.
    location /stream/ {{ alias pages/; ssi on; ssi_types text/plain; }}
  }}
}}
"""

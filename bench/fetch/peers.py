"""Who is compared: how each fetch server is started and how it is asked for a page."""

import dataclasses
import json
import pathlib
import shutil

import operations as op
import origin as pages

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
OURS = ROOT / "build/release/sallyport"
# Larger than any page, so that nothing is cut.
WHOLE = 200_000


@dataclasses.dataclass(frozen=True)
class PageCall(op.Operation):
    """A tools/call that brings a page; `length` is what the answer has at least."""

    page: str = ""
    length: int = 0

    def check(self, answer):
        self.check_message(answer.message())

    def check_message(self, message):
        text = json.dumps(message)
        result = message.get("result") or {}
        if result.get("isError") or pages.END not in text or len(text) < self.length:
            raise op.WrongAnswer(f"{self.name}: {text[:400]}")


@dataclasses.dataclass
class Peer:
    name: str
    title: str
    command: object  # port -> list of arguments; stdio servers ignore the port
    calls: list
    stdio: bool = False
    typescript: bool = False
    most_at_a_time: int = 1000
    checks_answers: bool = True  # measure.Running asks

    @property
    def operations(self):
        return self.calls


def call(tool, arguments, page, era=op.MODERN, length=None):
    params = {"name": tool, "arguments": arguments}
    title = f"{tool} {page // 1000 or 1} KB"
    return PageCall(title, "tools/call", era, params, f"{page}", page if length is None else length)


def both_sizes(make):
    return [make(pages.SMALL), make(pages.LARGE)]


class Lineup:
    """All peers that are installed. `missing` names the others."""

    def __init__(self, origin, scratch, sdk_peers, fetch_peers, ours=OURS):
        self._origin, self._scratch, self._ours = origin, pathlib.Path(scratch), ours
        self._sdk, self._fetch = pathlib.Path(sdk_peers), pathlib.Path(fetch_peers)
        self.missing = []

    def all(self):
        wanted = [self.ours(), self.ours_stdio(), self._sdk1(), self._sdk2(), self._seed(),
                  self._npm_server(), self._official()]
        return [peer for peer in wanted if peer is not None]

    def _url(self, size, host="127.0.0.1"):
        return self._origin.url(f"{size}.html", host)

    def _our_options(self, audit):
        config = self._scratch / "sallyport.yaml"
        config.write_text(_OUR_SETTINGS.format(port=self._origin.port))
        return ["--config", str(config), "--audit-file", str(self._scratch / audit)]

    def our_fetch(self, size, era=op.MODERN, form="html"):
        arguments = {"url": self._url(size), "format": form, "max_length": WHOLE}
        return call("fetch", arguments, size, era, length=None if form == "html" else size // 2)

    def our_http_request(self, size):
        return call("http_request", {"url": f"/{size}.html", "cache": "no-store"}, size)

    def ours(self):
        def command(port):
            options = self._our_options(f"audit-{port}.db")
            return [str(self._ours), "serve", "--port", str(port), "--loops", "1", *options]

        calls = both_sizes(self.our_fetch) + both_sizes(self.our_http_request)
        return Peer("sallyport", "Sallyport", command, calls)

    def ours_stdio(self):
        def command(port):
            return [str(self._ours), "stdio", *self._our_options(f"audit-{port}.db")]

        calls = both_sizes(lambda size: self.our_fetch(size, op.LEGACY))
        return Peer("sallyport-stdio", "Sallyport, stdio", command, calls, stdio=True)

    def _node(self, program):
        # Node looks for packages beside the program: it is copied to where these are.
        folder = self._sdk / "bench-fetch"
        folder.mkdir(exist_ok=True)
        shutil.copy(pathlib.Path(__file__).parent / program, folder / program)
        return lambda port: [str(self._sdk / "node"), str(folder / program), str(port)]

    def _sdk1(self):
        calls = both_sizes(lambda size: call("fetch", {"url": self._url(size)}, size, op.LEGACY))
        return Peer("sdk1", "TypeScript SDK 1, express", self._node("sdk1_fetch.mjs"), calls,
                    typescript=True)

    def _sdk2(self):
        calls = both_sizes(lambda size: call("fetch", {"url": self._url(size)}, size))
        return Peer("sdk2", "TypeScript SDK 2", self._node("sdk2_fetch.mjs"), calls,
                    typescript=True)

    def _installed(self, path, title):
        found = self._fetch / path
        if found.exists():
            return str(found)
        self.missing.append(title)
        return None

    def _installed_python(self, package):
        found = self._installed(f"{package}/.installed", package)
        return found and str(self._fetch / package / "bin/python")

    def _seed(self):
        title = "mcp-fetch-streamablehttp-server"
        python = self._installed_python(title)
        if python is None:
            return None
        settings = ["MCP_PROTOCOL_VERSION=" + op.LEGACY, "MCP_SERVER_NAME=bench",
                    "MCP_SERVER_VERSION=1", "HOST=127.0.0.1"]

        def command(port):
            return ["env", *settings, f"PORT={port}", python, "-m",
                    title.replace("-", "_")]

        # Its guard refuses 127.0.0.1 and does not know 127.0.0.2.
        calls = both_sizes(lambda size: call(
            "fetch", {"url": self._url(size, "127.0.0.2"), "max_length": WHOLE}, size, op.LEGACY))
        return Peer("seed", title + " (Python)", command, calls, most_at_a_time=_FEW)

    def _npm_server(self):
        title = "mcp-fetch-server"
        program = self._installed(f"npm/node_modules/{title}/dist/index.js", title)
        if program is None:
            return None
        calls = both_sizes(lambda size: self.npm_call("fetch_html", size))
        return Peer("npm", title + " (npm), stdio",
                    lambda _port: [str(self._sdk / "node"), program], calls, stdio=True)

    def npm_call(self, tool, size):
        # Its guard refuses 127.0.0.1 and does not know this spelling of it.
        url = self._url(size, "[::ffff:127.0.0.1]")
        length = size if tool == "fetch_html" else size // 2
        return call(tool, {"url": url, "max_length": WHOLE}, size, op.LEGACY, length)

    def _official(self):
        title = "mcp-server-fetch"
        python = self._installed_python(title)
        if python is None:
            return None
        # `raw`: its Markdown starts a Node per page and takes seconds. robots.txt is its default.
        calls = both_sizes(lambda size: call(
            "fetch", {"url": self._url(size), "raw": True, "max_length": WHOLE}, size, op.LEGACY))
        return Peer("official", title + " (Python), stdio",
                    lambda _port: [python, "-m", title.replace("-", "_"), "--allow-private-ips"],
                    calls, stdio=True, most_at_a_time=_FEW)


# Of servers that take hundredths of a second for a page: more only wait longer.
_FEW = 32

# Everything is on as by default: guard, robots.txt, policy, limits of size and time, the audit log.
# Only the numbers of calls at a time are raised: all of ours go to one host for one caller.
_OUR_SETTINGS = """\
egress:
  open: ["127.0.0.1"]
  ports: ["{port}"]
  connections_per_host: 256
  concurrent: 0
  concurrent_per_principal: 0
  concurrent_per_host: 0
limits:
  requests_in_flight: 1024
log:
  level: warn
backends:
  - name: origin
    base_url: http://127.0.0.1:{port}
"""

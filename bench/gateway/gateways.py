"""Who is compared: how each gateway is started, what stands behind it, what its tool is called."""

import dataclasses
import json
import os
import pathlib
import sys

import candidates
import contextforge
import operations as op

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
OURS = ROOT / "build/release/sallyport"
UPSTREAM = ROOT / "build/release/bench_server"
BOTH_ERAS = (op.MODERN, op.LEGACY)
HTTP, STDIO, NONE = "HTTP", "stdio", "–"


@dataclasses.dataclass(frozen=True)
class Adapted(op.Operation):
    """The same request for a gateway that wants a token, or knows an older revision only."""

    token: str = ""
    version: str = op.LEGACY

    def headers(self, session=None):
        headers = super().headers(session)
        if self.era == op.LEGACY and self.method != "initialize":
            headers["MCP-Protocol-Version"] = self.version
        return {**headers, "Authorization": f"Bearer {self.token}"} if self.token else headers

    def check(self, answer):
        if self.method != "initialize":
            super().check(answer)
        elif answer.message().get("result", {}).get("protocolVersion") != self.version:
            raise op.WrongAnswer(f"{self.name}: {answer.body[:300]!r}")


@dataclasses.dataclass
class Gateway:
    name: str
    title: str
    behind: str  # how it reaches the server behind it
    command: object  # port -> list of arguments
    tool: str = "echo"
    eras: tuple = BOTH_ERAS
    prepare: object = None  # called with the port once it listens
    most_connections: int = 1000
    token: str = ""  # what its callers bring
    path: str = "/mcp"
    version: str = op.LEGACY  # what it speaks in the legacy era
    checks_answers: bool = True  # measure.Running asks

    @property
    def operations(self):
        return [self.asking(dataclasses.replace(each, params={**each.params, "name": self.tool}))
                for each in (op.MODERN_CALL, op.LEGACY_CALL) if each.era in self.eras]

    def asking(self, operation):
        return Adapted(operation.name, operation.method, operation.era, operation.params,
                       token=self.token, version=self.version)

    @property
    def ours(self):
        return self.name.startswith("sallyport")


class Lineup:
    """All gateways that are installed. `missing` names the others, each with the reason."""

    def __init__(self, upstream_port, scratch, node_peers, gateways, ours=OURS):
        self._upstream = f"http://127.0.0.1:{upstream_port}/mcp"
        self._scratch, self._ours = pathlib.Path(scratch), ours
        self._node = [str(pathlib.Path(node_peers) / "node"), "-r", str(ROOT / "tests/peers/loopback.cjs")]
        self._folder = pathlib.Path(gateways)
        self.missing = [line for line in self._read("missing").splitlines() if line] + NOT_TRIED

    def all(self):
        wanted = [self._nginx(), self.ours(HTTP), self.ours(STDIO), self._npm_proxy(), self._supergateway(),
                  self._python_proxy(), self._fastmcp(), self._contextforge(), self._docker(),
                  self._rust_proxy(HTTP), self._rust_proxy(STDIO)]
        return [gateway for gateway in wanted if gateway is not None]

    def _read(self, name):
        file = self._folder / name
        return file.read_text() if file.exists() else ""

    def ours(self, behind):
        server = (f"url: {self._upstream}\n    private_network: true" if behind == HTTP else
                  f"command: {UPSTREAM}\n    args: [--stdio]")
        config = self._scratch / f"sallyport-{behind}.yaml"
        config.write_text(OUR_SETTINGS + f"mcp_servers:\n  - name: up\n    {server}\n")

        def command(port):
            state = self._scratch / f"state-{port}"
            state.mkdir()
            return ["env", f"XDG_STATE_HOME={state}", str(self._ours), "serve", "--port", str(port),
                    "--config", str(config)]

        return Gateway(f"sallyport-{behind}".lower(), "Sallyport", behind, command, "mcp_up_echo")

    def _nginx(self):
        """No gateway: it hands on bytes and knows nothing of MCP. What a second hop costs here."""
        host = self._upstream.split("/")[2]
        behind = f"upstream behind {{ server {host}; keepalive 256; keepalive_requests 1000000000; }}"
        hands_on = ("proxy_pass http://behind; proxy_http_version 1.1; "
                    f"proxy_set_header Connection ''; proxy_set_header Host {host};")
        return Gateway("nginx", "nginx, proxy_pass", HTTP,
                       candidates.nginx_command(self._scratch, 2, hands_on, behind))

    def _npm(self, package):
        file = self._folder / "npm/node_modules" / package / "package.json"
        if not file.exists():
            return None
        programs = json.loads(file.read_text())["bin"]
        program = programs if isinstance(programs, str) else programs[package]
        return [*self._node, str(file.parent / program)]

    def _npm_proxy(self):
        program = self._npm("mcp-proxy")
        # Without what it keeps for resumption, as its help recommends for requests and answers.
        options = ["--server", "stream", "--no-eventStore", "--host", "127.0.0.1", "--port"]
        return program and Gateway(
            "npm-mcp-proxy", "mcp-proxy (npm)", STDIO,
            lambda port: [*program, *options, str(port), "--", str(UPSTREAM), "--stdio"])

    def _supergateway(self):
        program = self._npm("supergateway")
        # Sessions: without them it starts a program for every request.
        options = ["--outputTransport", "streamableHttp", "--stateful", "--logLevel", "none", "--port"]
        return program and Gateway(
            "supergateway", "supergateway (npm)", STDIO,
            lambda port: [*program, "--stdio", f"{UPSTREAM} --stdio", *options, str(port)])

    def _python(self, package, program=None):
        installed = self._folder / package / ".installed"
        return str(installed.parent / "bin" / (program or package)) if installed.exists() else None

    def _python_proxy(self):
        program = self._python("mcp-proxy")
        options = ["--host", "127.0.0.1", "--log-level", "ERROR", "--port"]
        return program and Gateway(
            "python-mcp-proxy", "mcp-proxy (PyPI)", STDIO,
            lambda port: [program, *options, str(port), "--", str(UPSTREAM), "--stdio"],
            eras=(op.LEGACY,), most_connections=FEW)

    def _fastmcp(self):
        program = self._python("fastmcp")
        return program and Gateway(
            "fastmcp", "FastMCP proxy (PyPI)", HTTP,
            lambda port: fastmcp_command(program, self._upstream, port, self._scratch),
            most_connections=FEW)

    def _contextforge(self):
        program = self._python("mcp-contextforge-gateway", "python")
        return program and Gateway(
            "contextforge", "ContextForge (PyPI)", HTTP,
            lambda port: contextforge.command(program, port, self._scratch),
            tool="up-echo", eras=(op.LEGACY,), most_connections=FEW,
            prepare=lambda port: contextforge.register(program, port, self._upstream))

    def _docker(self):
        program = self._folder / "docker-mcp"
        if not program.exists():
            return None
        if not os.environ.get("BENCH_ALONE"):
            self.missing.append("Docker's mcp-gateway: it listens on every address, and there is no "
                                "network namespace to keep it in")
            return None
        token = "bench"
        start = ["env", f"BENCH_TOKEN={token}", sys.executable, "-B", str(HERE / "docker_gateway.py")]
        return Gateway("docker", "Docker's mcp-gateway (Go)", HTTP,
                       lambda port: [*start, str(program), str(port), self._upstream],
                       eras=(op.LEGACY,), token=token, version="2025-06-18")

    def _rust_proxy(self, behind):
        program = self._folder / "cargo/bin/mcp-proxy"
        server = (f'transport = "http"\nurl = "{self._upstream}"' if behind == HTTP else
                  f'transport = "stdio"\ncommand = "{UPSTREAM}"\nargs = ["--stdio"]')

        def command(port):
            config = self._scratch / f"rust-{port}.toml"
            config.write_text(RUST_SETTINGS.format(port=port) + server + "\n")
            return [str(program), "--config", str(config)]

        return Gateway(f"rust-mcp-proxy-{behind}".lower(), "mcp-proxy (Rust)", behind, command,
                       tool="up_echo", path="/", eras=(op.LEGACY,)) if program.exists() else None


def fastmcp_command(program, source, port, scratch):
    """`source`: the address of a server, or a file that lists several."""
    return ["env", f"HOME={scratch}", program, "run", str(source), "--transport", "http", "--host",
            "127.0.0.1", "--port", str(port), "--no-banner", "--log-level", "ERROR"]


# Of gateways that take milliseconds for a call: more connections only wait longer.
FEW = 32

# Everything is on as by default: policy, limits, approval of tools, the signed audit log. Only the
# numbers of calls at a time are raised: all of them are of one caller.
OUR_SETTINGS = """\
egress:
  connections_per_host: 256
  concurrent: 0
  concurrent_per_principal: 0
  concurrent_per_host: 0
limits:
  requests_in_flight: 1024
log:
  level: warn
"""

RUST_SETTINGS = """\
[proxy]
name = "bench"
separator = "_"
[proxy.listen]
host = "127.0.0.1"
port = {port}
[[backends]]
name = "up"
"""

NOT_TRIED = [
    "agentgateway: neither a crate nor a package of npm, and not to be had as a Go module",
    "mcp-hub (npm): offers HTTP+SSE only, which the load program does not speak",
]

"""A catalogue of ten thousand tools of a hundred servers: memory, time to list, time to start."""

import contextlib
import dataclasses
import json
import pathlib
import re
import statistics
import subprocess
import time

import gateways as who
import measure
import operations as op
import processes
from http_client import post

QUERY = {"query": op.TEXT}
THEIRS = re.compile(r"s\d+_[a-z]+_[a-z]+_\d+$")  # however a gateway puts server and tool together


@dataclasses.dataclass
class Catalogue:
    title: str
    servers: int
    tools: int
    listed_after_ms: float
    resident_mb: float
    kb_per_tool: float
    list_ms: float
    pages: int
    list_mb: float
    call_p50_us: float


class Incomplete(Exception):
    pass


@contextlib.contextmanager
def servers_behind(node, servers, tools, settings):
    port = processes.free_port()
    command = [str(node), str(who.HERE / "many_servers.mjs"), str(port), str(servers), str(tools)]
    log = pathlib.Path(settings.scratch) / "many_servers.log"
    server = processes.Server(command, settings.server_cores, log)
    processes.wait_for(lambda: post(port, op.INITIALIZE), server)
    try:
        yield port
    finally:
        server.stop()


def list_all(port, operation=op.MODERN_LIST, session=None):
    """Every page: the names, the number of pages and of bytes."""
    names, pages, size, params = [], 0, 0, {}
    while True:
        answer = post(port, dataclasses.replace(operation, params=params), session, timeout=120)
        result = answer.message().get("result")
        if result is None:
            raise op.WrongAnswer(f"tools/list: {answer.body[:300]!r}")
        names += [tool["name"] for tool in result["tools"]]
        pages, size = pages + 1, size + answer.wire_bytes
        if not result.get("nextCursor"):
            return names, pages, size
        params = {"cursor": result["nextCursor"]}


def _our_settings(path, port, servers):
    entries = [f"  - {{name: s{i}, url: 'http://127.0.0.1:{port}/s{i}/mcp', private_network: true}}"
               for i in range(servers)]
    settings = [who.OUR_SETTINGS + "gateway: {search: off}", "mcp_servers:", *entries, ""]
    path.write_text("\n".join(settings))


def _start(command, settings, name):
    log = pathlib.Path(settings.scratch) / f"{name}.log"
    return processes.Server(command, settings.server_cores, log)


def _until_all_are_listed(server, port, wanted, seconds):
    """A listing counts that has them all, and its own time with it."""
    names = []
    while True:
        with contextlib.suppress(OSError, op.WrongAnswer):
            names, pages, size = list_all(port)
            theirs = {name for name in names if THEIRS.search(name)}
            if len(theirs) == wanted:
                return (time.perf_counter() - server.started) * 1000, names, pages, size
        server.require_alive()
        if time.perf_counter() - server.started > seconds:
            raise Incomplete(f"after {seconds} s {len(names)} of {wanted} tools were listed")
        time.sleep(0.01)


def _median_listing_ms(port, times):
    taken = []
    for _ in range(times):
        begun = time.perf_counter()
        list_all(port)
        taken.append((time.perf_counter() - begun) * 1000)
    return statistics.median(taken)


def measure_catalogue(title, command, port, servers, tools, settings, times=10, seconds=60):
    """`command` starts a gateway on `port`. The first answer with all tools ends its start."""
    server = _start(command, settings, f"many-{port}")
    try:
        after, names, pages, size = _until_all_are_listed(server, port, servers * tools, seconds)
        resident = server.resident_mb()
        list_ms = _median_listing_ms(port, times)
        call_us = _call_p50_us(port, names, settings)
        return Catalogue(title, servers, servers * tools, after, resident,
                         resident * 1024 / (servers * tools), list_ms, pages, size / 1e6, call_us)
    finally:
        server.stop()


def _call_p50_us(port, names, settings):
    """One connection, a tool in the middle of the catalogue."""
    theirs = [name for name in names if "search_" in name]
    call = {"name": theirs[len(theirs) // 2], "arguments": QUERY}
    operation = dataclasses.replace(op.MODERN_CALL, params=call)
    operation.check(post(port, operation))
    headers = [f"{name}: {value}" for name, value in operation.headers().items()]
    command = ["wrk", "-t", "1", "-c", "1", "-d", f"{settings.seconds}s", "-s", str(measure.SCRIPT),
               f"http://127.0.0.1:{port}/mcp", "--", operation.body(), *headers]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    line = done.stdout.rstrip().rpartition("\n")[2]
    return int(dict(pair.split("=") for pair in line.split()[1:])["p50"])


def results(options, settings, node, fastmcp, say):
    """Ours, then FastMCP where it is installed. What fails is said."""
    found, failures = [], []
    scratch = pathlib.Path(settings.scratch)
    with servers_behind(node, options.servers, options.tools, settings) as behind:
        for title, make in (("Sallyport", _ours), ("FastMCP proxy (PyPI)", _fastmcp)):
            if title != "Sallyport" and not fastmcp:
                continue
            say(f"{title}: {options.servers} servers with {options.tools} tools each")
            port = processes.free_port()
            command = make(scratch, behind, options, port, fastmcp)
            times = 10 if title == "Sallyport" else 2
            try:
                found.append(measure_catalogue(title, command, port, options.servers, options.tools,
                                               settings, times))
            except (Incomplete, op.WrongAnswer, OSError, SystemExit) as error:
                failures.append(f"{title} with {options.servers} servers: {error}")
    return found, failures


def _ours(scratch, behind, options, port, _fastmcp_program):
    config, state = scratch / "many.yaml", scratch / f"state-{port}"
    _our_settings(config, behind, options.servers)
    state.mkdir()
    return ["env", f"XDG_STATE_HOME={state}", str(options.program), "serve", "--port", str(port),
            "--config", str(config)]


def _fastmcp(scratch, behind, options, port, program):
    file = scratch / "many.json"
    address = f"http://127.0.0.1:{behind}"
    entries = {f"s{i}": {"url": f"{address}/s{i}/mcp"} for i in range(options.servers)}
    file.write_text(json.dumps({"mcpServers": entries}))
    return who.fastmcp_command(program, file, port, scratch)

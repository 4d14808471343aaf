"""Loads of many calls: over HTTP with wrk, over stdio with stdio_load, and the floor."""

import dataclasses
import pathlib
import re
import subprocess

import measure
import operations as op
import origin as pages
import peers as who
from processes import pinned
from stdio_load import StdioServer, percentile

FLOOR = who.ROOT / "build/release/curl_floor"


@dataclasses.dataclass
class Row:
    peer: str
    call: str
    page: str
    connections: int
    requests_per_second: float
    p50_ms: float | None
    p99_ms: float | None
    cpu_us: float | None
    resident_mb: float | None
    errors: int
    answers: int  # within the time
    kind: str  # ours, typescript, python, stdio, floor


def peer_rows(peer, settings, say):
    """Each call has a process of its own, so that none pays for what another left behind."""
    for call in peer.calls:
        alone = dataclasses.replace(peer, calls=[call])
        run = _stdio_rows if peer.stdio else _http_rows
        yield from run(alone, call, settings, say)


def _counts(peer, settings):
    return [count for count in settings.connections if count <= peer.most_at_a_time]


def _kind(peer):
    if peer.name.startswith("sallyport"):
        return "ours"
    if peer.stdio:
        return "stdio"
    return "typescript" if peer.typescript else "python"


def _http_rows(peer, call, settings, say):
    with measure.Running(peer, settings) as running:
        session = running.open_session() if call.era == op.LEGACY else None
        for connections in _counts(peer, settings):
            say(f"{peer.title}: {call.name}, {connections} connections")
            load = running.load(call, session, connections)
            yield Row(peer.title, call.name, call.page, connections, load.requests_per_second,
                      load.p50_ms, load.p99_ms, load.cpu_us, running.server.resident_mb(),
                      load.errors, round(load.requests_per_second * settings.seconds), _kind(peer))


def _stdio_rows(peer, call, settings, say):
    log = pathlib.Path(settings.scratch) / f"{peer.name}.log"
    with StdioServer(peer, settings.server_cores, log) as running, pinned(settings.wrk_cores):
        for window in _counts(peer, settings):
            say(f"{peer.title}: {call.name}, {window} in flight")
            running.check(call)
            running.load(call, window, settings.warm_up)
            before = running.server.cpu_seconds()
            latencies, elapsed = running.load(call, window, settings.seconds)
            cpu = running.server.cpu_seconds() - before
            running.check(call)
            yield Row(peer.title, call.name, call.page, window, len(latencies) / elapsed,
                      percentile(latencies, 0.5) * 1000, percentile(latencies, 0.99) * 1000,
                      cpu * 1e6 / len(latencies) if latencies else None,
                      running.server.resident_mb(), 0, len(latencies), _kind(peer))


def floor_rows(origin, settings, say):
    """GETs through our connector, which is curl's multi interface, and nothing else."""
    return [_floor_row(origin, size, connections, settings, say)
            for size in (pages.SMALL, pages.LARGE) for connections in settings.connections]


def _floor_row(origin, size, connections, settings, say):
    say(f"curl alone: {size} bytes, {connections} connections")
    command = [str(FLOOR), origin.url(f"{size}.html"), str(connections), str(settings.seconds)]
    with pinned(settings.server_cores):
        done = subprocess.run(command, check=True, capture_output=True, text=True)
    figures = re.search(r"([\d.]+) requests/s.* (\d+) failed\np50 ([\d.]+) us, p99 ([\d.]+) us\n"
                        r"CPU ([\d.]+) us", done.stdout)
    if figures is None:
        raise SystemExit(f"curl_floor said:\n{done.stdout}{done.stderr}")
    rate, failed, p50, p99, cpu = (float(figure) for figure in figures.groups())
    answers = round(rate * settings.seconds)
    return Row("curl alone, no MCP", f"GET {size // 1000} KB", f"{size}", connections, rate,
               p50 / 1000, p99 / 1000, cpu, None, int(failed), answers, "floor")

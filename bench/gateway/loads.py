"""Puts a gateway under load, and says what it adds to the same calls without it."""

import dataclasses
import pathlib
import time

import measure
import operations as op
import processes
from http_client import post

START_SECONDS = 90  # some of them create a database first


class GatewayProcess(processes.Server):
    """CPU time and memory are the gateway's: those of the server that it started do not count."""

    def _pids(self):
        return [pid for pid in super()._pids() if _name(pid) != "bench_server"]


def _name(pid):
    try:
        return pathlib.Path(f"/proc/{pid}/comm").read_text().strip()
    except OSError:
        return ""


class Behind(measure.Running):
    """A gateway that is up and whose server behind it answers through it."""

    def __init__(self, gateway, settings):
        self.candidate = gateway
        self.path = gateway.path
        self.settings = settings
        self.port = processes.free_port()
        log = pathlib.Path(settings.scratch) / f"{gateway.name}-{self.port}.log"
        kind = processes.Server if gateway.name == "direct" else GatewayProcess
        self.server = kind(gateway.command(self.port), settings.server_cores, log)
        try:
            hello = gateway.asking(op.INITIALIZE)
            processes.wait_for(lambda: post(self.port, hello, path=self.path), self.server, START_SECONDS)
            if gateway.prepare:
                gateway.prepare(self.port)
            self._wait_for_the_tool()
        except BaseException:
            self.server.stop()
            raise

    def open_session(self):
        session = self.ask(self.candidate.asking(op.INITIALIZE)).headers.get("mcp-session-id")
        if session:  # some of them answer nothing before they have heard it
            post(self.port, self.candidate.asking(op.INITIALIZED), session, path=self.path)
        return session

    def _wait_for_the_tool(self):
        """A gateway may listen before it has asked the server behind it for its tools."""
        operation, until = self.candidate.operations[0], time.perf_counter() + 30
        while True:
            try:
                self.ask(operation, self.open_session() if operation.era == op.LEGACY else None)
                return
            except (op.WrongAnswer, OSError):
                if time.perf_counter() > until:
                    raise
            self.server.require_alive()
            time.sleep(0.1)


@dataclasses.dataclass
class Row:
    load: measure.Load
    resident_mb: float
    seconds: int

    @property
    def requests(self):
        return self.load.requests_per_second * self.seconds

    @property
    def key(self):
        return self.load.operation.era, self.load.connections


def rows_of(gateway, settings, say):
    """Each era has a process of its own, so that none pays for what another left behind."""
    rows = []
    for operation in gateway.operations:
        with Behind(gateway, settings) as running:
            session = running.open_session() if operation.era == op.LEGACY else None
            for connections in settings.connections:
                if connections > gateway.most_connections:
                    continue
                say(f"{gateway.title}, {gateway.behind}: {operation.name}, {connections} connections")
                load = running.load(operation, session, connections)
                rows.append(Row(load, running.server.resident_mb(), settings.seconds))
    return rows

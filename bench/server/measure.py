"""Starts a candidate, checks its answers, puts it under load, and reads off the figures."""

import dataclasses
import pathlib
import re
import statistics
import subprocess

import operations as op
from http_client import post
from processes import Server, free_port, pinned, wait_for

SCRIPT = pathlib.Path(__file__).with_name("post.lua")


@dataclasses.dataclass(frozen=True)
class Settings:
    seconds: int
    warm_up: int
    connections: list
    starts: int
    server_cores: set
    wrk_cores: set
    scratch: str


@dataclasses.dataclass
class Load:
    candidate: object
    operation: object
    connections: int
    requests_per_second: float
    p50_ms: float
    p99_ms: float
    cpu_us: float
    errors: int


@dataclasses.dataclass
class Footprint:
    candidate: object
    start_ms: list  # of several starts
    idle_mb: float
    loaded_mb: float


class Running:
    """A candidate that is up: its process, its port, the time to its first answer."""

    path = "/mcp"

    def __init__(self, candidate, settings):
        self.candidate = candidate
        self.settings = settings
        self.port = free_port()
        log = pathlib.Path(settings.scratch) / f"{candidate.name}-{self.port}.log"
        command = candidate.command(self.port)
        self.server = Server(command, settings.server_cores, log)
        first = candidate.operations[0]
        probe = first if first.era == op.MODERN else op.INITIALIZE
        answer, seconds = wait_for(lambda: post(self.port, probe), self.server)
        self.start_ms = seconds * 1000
        self._check(probe, answer)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.server.stop()

    def open_session(self):
        """The id of a new legacy session; None from a server that keeps none."""
        answer = post(self.port, op.INITIALIZE)
        self._check(op.INITIALIZE, answer)
        return answer.headers.get("mcp-session-id")

    def ask(self, operation, session=None):
        answer = post(self.port, operation, session, path=self.path)
        self._check(operation, answer)
        return answer

    def _check(self, operation, answer):
        if answer.status != 200:
            raise op.WrongAnswer(f"{self.candidate.title}: {answer.status} {answer.body[:300]!r}")
        if self.candidate.checks_answers:
            operation.check(answer)

    def wrk(self, operation, session, connections, seconds):
        headers = [f"{name}: {value}" for name, value in operation.headers(session).items()]
        threads = min(connections, 2)
        command = ["wrk", "-t", str(threads), "-c", str(connections), "-d", f"{seconds}s"]
        command += ["-s", str(SCRIPT), f"http://127.0.0.1:{self.port}{self.path}", "--",
                    operation.body()]
        with pinned(self.settings.wrk_cores):
            done = subprocess.run(command + headers, check=True, capture_output=True, text=True)
        line = done.stdout.rstrip().rpartition("\n")[2]
        if not line.startswith("measured "):
            raise SystemExit(f"wrk said:\n{done.stdout}{done.stderr}")
        return {name: int(number) for name, number in re.findall(r"(\w+)=(\d+)", line)}

    def load(self, operation, session, connections):
        """One row of the report: warm-up, then the load that counts."""
        expected_bytes = self.ask(operation, session).wire_bytes
        if self.settings.warm_up:
            self.wrk(operation, session, connections, self.settings.warm_up)
        before = self.server.cpu_seconds()
        seen = self.wrk(operation, session, connections, self.settings.seconds)
        cpu = self.server.cpu_seconds() - before
        self.ask(operation, session)
        requests = max(seen["requests"], 1)
        return Load(
            self.candidate,
            operation,
            connections,
            requests / (seen["microseconds"] / 1e6),
            seen["p50"] / 1000,
            seen["p99"] / 1000,
            cpu * 1e6 / requests,
            seen["errors"] + _odd_answers(seen, expected_bytes, connections),
        )


def _odd_answers(seen, expected_bytes, connections):
    """How many answers, at least, were not of the size of the right one.

    A JSON-RPC error comes with the status 200, so wrk does not see it. Every right answer has the
    same number of bytes; only answers that the end of the load cut off may add to the sum.
    """
    excess = seen["bytes"] - seen["requests"] * expected_bytes
    if -expected_bytes <= excess <= (connections + 1) * expected_bytes:
        return 0
    return max(1, abs(excess) // expected_bytes)


def footprint_and_loads(candidate, settings, say):
    """Each operation has a process of its own, so that none pays for what another left behind."""
    starts, idle, loaded, loads = [], [], [], []
    for _ in range(settings.starts):
        with Running(candidate, settings) as running:
            starts.append(running.start_ms)
            idle.append(running.server.resident_mb())
    for operation in candidate.operations:
        with Running(candidate, settings) as running:
            session = running.open_session() if operation.era == op.LEGACY else None
            for connections in settings.connections:
                say(f"{candidate.title}: {operation.name}, {connections} connections")
                loads.append(running.load(operation, session, connections))
            loaded.append(running.server.resident_mb())
    return Footprint(candidate, starts, statistics.median(idle), max(loaded)), loads


def soak(candidate, settings, requests, say):
    """Memory before and after so many requests of every kind, on 32 connections."""
    with Running(candidate, settings) as running:
        session = None
        if any(operation.era == op.LEGACY for operation in candidate.operations):
            session = running.open_session()
        sent = errors = 0
        for operation in candidate.operations:  # warm-up
            running.wrk(operation, _session_for(operation, session), 32, settings.warm_up)
        before = running.server.resident_mb()
        while sent < requests:
            for operation in candidate.operations:
                its_session = _session_for(operation, session)
                seen = running.wrk(operation, its_session, 32, settings.seconds)
                sent += seen["requests"]
                errors += seen["errors"]
            say(f"{candidate.title}: {sent} requests, {running.server.resident_mb():.1f} MB")
        return before, running.server.resident_mb(), sent, errors


def _session_for(operation, session):
    return session if operation.era == op.LEGACY else None

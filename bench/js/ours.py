"""The gateway as it is measured here: its settings, the calls of run_js, what its processes use."""

import dataclasses
import os
import pathlib
import select
import signal
import socket
import time

import measure
import operations as op

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
GATEWAY = ROOT / "build/release/sallyport"
SANDBOX = ROOT / "build/release/sallyport-js"

TRIVIAL = "1 + 1"


def fetching(url, times):
    return (f"let bytes = 0; for (let i = 0; i < {times}; ++i) "
            f'bytes += (await (await fetch("{url}")).text()).length; bytes')


# As by default: guard, policy, limits and the signed audit log on disk. Only the numbers of calls to
# one host and of one caller are raised.
_SETTINGS = """\
log:
  level: warn
js:
  warm: {warm}
  concurrent_per_principal: 1024
  keep_executions: 100
egress:
  open: ["127.0.0.1"]
  ports: ["{port}"]
  connections_per_host: 256
  concurrent: 0
  concurrent_per_principal: 0
  concurrent_per_host: 0
policies:
  fetch:
    policies:
      - url: file://{policy}
"""
_POLICY = """\
package mcp.fetch

default allow := false

allow if {
	input.method == "GET"
	input.url_parsed.host == "127.0.0.1"
}
"""


@dataclasses.dataclass(frozen=True)
class RunJs(op.Operation):
    """A tools/call of run_js that has to end with a value, or in the way it says."""

    end: str = "completed"
    value: object = None

    def check(self, answer):
        found = (answer.message().get("result") or {}).get("structuredContent") or {}
        right = found.get("end") == self.end and (self.value is None or found["value"] == self.value)
        if not right:
            raise op.WrongAnswer(f"{self.name}: {answer.body[:400]!r}")


def run_js(name, code, value=None, end="completed", **arguments):
    params = {"name": "run_js", "arguments": {"code": code, **arguments}}
    return RunJs(name, "tools/call", op.MODERN, params, end, value)


@dataclasses.dataclass
class Gateway:
    """What measure.Running starts. The first operation is also the probe of its start."""

    scratch: pathlib.Path
    origin_port: int
    operations: list
    program: pathlib.Path = GATEWAY
    warm: bool = True
    name: str = "sallyport"
    title: str = "Sallyport"
    checks_answers: bool = True

    def command(self, port):
        policy = self.scratch / "fetch.rego"
        policy.write_text(_POLICY)
        config = self.scratch / f"sallyport-{port}.yaml"
        config.write_text(_SETTINGS.format(port=self.origin_port, policy=policy,
                                           warm=str(self.warm).lower()))
        return [str(self.program), "serve", "--port", str(port), "--config", str(config),
                "--audit-file", str(self.scratch / f"audit-{port}.db")]


def load(running, operation, connections):
    """Runs/s, p50, p99 in ms, CPU µs of all processes per run, and errors."""
    expected = running.ask(operation).wire_bytes
    running.wrk(operation, None, connections, running.settings.warm_up)
    before = cpu_seconds(running.server)
    seen = running.wrk(operation, None, connections, running.settings.seconds)
    cpu = cpu_seconds(running.server) - before
    running.ask(operation)
    runs = max(seen["requests"], 1)
    # The times in an answer have more or fewer digits; one that failed is another size altogether.
    is_odd = abs(seen["bytes"] / runs / expected - 1) > 0.1
    return measure.Load(running.candidate, operation, connections,
                        runs / (seen["microseconds"] / 1e6), seen["p50"] / 1000,
                        seen["p99"] / 1000, cpu * 1e6 / runs, seen["errors"] + int(is_odd))


def cpu_seconds(server):
    """Also of the children that have ended: there is one for each run."""
    ticks = 0
    for pid in server._pids():
        try:
            fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue
        # A spare child may wait for long; what has been reaped is its parent's.
        ticks += sum(int(field) for field in fields[11:15])
    return ticks / os.sysconf("SC_CLK_TCK")


@dataclasses.dataclass
class Memory:
    zygote_mb: float  # proportional share: what several processes have counts once in all
    worker_mb: float
    worker_own_mb: float
    workers: int
    gateway_mb: float


def memory(server):
    """With nothing to do: the warm process and the children that wait beside it."""
    gateway, starter, zygote, *workers = server._pids()
    shares = [_rollup(pid) for pid in workers]
    count = max(len(shares), 1)
    return Memory(_rollup(zygote)["Pss"] + _rollup(starter)["Pss"],
                  sum(each["Pss"] for each in shares) / count,
                  sum(each["Private_Dirty"] for each in shares) / count, len(shares),
                  _rollup(gateway)["Pss"])


def _rollup(pid):
    lines = pathlib.Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()[1:]
    return {line.split(":")[0]: int(line.split()[1]) / 1024 for line in lines}


def sandbox_start_ms(program=SANDBOX):
    """From spawning `sallyport-js` to its word that it is warm."""
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    started = time.perf_counter()
    pid = os.posix_spawn(program, [program], {},
                         file_actions=[(os.POSIX_SPAWN_DUP2, theirs.fileno(), 3)])
    theirs.close()
    try:
        if not select.select([ours], [], [], 20)[0] or b"ready" not in ours.recv(4096):
            raise SystemExit("sallyport-js did not start.")
        return (time.perf_counter() - started) * 1000
    finally:
        ours.close()
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)

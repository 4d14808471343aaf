"""Very many runs, some of which end badly: does anything grow?"""

import collections
import dataclasses
import http.client
import itertools
import json
import os
import pathlib
import signal
import threading
import time

import measure
import operations as op
import ours
import report

AT_A_TIME = 8
# Two of a hundred runs end badly, in these ways by turns: crashes, timeouts, too much memory.
EVERY = 50
_NEVER = "await new Promise((done) => setTimeout(done, 600_000))"
CRASH = ours.run_js("crash", f"const large = new Uint8Array(60e6).fill(1); {_NEVER}; large.length",
                    end="crashed")
BAD = [
    CRASH,
    ours.run_js("wait", _NEVER, end="timed_out", execution_timeout_secs=0.05),
    ours.run_js("grow", "const all = []; for (;;) all.push(new Array(1000).fill(1.5))",
                end="out_of_memory", heap_memory_max_mb=8),
    CRASH,
    ours.run_js("spin", "for (;;);", end="timed_out", execution_timeout_secs=0.05),
    ours.run_js("huge", "'x'.repeat(5e8).split('')", end="out_of_memory", heap_memory_max_mb=8),
]
GOOD = [
    ours.run_js("add", ours.TRIVIAL, 2),
    ours.run_js("text", "console.log('soak'); [1, 2, 3].map((x) => x * 2).join()", "2,4,6"),
    ours.run_js("throw", "throw new Error('expected')", end="threw"),
    ours.run_js("url", "new URL('/a', 'https://example.com').href", "https://example.com/a"),
]


@dataclasses.dataclass
class Use:
    gateway_mb: float
    sandbox_mb: float
    descriptors: int
    processes: int


def use_of(server):
    pids = server._pids()
    return Use(_memory_mb(pids[0]), sum(_memory_mb(pid) for pid in pids[1:3]),
               sum(len(os.listdir(f"/proc/{pid}/fd")) for pid in pids[:3]), len(pids))


def _memory_mb(pid, field="VmRSS"):
    try:
        lines = pathlib.Path(f"/proc/{pid}/status").read_text().splitlines()
    except OSError:
        return 0.0  # it has ended
    return sum(int(line.split()[1]) / 1024 for line in lines if line.startswith(field + ":"))


def settle():
    """Until the last children are reaped and spare ones are there."""
    time.sleep(1)


class Killer:
    """Ends the process of a script from outside: no script that we know makes the engine crash."""

    LARGE_MB = 85  # of its own: others have 40, and may have 20 more

    def __init__(self, server):
        self._zygote = server._pids()[2]
        self._one_victim = threading.Lock()

    def kill_during(self, send):
        with self._one_victim:
            thread = threading.Thread(target=self._kill)
            thread.start()
            try:
                return send()
            finally:
                thread.join()

    def _kill(self):
        deadline = time.monotonic() + 20
        while time.monotonic() < deadline:
            children = pathlib.Path(f"/proc/{self._zygote}/task/{self._zygote}/children")
            for pid in children.read_text().split():
                if _memory_mb(pid, "RssAnon") > self.LARGE_MB:
                    os.kill(int(pid), signal.SIGKILL)
                    return
            time.sleep(0.002)


class Client(threading.Thread):
    """Sends runs on one connection until the numbers are used up."""

    def __init__(self, port, killer, numbers, ends, wrong):
        super().__init__(daemon=True)
        self._port, self._killer, self._numbers = port, killer, numbers
        self._ends, self._wrong = ends, wrong

    def run(self):
        connection = http.client.HTTPConnection("127.0.0.1", self._port, timeout=60)
        for number in self._numbers:
            try:
                self._one(connection, number)
            except (OSError, http.client.HTTPException, ValueError) as error:
                self._wrong.append(f"run {number}: {error!r}")
                connection.close()

    def _one(self, connection, number):
        is_bad = number % EVERY == 0
        kinds = BAD if is_bad else GOOD
        operation = kinds[(number // EVERY if is_bad else number) % len(kinds)]
        body = operation.body().replace(op.ID, str(number))

        def send():
            connection.request("POST", "/mcp", body, operation.headers())
            return json.loads(connection.getresponse().read())

        answer = self._killer.kill_during(send) if operation is CRASH else send()
        found = (answer.get("result") or {}).get("structuredContent") or {}
        self._ends[f"{operation.name}: {found.get('end')}"] += 1
        if found.get("end") != operation.end or (
                operation.value is not None and found["value"] != operation.value):
            self._wrong.append(f"run {number} ({operation.name}): {json.dumps(answer)[:300]}")


def send(port, killer, numbers, ends, wrong):
    shared = iter(numbers)
    lock = threading.Lock()

    def locked():
        while True:
            with lock:
                number = next(shared, None)
            if number is None or len(wrong) > 20:
                return
            yield number

    clients = [Client(port, killer, locked(), ends, wrong) for _ in range(AT_A_TIME)]
    for client in clients:
        client.start()
    for client in clients:
        client.join()


def run(options, settings, say):
    """The table, and whether something grew or was wrong."""
    gateway = ours.Gateway(pathlib.Path(settings.scratch), 9, [GOOD[0]], options.program)
    ends, wrong, stages = collections.Counter(), [], []
    with measure.Running(gateway, settings) as running:
        # What is kept of ended executions, and the buffers of all parts, have their size after these.
        warm_up = min(options.soak // 10, 5000)
        killer = Killer(running.server)
        begun = time.perf_counter()
        done = 0
        for until in itertools.chain([warm_up], _tenths(warm_up, options.soak)):
            send(running.port, killer, range(done + 1, until + 1), ends, wrong)
            settle()
            done = until
            stages.append((until, use_of(running.server)))
            say(f"{until:,} runs: {stages[-1][1]}")
        elapsed = time.perf_counter() - begun - len(stages)
        running.ask(GOOD[0])
    return _report(settings, stages, ends, wrong, done / elapsed)


def _tenths(start, end):
    return [start + (end - start) * i // 10 for i in range(1, 11)]


def _report(settings, stages, ends, wrong, rate):
    first, last = stages[0][1], stages[-1][1]
    grew = [what for what, is_so in (
        ("the gateway's memory", last.gateway_mb > first.gateway_mb * 1.25 + 8),
        ("the sandbox's memory", last.sandbox_mb > first.sandbox_mb * 1.1 + 4),
        ("descriptors", last.descriptors > first.descriptors + 4),
        ("processes", last.processes > first.processes + 2)) if is_so]
    table = report.table(
        ["after runs", "of", "gateway RSS MB", "sandbox RSS MB", "descriptors", "processes"],
        [[f"{runs:,}", f"{stages[-1][0]:,}", f"{use.gateway_mb:.1f}", f"{use.sandbox_mb:.1f}", use.descriptors,
          use.processes] for runs, use in stages])
    lines = [f"{rate:,.0f} runs/s, {AT_A_TIME} at a time. How they ended:",
             ", ".join(f"{name} {count:,}" for name, count in sorted(ends.items())) + ".",
             f"Wrong answers: {len(wrong)}. Grew: {', '.join(grew) or 'nothing'}.", *wrong[:5]]
    text = "\n\n".join([report.machine(settings, None), table, "\n".join(lines)])
    return text, bool(grew or wrong)

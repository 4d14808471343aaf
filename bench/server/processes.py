"""Server processes: started, watched through /proc, and ended whatever happens."""

import atexit
import contextlib
import os
import pathlib
import signal
import socket
import subprocess
import sys
import time

_TICKS_PER_SECOND = os.sysconf("SC_CLK_TCK")
_running = []


class Server:
    """One server program with its children, from its start to its end."""

    def __init__(self, command, cores, log):
        self._log = pathlib.Path(log)
        with self._log.open("wb") as out, pinned(cores):
            self.started = time.perf_counter()
            self._process = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=out, stderr=out
            )
        _running.append(self)

    def require_alive(self):
        if self._process.poll() is not None:
            tail = self._log.read_text(errors="replace")[-2000:]
            raise SystemExit(f"The server ended with {self._process.returncode}:\n{tail}")

    def cpu_seconds(self):
        return sum(_cpu_ticks(pid) for pid in self._pids()) / _TICKS_PER_SECOND

    def resident_mb(self, field="VmRSS"):
        return sum(_resident_kb(pid, field) for pid in self._pids()) / 1024

    def stop(self):
        if self in _running:
            _running.remove(self)
        pids = self._pids()
        self._process.terminate()
        try:
            self._process.wait(3)
        except subprocess.TimeoutExpired:
            for pid in pids:
                _kill(pid)
            self._process.wait()

    def _pids(self):
        """The process and its descendants. Children of nginx are its workers."""
        found = [self._process.pid] if self._process.poll() is None else []
        for pid in found:
            try:
                for children in list(pathlib.Path(f"/proc/{pid}/task").glob("*/children")):
                    found += [int(child) for child in children.read_text().split()]
            except OSError:
                pass  # the thread or the process ended meanwhile
        return found


class Piped(Server):
    """A server that is spoken to through its standard input and output, here as descriptors."""

    def __init__(self, command, errors):
        self.started = time.perf_counter()
        self._process = subprocess.Popen(
            command, bufsize=0, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=errors
        )
        self.stdin = self._process.stdin.fileno()
        self.stdout = self._process.stdout.fileno()
        _running.append(self)


def _cpu_ticks(pid):
    try:
        text = pathlib.Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return 0
    fields = text.rpartition(")")[2].split()  # the name before it may contain anything
    return int(fields[11]) + int(fields[12])  # utime, stime


def _resident_kb(pid, field):
    try:
        lines = pathlib.Path(f"/proc/{pid}/status").read_text().splitlines()
    except OSError:
        return 0
    return sum(int(line.split()[1]) for line in lines if line.startswith(field + ":"))


def _kill(pid):
    try:
        os.kill(pid, signal.SIGKILL)
    except ProcessLookupError:
        pass


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@contextlib.contextmanager
def pinned(cores):
    """What is started inside runs on `cores` only. Unlike taskset it adds no time to a start."""
    ours = os.sched_getaffinity(0)
    os.sched_setaffinity(0, cores)
    try:
        yield
    finally:
        os.sched_setaffinity(0, ours)


def wait_for(attempt, server, seconds=20.0):
    """Repeats `attempt` until it succeeds; returns its result and the seconds since the start."""
    while True:
        try:
            result = attempt()
            return result, time.perf_counter() - server.started
        except OSError:
            pass  # nobody listens yet
        server.require_alive()
        if time.perf_counter() - server.started > seconds:
            raise SystemExit("The server did not answer in time.")
        time.sleep(0.0005)


@atexit.register
def _stop_all():
    for server in list(_running):
        server.stop()


def end_on_signals():
    """Lets the servers be ended also when the benchmark is."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda received, _frame: sys.exit(128 + received))

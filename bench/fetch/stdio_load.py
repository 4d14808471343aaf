"""Puts a server that speaks MCP on its standard input and output under load.

A window of requests is in flight: each answer is followed by the next request. What comes back is
not parsed, only its id is looked for, so that this side stays cheap.
"""

import json
import os
import re
import selectors
import subprocess
import time

import operations as op
import processes

_ID = re.compile(rb'"id":\s*(\d+)')
_NEAR = 80  # an id stands near one of the ends of an answer


class StdioServer:
    def __init__(self, peer, server_cores, log):
        self.peer = peer
        with open(log, "wb") as errors, processes.pinned(server_cores):
            self.server = processes.Piped(peer.command(0), errors)
        self._next_id = 0
        self._rest = b""
        self._initialize()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.server.stop()

    def _initialize(self):
        answer = self._ask({**op.INITIALIZE.params}, "initialize")
        if "result" not in answer:
            raise op.WrongAnswer(f"{self.peer.title}: {answer}")
        self._send(b'{"jsonrpc":"2.0","method":"notifications/initialized"}\n')

    def check(self, operation):
        operation.check_message(self._ask(operation.params, operation.method))

    def _ask(self, params, method):
        self._next_id += 1
        message = {"jsonrpc": "2.0", "id": self._next_id, "method": method, "params": params}
        self._send(json.dumps(message).encode() + b"\n")
        until = time.perf_counter() + 30
        while time.perf_counter() < until:
            for line in self._lines(until):
                answer = json.loads(line)
                if answer.get("id") == message["id"]:
                    return answer
        raise SystemExit(f"{self.peer.title} does not answer.")

    def _send(self, data):
        descriptor = self.server.stdin
        view = memoryview(data)
        while view:
            view = view[os.write(descriptor, view):]

    def _lines(self, until):
        """The next whole lines; none when the time is over."""
        with selectors.DefaultSelector() as selector:
            selector.register(self.server.stdout, selectors.EVENT_READ)
            if not selector.select(max(0.0, until - time.perf_counter())):
                return []
        data = os.read(self.server.stdout, 1 << 20)
        if not data:
            raise SystemExit(f"{self.peer.title} has ended.")
        if b"\n" not in data:
            self._rest += data
            return []
        *lines, self._rest = (self._rest + data).split(b"\n")
        return [line for line in lines if line.strip()]

    def load(self, operation, window, seconds):
        """The latencies, in seconds, of the answers within the time, and how long that was."""
        head = f'{{"jsonrpc":"2.0","method":"{operation.method}","params":'
        head = (head + json.dumps(operation.params) + ',"id":').encode()
        sent, latencies = {}, []

        def request():
            self._next_id += 1
            sent[self._next_id] = time.perf_counter()
            return head + b"%d}\n" % self._next_id

        begun = time.perf_counter()
        until = begun + seconds
        self._send(b"".join(request() for _ in range(window)))
        while time.perf_counter() < until:
            batch = []
            for line in self._lines(until):
                found = _ID.search(line[-_NEAR:]) or _ID.search(line[:_NEAR])
                started = sent.pop(int(found[1]), None) if found else None
                if started is not None:
                    latencies.append(time.perf_counter() - started)
                    batch.append(request())
            if batch:
                self._send(b"".join(batch))
        elapsed = time.perf_counter() - begun
        self._drain(sent)
        return latencies, elapsed

    def _drain(self, sent):
        """Waits for what is still under way, so that it does not count for the next load."""
        until = time.perf_counter() + 5
        while sent and time.perf_counter() < until:
            for line in self._lines(until):
                found = _ID.search(line[-_NEAR:]) or _ID.search(line[:_NEAR])
                if found:
                    sent.pop(int(found[1]), None)


def percentile(latencies, part):
    if not latencies:
        return float("nan")
    ordered = sorted(latencies)
    return ordered[min(len(ordered) - 1, int(len(ordered) * part))]

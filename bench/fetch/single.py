"""What is not a comparison of loads: Markdown per second, added latency, memory of a huge page."""

import dataclasses
import pathlib
import re
import subprocess
import time

import loads
import measure
import operations as op
import origin as pages
import peers as who
from http_client import post
from processes import pinned

GET = pathlib.Path(__file__).with_name("get.lua")


def markdown(lineup, settings, say):
    """100 KB of HTML to Markdown, with one and with several calls at a time."""
    settings = dataclasses.replace(settings, connections=[1, 32])
    ours = dataclasses.replace(lineup.ours(),
                               calls=[lineup.our_fetch(pages.LARGE, form="auto"),
                                      lineup.our_fetch(pages.LARGE, form="markdown")])
    for call, form in zip(ours.calls, ("auto", "markdown")):
        object.__setattr__(call, "name", f"fetch, {form}")
    rows = list(loads.peer_rows(ours, settings, say))
    npm = next((peer for peer in lineup.all() if peer.name == "npm"), None)
    if npm is not None:
        npm.calls = [lineup.npm_call("fetch_markdown", pages.LARGE)]
        rows += loads.peer_rows(npm, settings, say)
    return rows


@dataclasses.dataclass
class Latency:
    what: str
    p50_us: float
    p99_us: float
    own_cores: bool


def latency(lineup, origin, settings, say):
    """Medians on one connection: of a GET without us, of a call that goes nowhere, of ours."""
    found = []
    for own_cores in (True, False):
        cores = {0, 1} if not own_cores else None
        these = settings if own_cores else dataclasses.replace(
            settings, server_cores=cores, wrk_cores=cores)
        say("latency, " + ("each on its core" if own_cores else "everybody on both cores"))
        found.append(_direct(origin, these, own_cores))
        for call in (_whoami(), lineup.our_fetch(pages.SMALL),
                     lineup.our_http_request(pages.SMALL)):
            peer = dataclasses.replace(lineup.ours(), calls=[call])
            with measure.Running(peer, these) as running:
                load = running.load(call, None, 1)
            found.append(Latency(call.name, load.p50_ms * 1000, load.p99_ms * 1000, own_cores))
    return found


def _whoami():
    return _AnyCall("whoami", "tools/call", op.MODERN, {"name": "whoami", "arguments": {}})


class _AnyCall(op.Operation):
    def check(self, answer):
        result = answer.message().get("result")
        if result is None or result.get("isError"):
            raise op.WrongAnswer(f"{self.name}: {answer.body[:300]!r}")


def _direct(origin, settings, own_cores):
    # Like a client of ours: not on the core of the web server.
    command = ["wrk", "-t", "1", "-c", "1", "-d", f"{settings.seconds}s", "-s", str(GET),
               origin.url(f"{pages.SMALL}.html")]
    with pinned(settings.server_cores):
        done = subprocess.run(command, check=True, capture_output=True, text=True)
    seen = dict(re.findall(r"(\w+)=(\d+)", done.stdout.rstrip().rpartition("\n")[2]))
    return Latency("GET, without us", float(seen["p50"]), float(seen["p99"]), own_cores)


@dataclasses.dataclass
class Memory:
    server: str
    call: str
    before_mb: float
    peak_mb: float
    after_mb: float
    answer: str


def memory(lineup, origin, settings, say):
    """One after the other, eight times 100 MB of unknown length."""
    found = []
    for peer in lineup.all():
        if peer.name not in ("sallyport", "sdk1"):
            continue
        say(f"{peer.title}: 100 MB")
        era = peer.calls[0].era
        url = origin.url("stream/huge.txt")
        found.append(_huge(peer, who.call("fetch", {"url": url}, 1, era), settings))
        if peer.name == "sallyport":
            call = who.call("http_request", {"url": "/stream/huge.txt"}, 1)
            found.append(_huge(peer, call, settings))
    return found


def _huge(peer, call, settings):
    with measure.Running(peer, settings) as running:
        before = running.server.resident_mb()
        answer = None
        for _ in range(8):
            answer = post(running.port, call)
        time.sleep(0.2)
        result = answer.message().get("result", {})
        said = "an error: too large" if result.get("isError") else f"{len(answer.body):,} bytes"
        return Memory(peer.title, call.params["name"], before,
                      running.server.resident_mb("VmHWM"), running.server.resident_mb(), said)

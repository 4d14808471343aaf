"""Compares scripts in our sandbox with other runtimes. bench/js/README.md says how."""

import argparse
import dataclasses
import os
import pathlib
import statistics
import sys
import tempfile

FOLDER = pathlib.Path(__file__).resolve().parent
sys.path[1:1] = [str(FOLDER.parent / "server"), str(FOLDER.parent / "fetch")]

# The modules of bench/server and bench/fetch are found from here on.
import measure  # noqa: E402
import operations as op  # noqa: E402
import origin as pages  # noqa: E402
import others  # noqa: E402
import ours  # noqa: E402
import processes  # noqa: E402
import report  # noqa: E402
import soak  # noqa: E402

PARTS = ["runs", "fetches", "start", "memory", "peers"]
SCRIPTS = ["1 + 1", "1 fetch", "100 fetches"]


@dataclasses.dataclass
class Row:
    who: str
    script: str
    at_a_time: int
    rate: float
    p50_ms: float
    p99_ms: float
    cpu_us: float | None
    isolation: str
    is_ours: bool = False


def arguments():
    parser = argparse.ArgumentParser(prog="./dev bench js", description=__doc__)
    parser.add_argument("--seconds", type=int, default=4, help="length of each load (default 4)")
    parser.add_argument("--connections", default="1,8", help="runs at a time (default 1,8)")
    parser.add_argument("--only", help="some of " + ",".join(PARTS))
    parser.add_argument("--program", type=pathlib.Path, default=ours.GATEWAY,
                        help="another build of ours to measure")
    parser.add_argument("--soak", type=int, metavar="RUNS",
                        help="so many runs, 2 %% of which crash, hang or use too much memory; "
                             "fails when memory, descriptors or processes grow")
    options = parser.parse_args()
    options.only = options.only.split(",") if options.only else PARTS
    if unknown := set(options.only) - set(PARTS):
        parser.error(f"unknown: {', '.join(sorted(unknown))}")
    if not options.program.exists():
        parser.error(f"{options.program} is missing: run `./dev build` first.")
    return options


def say(text):
    print(text, file=sys.stderr, flush=True)


def our_rows(options, settings, gateway, scripts):
    rows = []
    for operation in scripts:
        alone = dataclasses.replace(gateway, operations=[operation])
        with measure.Running(alone, settings) as running:
            for count in settings.connections:
                say(f"Sallyport: {operation.name}, {count} at a time")
                load = ours.load(running, operation, count)
                if load.errors:
                    raise SystemExit(f"{load.errors} failures: the figures do not count.")
                rows.append(Row("Sallyport, over MCP", operation.name, count,
                                load.requests_per_second, load.p50_ms, load.p99_ms, load.cpu_us,
                                "process, confined", True))
    return rows


def server_rows(settings, peer):
    rows = []
    with measure.Running(peer, settings) as running:
        for count in settings.connections:
            say(f"{peer.title}: {count} at a time")
            load = running.load(peer.operations[0], None, count)
            rows.append(Row(peer.title, "1 + 1", count, load.requests_per_second, load.p50_ms,
                            load.p99_ms, load.cpu_us, peer.isolation))
    return rows


def spawned_rows(settings, peer, scripts):
    rows = []
    for script in scripts:
        for count in settings.connections:
            say(f"{peer.title}: {script}, {count} at a time")
            times, elapsed, failures, cpu = others.spawn_times(peer.commands[script], count,
                                                               settings.seconds)
            if failures:
                raise SystemExit(f"{peer.title} failed {failures} times.")
            rows.append(row_of_times(peer.title, script, count, times, elapsed, peer.isolation,
                                     cpu * 1e6 / len(times)))
    return rows


def row_of_times(who, script, count, times, elapsed, isolation, cpu_us=None):
    ordered = sorted(times)
    return Row(who, script, count, len(times) / elapsed, statistics.median(ordered) * 1000,
               ordered[int(0.99 * (len(ordered) - 1))] * 1000, cpu_us, isolation)


def peer_rows(options, settings, runtimes, scripts):
    rows = []
    for peer in runtimes.servers():
        try:
            rows += server_rows(settings, peer)
        except (SystemExit, op.WrongAnswer, OSError) as error:
            say(f"{peer.title} is left: {error}")
            runtimes.missing.append(peer.title)
    for peer in runtimes.spawned():
        rows += spawned_rows(settings, peer, scripts)
    if runtimes.workerd_process():
        say(f"{runtimes.workerd_title()}: 1 at a time")
        times, elapsed = others.serve_once_times(runtimes.workerd_command, settings.seconds)
        rows.append(row_of_times(runtimes.workerd_title(), "1 + 1", 1, times, elapsed,
                                 "process, not confined"))
    return rows


def loads_table(rows):
    headings = ["who", "held apart by", "script", "at a time", "runs/s", "p50 ms", "p99 ms",
                "CPU µs/run"]
    return report.table(headings, [
        [row.who, row.isolation, row.script, row.at_a_time, f"{row.rate:,.0f}",
         f"{row.p50_ms:.2f}", f"{row.p99_ms:.2f}",
         "–" if row.cpu_us is None else f"{row.cpu_us:,.0f}"] for row in rows])


def ratios_table(rows):
    lines = []
    for mine in (row for row in rows if row.is_ours):
        for other in rows:
            if other.is_ours or (other.script, other.at_a_time) != (mine.script, mine.at_a_time):
                continue
            lines.append([other.who, other.isolation, other.script, other.at_a_time,
                          f"{mine.rate / other.rate:.2f} ×",
                          f"{other.p50_ms / mine.p50_ms:.2f} ×",
                          f"{other.cpu_us / mine.cpu_us:.2f} ×" if other.cpu_us else "–"])
    headings = ["Sallyport beside", "held apart by", "script", "at a time", "our runs/s of theirs",
                "their p50 of ours", "their CPU of ours"]
    return report.table(headings, lines) if lines else ""


def start_table(settings, gateway, trivial):
    say("starts")
    first, warm, sandbox = [], [], []
    for _ in range(5):
        for times, is_warm in ((first, False), (warm, True)):
            candidate = dataclasses.replace(gateway, operations=[trivial], warm=is_warm)
            with measure.Running(candidate, settings) as running:
                times.append(running.start_ms)
        sandbox.append(ours.sandbox_start_ms(str(ours.SANDBOX)))
    lines = [[what, f"{min(times):.0f}–{max(times):.0f} ms", f"{statistics.median(times):.0f}"]
             for what, times in (("gateway to first answer of run_js", first),
                                 ("the same with js.warm", warm),
                                 ("sallyport-js until it is warm", sandbox))]
    return report.table(["start", "of five", "median ms"], lines)


def memory_table(settings, gateway, trivial):
    say("memory")
    candidate = dataclasses.replace(gateway, operations=[trivial])
    with measure.Running(candidate, settings) as running:
        running.wrk(trivial, None, 8, settings.warm_up)
        running.ask(trivial)
        soak.settle()
        found = ours.memory(running.server)
    lines = [["gateway", "1", f"{found.gateway_mb:.1f}", "–"],
             ["warm sallyport-js", "1", f"{found.zygote_mb:.1f}", "–"],
             ["child that waits for its run", f"{found.workers}", f"{found.worker_mb:.1f}",
              f"{found.worker_own_mb:.2f}"]]
    return report.table(["process, idle", "how many", "PSS MB each", "its own MB"], lines)


def compare(options, settings, scratch):
    origin = pages.Origin(scratch, core=1)
    url = origin.url(f"{pages.SMALL}.html")
    trivial = ours.run_js("1 + 1", ours.TRIVIAL, 2)
    fetches = [ours.run_js("1 fetch", ours.fetching(url, 1), pages.SMALL),
               ours.run_js("100 fetches", ours.fetching(url, 100), 100 * pages.SMALL)]
    gateway = ours.Gateway(pathlib.Path(scratch), origin.port, [trivial], options.program)
    runtimes = others.Runtimes(os.environ["BENCH_JS_PEERS"], url)
    rows, parts = [], [machine(settings)]
    if "runs" in options.only:
        rows += our_rows(options, settings, gateway, [trivial])
    if "fetches" in options.only:
        rows += our_rows(options, settings, gateway, fetches)
    if "peers" in options.only:
        rows += peer_rows(options, settings, runtimes,
                          SCRIPTS if "fetches" in options.only else SCRIPTS[:1])
    parts += [loads_table(rows), ratios_table(rows)]
    if runtimes.missing:
        parts.append(f"Not installed or not answering: {', '.join(sorted(set(runtimes.missing)))}.")
    if "start" in options.only:
        parts.append(start_table(settings, gateway, trivial))
    if "memory" in options.only:
        parts.append(memory_table(settings, gateway, trivial))
    origin.server.stop()
    return "\n\n".join(part for part in parts if part)


def machine(settings):
    return report.machine(settings, None).replace("server on", "all programs on")


def main():
    options = arguments()
    processes.end_on_signals()
    with tempfile.TemporaryDirectory(prefix="sallyport-bench-") as scratch:
        settings = measure.Settings(
            seconds=options.seconds, warm_up=1,
            connections=[int(count) for count in options.connections.split(",")], starts=0,
            server_cores={0, 1}, wrk_cores={0, 1}, scratch=scratch)
        try:
            if options.soak:
                text, failed = soak.run(options, settings, say)
            else:
                text, failed = compare(options, settings, scratch), False
        except op.WrongAnswer as error:
            raise SystemExit(f"A wrong answer: {error}") from error
    print(text)
    if failed:
        raise SystemExit("Something grew, or answered wrongly: see above.")


if __name__ == "__main__":
    main()

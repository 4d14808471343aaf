"""The figures as Markdown tables."""

import datetime
import os
import pathlib
import platform
import sys

sys.path.insert(1, str(pathlib.Path(__file__).resolve().parent.parent / "server"))

import report  # noqa: E402  (of bench/server)


def machine(seconds):
    model = next((line.partition(":")[2].strip()
                  for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines()
                  if line.startswith("model name")), platform.machine())
    return "\n".join(f"- {line}" for line in [
        f"Date: {datetime.date.today().isoformat()}",
        f"Machine: {model}, {os.cpu_count()} cores, Linux {platform.release()}",
        f"Load before: {os.getloadavg()[0]:.1f} (others' work makes every figure worse)",
        f"Each measurement: about {seconds:g} s, one thread; rates are by CPU time",
    ])


def _us(value):
    if value is None:
        return "–"
    return f"{value:,.2f}" if value < 10 else f"{value:,.1f}" if value < 1000 else f"{value:,.0f}"


def costs(rows):
    headings = ["policy", "engine", "input", "evaluations/s", "µs", "p50 µs", "p99 µs",
                "from JSON: evaluations/s", "µs", "p50 µs", "p99 µs"]
    ordered = sorted(rows, key=lambda row: (row["policy"], row["input"]))
    return report.table(headings, [
        [row["policy"], row["title"], row["input"], *_timing(row["parsed"]),
         *_timing(row["from_text"])]
        for row in ordered
    ])


def _timing(timing):
    return [f"{1e6 / timing['mean_us']:,.0f}", *(_us(timing[key])
                                                 for key in ("mean_us", "p50_us", "p99_us"))]


def ratios(rows):
    """How many times the evaluations of each other we make, with parsed input / from JSON."""
    others = list(dict.fromkeys(row["title"] for row in rows if row["name"] != "sallyport"))
    if not others:
        return ""
    by_key = {(row["policy"], row["input"], row["title"]): row for row in rows}
    lines = []
    for ours in (row for row in rows if row["name"] == "sallyport"):
        line = [ours["policy"], ours["input"]]
        for title in others:
            line.append(_ratio(by_key.get((ours["policy"], ours["input"], title)), ours))
        lines.append(line)
    headings = ["policy", "input", *(f"times {title}'s" for title in others)]
    return "Our evaluations/s, parsed input / from JSON text:\n\n" + report.table(headings, lines)


def _ratio(other, ours):
    if other is None:
        return "–"
    return " / ".join(f"{other[kind]['mean_us'] / ours[kind]['mean_us']:,.1f} ×"
                      for kind in ("parsed", "from_text"))


def heap(rows):
    headings = ["policy", "engine", "load ms", "allocations per evaluation",
                "with parsing its JSON"]
    lines = [
        [row["policy"], row["title"], f"{row['load_ms']:.2f}",
         _count(row.get("allocations")), _count(row.get("text_allocations"))]
        for row in sorted(rows, key=lambda row: row["policy"]) if row["input"] == "allow"
    ]
    return "Loading, and heap allocations in a steady state:\n\n" + report.table(headings, lines)


def _count(value):
    return "–" if value is None else f"{value:,.0f}" if value == int(value) else f"{value:,.2f}"


def scaling(threads):
    rates = {}
    for line in threads:
        rates.setdefault(line["policy"], {})[line["threads"]] = line["per_second"]
    lines = [[policy, "allow", f"{rate[1]:,.0f}", f"{rate[2]:,.0f}", f"{rate[2] / rate[1]:.2f} ×"]
             for policy, rate in rates.items() if {1, 2} <= set(rate)]
    headings = ["policy", "input", "1 thread/s", "2 threads/s", "gain"]
    return "Sallyport on threads, by the clock less what they waited for a core:\n\n" + report.table(headings, lines) if lines else ""


def probes(lines):
    if not lines:
        return ""
    headings = ["policy", "came of it", "deadline ms", "took ms", "waited for a core ms", "grew MB"]
    return "Hostile policies here:\n\n" + report.table(headings, [
        [line["probe"], line["outcome"] if line["good"] else f"**{line['outcome']}**",
         f"{line['deadline_ms']:.0f}", f"{line['took_ms']:.1f}", f"{line['waited_ms']:.1f}", f"{line['grew_mb']:.1f}"]
        for line in lines
    ])

"""The figures as Markdown tables."""

from report import table

FEW_ANSWERS = 20  # a load with fewer has no latency and no CPU time



def loads_table(rows):
    direct = {row.key: row.load for row in rows if row.load.candidate.name == "direct"}
    headings = ["gateway", "request", "server behind", "connections", "calls/s", "p50 ms", "p99 ms",
                "added p50 µs", "added p99 µs", "CPU µs/call", "RSS MB", "errors"]
    return table(headings, [_cells(row, direct.get(row.key)) for row in rows])


def _cells(row, direct):
    load = row.load
    added = row.requests > FEW_ANSWERS and direct is not None and load is not direct
    return [load.candidate.title, load.operation.name, load.candidate.behind, load.connections,
            _rate(load.requests_per_second), *_latencies(row),
            f"{1000 * (load.p50_ms - direct.p50_ms):,.0f}" if added else "–",
            f"{1000 * (load.p99_ms - direct.p99_ms):,.0f}" if added else "–",
            f"{load.cpu_us:,.1f}" if row.requests > FEW_ANSWERS else "–",
            f"{row.resident_mb:.0f}", load.errors]


def _rate(number):
    return f"{number:,.0f}" if number >= 10 else f"{number:.1f}"


def _latencies(row):
    if row.requests <= FEW_ANSWERS:
        return ["–", "–"]
    return [f"{row.load.p50_ms:.2f}", f"{row.load.p99_ms:.2f}"]


def ratios_table(rows):
    """Ours beside every other with the same kind of server behind, in the better of its eras."""
    others = {row.load.candidate.name: row.load.candidate for row in rows
              if not row.load.candidate.ours and row.load.candidate.name != "direct"}
    ours = [row for row in rows if row.load.candidate.ours]
    if not others or not ours:
        return ""
    headings = ["ours", "request", "connections", *(f"× {each.title}" for each in others.values())]
    return table(headings, [
        [f"Sallyport, {row.load.candidate.behind}", row.load.operation.name, row.load.connections,
         *(_times(row, name, rows) for name in others)]
        for row in ours
    ])


def _times(ours, name, rows):
    theirs = [row.load.requests_per_second for row in rows
              if row.load.candidate.name == name and row.load.connections == ours.load.connections
              and row.load.candidate.behind == ours.load.candidate.behind]
    return f"{ours.load.requests_per_second / max(theirs):.1f}" if theirs and max(theirs) else "–"


def many_table(results):
    headings = ["gateway", "servers, tools", "all listed after ms", "RSS MB", "KB per tool",
                "tools/list ms", "pages", "MB", "call p50 µs"]
    return table(headings, [
        [each.title, f"{each.servers}, {each.tools:,}", f"{each.listed_after_ms:,.0f}",
         f"{each.resident_mb:.0f}", f"{each.kb_per_tool:.1f}", f"{each.list_ms:,.1f}", each.pages,
         f"{each.list_mb:.1f}", f"{each.call_p50_us:,.0f}" if each.call_p50_us else "–"]
        for each in results
    ])


def missing_list(missing):
    return "\n".join(f"- Not measured: {reason}" for reason in missing)

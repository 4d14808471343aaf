"""The figures as Markdown tables."""

import report

_ENOUGH = 20  # answers in one load


def machine(settings, sdk_peers):
    text = report.machine(settings, sdk_peers)
    return text.replace("wrk on 1", "wrk and the web server that is fetched from on 1")


def _number(value, form):
    return "–" if value is None or value != value else format(value, form)


def loads(rows):
    headings = ["server", "call", "at a time", "calls/s", "p50 ms", "p99 ms", "CPU µs/call",
                "RSS MB", "errors"]
    return report.table(headings, [
        [row.peer, row.call, row.connections,
         _number(row.requests_per_second, ",.0f" if row.requests_per_second >= 10 else ".1f"),
         *(_number(value if row.answers >= _ENOUGH else None, form) for value, form in
           ((row.p50_ms, ".2f"), (row.p99_ms, ".2f"), (row.cpu_us, ",.0f"))),
         _number(row.resident_mb, ".0f"), row.errors]
        for row in rows
    ]) if rows else ""


def ratios(rows):
    """Each of ours against the best of a kind for the same page and number at a time."""
    lines = []
    for ours in (row for row in rows if row.kind == "ours"):
        same = [row for row in rows
                if (row.page, row.connections) == (ours.page, ours.connections)]
        lines.append([ours.peer, ours.call, ours.connections]
                     + [_against(ours, same, kind) for kind in ("typescript", "stdio", "python")]
                     + [_per_cpu(ours, same, kind) for kind in ("typescript", "stdio")]
                     + [_of_floor(ours, same)])
    headings = ["server", "call", "at a time", "calls/s of best TypeScript's", "of best stdio's",
                "of best Python HTTP's", "per CPU of best TypeScript's", "per CPU of best stdio's",
                "CPU beside curl alone"]
    return report.table(headings, lines) if lines else ""


def _best(same, kind):
    """The one with the most calls/s. A handful of answers says nothing about a server."""
    of_kind = [row for row in same if row.kind == kind and row.answers >= _ENOUGH]
    return max(of_kind, key=lambda row: row.requests_per_second, default=None)


def _times(part, whole):
    return f"{part / whole:.1f} ×" if part and whole else "–"


def _against(ours, same, kind):
    best = _best(same, kind)
    return _times(ours.requests_per_second, best and best.requests_per_second)


def _per_cpu(ours, same, kind):
    best = _best(same, kind)
    return _times(best and best.cpu_us, ours.cpu_us)


def _of_floor(ours, same):
    floor = _best(same, "floor")
    return _times(ours.cpu_us, floor and floor.cpu_us)


def markdown(rows):
    text = "A page of 100 KB as Markdown:\n\n" + loads(rows)
    lines = []
    for ours in (row for row in rows if row.kind == "ours"):
        best = _best([row for row in rows if row.connections == ours.connections], "stdio")
        lines.append([ours.call, f"{ours.connections} at a time",
                      _times(ours.requests_per_second, best and best.requests_per_second)])
    return text + "\n\n" + report.table(["call", "load", "of mcp-fetch-server's"], lines)


def latency(found):
    direct = {each.own_cores: each.p50_us for each in found if each.what.startswith("GET")}
    bare = {each.own_cores: each.p50_us for each in found if each.what == "whoami"}
    lines = []
    for each in found:
        added = each.p50_us - direct[each.own_cores]
        beyond = added - bare[each.own_cores]
        is_call = not each.what.startswith("GET")
        goes_out = is_call and each.what != "whoami"
        lines.append([each.what, "each on its core" if each.own_cores else "both for all",
                      f"{each.p50_us:.0f}", f"{each.p99_us:.0f}",
                      f"{added:.0f}" if goes_out else "–", f"{beyond:.0f}" if goes_out else "–"])
    headings = ["1 KB, one connection", "cores", "p50 µs", "p99 µs", "more than the GET µs",
                "and than the call itself µs"]
    return "Added latency:\n\n" + report.table(headings, lines)


def memory(found):
    headings = ["server", "100 MB by", "RSS before MB", "peak MB", "after MB", "the answer"]
    return "Memory, eight times 100 MB one after the other:\n\n" + report.table(headings, [
        [each.server, each.call, f"{each.before_mb:.0f}", f"{each.peak_mb:.0f}",
         f"{each.after_mb:.0f}", each.answer]
        for each in found
    ])

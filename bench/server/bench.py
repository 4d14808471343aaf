"""Compares our server with nginx and the TypeScript SDKs. bench/README.md says how to read it."""

import argparse
import dataclasses
import os
import pathlib
import sys
import tempfile

import candidates as who
import measure
import operations as op
import processes
import report

NAMES = ["nginx", "sallyport", "sdk1", "sdk2"]
TITLE = """\
# The server beside its peers

Made by `./dev bench server`; [bench/README.md](../bench/README.md) says what is measured and how to
read it. Run it on your own machine: ratios travel better than figures."""


def arguments():
    parser = argparse.ArgumentParser(prog="./dev bench server", description=__doc__)
    parser.add_argument("--seconds", type=int, default=4, help="length of each load (default 4)")
    parser.add_argument("--warm-up", type=int, default=1, help="load before it (default 1)")
    parser.add_argument("--connections", default="1,32,256", help="default 1,32,256")
    parser.add_argument("--starts", type=int, default=5, help="starts to time (default 5)")
    parser.add_argument("--only", default=",".join(NAMES), help="some of " + ",".join(NAMES))
    parser.add_argument("--split", action="store_true",
                        help="server on core 0, wrk on core 1, instead of sharing two cores")
    parser.add_argument("--soak", type=int, default=0, metavar="N",
                        help="instead: memory before and after N requests to our server")
    parser.add_argument("--markdown", metavar="FILE", help="write the report there as well")
    options = parser.parse_args()
    options.only = options.only.split(",")
    unknown = set(options.only) - set(NAMES)
    if unknown:
        parser.error(f"unknown: {', '.join(sorted(unknown))}")
    return options


def say(text):
    print(text, file=sys.stderr, flush=True)


def settings_of(options, scratch):
    return measure.Settings(
        seconds=options.seconds,
        warm_up=options.warm_up,
        connections=[int(count) for count in options.connections.split(",")],
        starts=options.starts,
        server_cores={0} if options.split else {0, 1},
        wrk_cores={1} if options.split else {0, 1},
        scratch=scratch,
    )


def our_list_body(settings):
    with measure.Running(who.sallyport(), settings) as running:
        return running.ask(op.MODERN_LIST).body.decode()


def chosen(options, settings, peers):
    body = our_list_body(settings) if "sallyport" in options.only else who.SAMPLE_BODY
    everybody = [who.nginx(settings.scratch, body, workers=1 if options.split else 2)]
    everybody.append(who.sallyport())
    if peers is not None:
        everybody += who.typescript(peers)
    return [candidate for candidate in everybody if candidate.name in options.only]


def compare(options, settings, peers):
    header = report.machine(settings, peers)
    footprints, loads = [], []
    for candidate in chosen(options, settings, peers):
        footprint, its_loads = measure.footprint_and_loads(candidate, settings, say)
        footprints.append(footprint)
        loads += its_loads
    parts = [header, report.loads_table(loads), report.ratios_table(loads),
             report.footprints_table(footprints)]
    # A TypeScript server that times out under many connections is a finding, not a failure.
    ours = [load.errors for load in loads if load.candidate.name in ("sallyport", "nginx")]
    return "\n\n".join(part for part in parts if part), sum(ours)


def soak(options, settings, peers):
    settings = dataclasses.replace(settings, seconds=2, warm_up=2)
    candidates = [each for each in chosen(options, settings, peers) if each.name != "nginx"]
    rows, failures = [], 0
    for candidate in candidates:
        before, after, sent, errors = measure.soak(candidate, settings, options.soak, say)
        per_request = (after - before) * 1024 * 1024 / sent
        # A leak of one small allocation per request shows; a buffer that settled late does not.
        leaks = per_request > 8 and after - before > 4
        failures += errors + (1 if leaks and candidate.name == "sallyport" else 0)
        rows.append([candidate.title, "grows" if leaks else "steady", f"{sent:,}", f"{before:.1f}",
                     f"{after:.1f}", f"{per_request:.2f}", errors])
    headings = ["server", "memory", "requests", "RSS before MB", "RSS after MB", "bytes/request",
                "errors"]
    return report.machine(settings, peers) + "\n\n" + report.table(headings, rows), failures


def main():
    options = arguments()
    processes.end_on_signals()
    if "sallyport" in options.only and not who.OURS.exists():
        raise SystemExit(f"{who.OURS.relative_to(who.ROOT)} is missing: run `./dev build` first, "
                         "or leave our server out with `--only nginx,sdk1,sdk2`.")
    if options.soak and options.only == NAMES:
        options.only = ["sallyport"]
    peers = None
    if {"sdk1", "sdk2"} & set(options.only):
        if "BENCH_PEERS" not in os.environ:
            raise SystemExit("Start it with bench/server/run, which installs the TypeScript SDKs.")
        peers = pathlib.Path(os.environ["BENCH_PEERS"])
    with tempfile.TemporaryDirectory(prefix="sallyport-bench-") as scratch:
        settings = settings_of(options, scratch)
        try:
            text, failures = (soak if options.soak else compare)(options, settings, peers)
        except op.WrongAnswer as error:
            raise SystemExit(f"A wrong answer: {error}") from error
    print(text)
    if options.markdown:
        pathlib.Path(options.markdown).write_text(f"{TITLE}\n\n{text}\n")
    if failures:
        raise SystemExit(f"{failures} failures: the figures do not count.")


if __name__ == "__main__":
    main()

"""Compares fetching through our server with fetching through others. bench/README.md says how."""

import argparse
import os
import pathlib
import sys
import tempfile

sys.path.insert(1, str(pathlib.Path(__file__).resolve().parent.parent / "server"))

# The modules of bench/server are found from here on.
import loads  # noqa: E402
import measure  # noqa: E402
import operations as op  # noqa: E402
import origin as pages  # noqa: E402
import peers  # noqa: E402
import processes  # noqa: E402
import single  # noqa: E402
import tables  # noqa: E402

NAMES = ["floor", "sallyport", "sallyport-stdio", "sdk1", "sdk2", "seed", "npm", "official"]
SLOW = ["seed", "official"]
EXTRAS = ["markdown", "latency", "memory"]


def arguments():
    parser = argparse.ArgumentParser(prog="./dev bench fetch", description=__doc__)
    parser.add_argument("--seconds", type=int, default=3, help="length of each load (default 3)")
    parser.add_argument("--connections", default="1,32,256", help="default 1,32,256")
    parser.add_argument("--quick", action="store_true",
                        help="loads of 1 s at 32 connections, without the slow servers")
    parser.add_argument("--only", help="some of " + ",".join(NAMES + EXTRAS))
    parser.add_argument("--program", type=pathlib.Path, default=peers.OURS,
                        help="another build of ours to measure")
    options = parser.parse_args()
    if options.quick:
        options.seconds, options.connections = 1, "32"
    # In one second the slow ones answer a few times only.
    usual = [name for name in NAMES + EXTRAS if not (options.quick and name in SLOW)]
    options.only = options.only.split(",") if options.only else usual
    unknown = set(options.only) - set(NAMES + EXTRAS)
    if unknown:
        parser.error(f"unknown: {', '.join(sorted(unknown))}")
    if not options.program.exists():
        parser.error(f"{options.program} is missing: run `./dev build` first.")
    return options


def say(text):
    print(text, file=sys.stderr, flush=True)


def settings_of(options, scratch):
    return measure.Settings(
        seconds=options.seconds,
        warm_up=1,
        connections=[int(count) for count in options.connections.split(",")],
        starts=0,
        server_cores={0},
        wrk_cores={1},
        scratch=scratch,
    )


def lines_of(options, settings, lineup, origin):
    rows = loads.floor_rows(origin, settings, say) if "floor" in options.only else []
    for peer in lineup.all():
        if peer.name in options.only:
            rows += rows_of(peer, settings, lineup)
    return rows


def rows_of(peer, settings, lineup):
    rows = []
    try:
        for row in loads.peer_rows(peer, settings, say):
            rows.append(row)
    except (SystemExit, op.WrongAnswer, OSError) as error:
        if peer.name.startswith("sallyport"):
            raise
        say(f"{peer.title} is left: {error}")
        lineup.missing.append(peer.title)
    return rows


def compare(options, scratch):
    settings = settings_of(options, scratch)
    sdk_peers = pathlib.Path(os.environ["BENCH_PEERS"])
    header = tables.machine(settings, sdk_peers)
    origin = pages.Origin(scratch, core=1)
    lineup = peers.Lineup(origin, scratch, sdk_peers, os.environ["BENCH_FETCH_PEERS"],
                          options.program)
    rows = lines_of(options, settings, lineup, origin)
    parts = [header, tables.loads(rows), tables.ratios(rows)]
    if lineup.missing:
        parts.append("Not installed or not answering, so not measured or not to the end: "
                     f"{', '.join(lineup.missing)}.")
    if "markdown" in options.only:
        parts.append(tables.markdown(single.markdown(lineup, settings, say)))
    if "latency" in options.only:
        parts.append(tables.latency(single.latency(lineup, origin, settings, say)))
    if "memory" in options.only:
        parts.append(tables.memory(single.memory(lineup, origin, settings, say)))
    origin.server.stop()
    ours = sum(row.errors for row in rows if row.peer.startswith("Sallyport"))
    return "\n\n".join(part for part in parts if part), ours


def main():
    options = arguments()
    processes.end_on_signals()
    with tempfile.TemporaryDirectory(prefix="sallyport-bench-") as scratch:
        try:
            text, failures = compare(options, scratch)
        except op.WrongAnswer as error:
            raise SystemExit(f"A wrong answer: {error}") from error
    print(text)
    if failures:
        raise SystemExit(f"{failures} failures: the figures do not count.")


if __name__ == "__main__":
    main()

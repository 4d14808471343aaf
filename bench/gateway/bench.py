"""Compares calls through gateways with the same calls without one. bench/README.md says how."""

import argparse
import os
import pathlib
import sys
import tempfile

sys.path.insert(1, str(pathlib.Path(__file__).resolve().parent.parent / "server"))

# The modules of bench/server are found from here on.
import gateways as who  # noqa: E402
import loads  # noqa: E402
import many  # noqa: E402
import measure  # noqa: E402
import operations as op  # noqa: E402
import processes  # noqa: E402
import report  # noqa: E402
import tables  # noqa: E402

NAMES = ["direct", "nginx", "sallyport-http", "sallyport-stdio", "npm-mcp-proxy",
         "supergateway", "python-mcp-proxy", "fastmcp", "contextforge", "docker",
         "rust-mcp-proxy-http", "rust-mcp-proxy-stdio", "many"]


def arguments():
    parser = argparse.ArgumentParser(prog="./dev bench gateway", description=__doc__)
    parser.add_argument("--seconds", type=int, default=4, help="length of each load (default 4)")
    parser.add_argument("--warm-up", type=int, default=1, help="load before it (default 1)")
    parser.add_argument("--connections", default="1,32,256", help="default 1,32,256")
    parser.add_argument("--only", default=",".join(NAMES), help="some of " + ",".join(NAMES))
    parser.add_argument("--split", action="store_true",
                        help="gateway on core 0, wrk and the server behind on core 1")
    parser.add_argument("--servers", type=int, default=100, help="of the catalogue (default 100)")
    parser.add_argument("--tools", type=int, default=100, help="of each of these (default 100)")
    parser.add_argument("--program", type=pathlib.Path, default=who.OURS,
                        help="another build of ours")
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
        starts=0,
        server_cores={0} if options.split else {0, 1},
        wrk_cores={1} if options.split else {0, 1},
        scratch=scratch,
    )


def direct():
    return who.Gateway("direct", "none: direct", who.NONE,
                       lambda port: [str(who.UPSTREAM), "--port", str(port)])


def started_upstream(settings):
    port = processes.free_port()
    log = pathlib.Path(settings.scratch) / "upstream.log"
    server = processes.Server(direct().command(port), settings.wrk_cores, log)
    processes.wait_for(lambda: measure.post(port, op.INITIALIZE), server)
    return server, port


def compare(options, settings, node_peers, installed):
    """Rows of all that answered, and why others did not. Only what fails of ours is a failure."""
    upstream, port = started_upstream(settings)
    lineup = who.Lineup(port, settings.scratch, node_peers, installed, options.program)
    everybody = [gateway for gateway in [direct(), *lineup.all()] if gateway.name in options.only]
    rows, missing, failures = [], lineup.missing, 0
    for gateway in everybody:
        try:
            rows += loads.rows_of(gateway, settings, say)
        except (op.WrongAnswer, OSError, SystemExit) as error:
            missing.append(f"{gateway.title}, {gateway.behind}: {error}")
            failures += gateway.ours or gateway.name == "direct"
    upstream.stop()
    failures += sum(row.load.errors for row in rows
                    if row.load.candidate.ours or row.load.candidate.name == "direct")
    return rows, missing, failures


def catalogue(options, settings, node_peers, installed):
    if "many" not in options.only:
        return "", 0
    fastmcp = pathlib.Path(installed) / "fastmcp/bin/fastmcp"
    results, failed = many.results(options, settings, pathlib.Path(node_peers) / "node",
                                   str(fastmcp) if fastmcp.exists() else None, say)
    parts = [tables.many_table(results)] if results else []
    parts += [tables.missing_list(failed)] if failed else []
    return "\n\n".join(parts), sum(reason.startswith("Sallyport") for reason in failed)


def main():
    options = arguments()
    processes.end_on_signals()
    for program in (options.program, who.UPSTREAM):
        if not program.exists():
            raise SystemExit(f"{program} is missing: run `./dev build` first.")
    if "BENCH_GATEWAYS" not in os.environ:
        raise SystemExit("Start it with bench/gateway/run, which installs the other gateways.")
    node_peers, installed = os.environ["BENCH_PEERS"], os.environ["BENCH_GATEWAYS"]
    with tempfile.TemporaryDirectory(prefix="sallyport-bench-") as scratch:
        settings = settings_of(options, scratch)
        header = report.machine(settings, pathlib.Path(node_peers))
        rows, missing, failures = compare(options, settings, node_peers, installed)
        text, failed = catalogue(options, settings, node_peers, installed)
    parts = [header, tables.loads_table(rows) if rows else "", tables.ratios_table(rows), text,
             tables.missing_list(missing)]
    print("\n\n".join(part for part in parts if part))
    if failures + failed:
        raise SystemExit(f"{failures + failed} failures of ours: the figures do not count.")


if __name__ == "__main__":
    main()

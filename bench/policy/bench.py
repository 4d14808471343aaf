"""Compares what a decision of a policy costs here and with others. bench/README.md says how."""

import argparse
import dataclasses
import json
import os
import pathlib
import subprocess
import sys

import tables

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
PEERS = ROOT / "build/bench-policy"
# Seconds for one policy: the whole is to end within minutes.
_LONGEST = 60
# It takes half a second for each evaluation of a large set: it gets less of the time.
_SLOW_SHARE = 0.4


@dataclasses.dataclass
class Engine:
    name: str
    title: str
    command: list
    share: float = 1.0

    def is_there(self):
        return pathlib.Path(self.command[0]).exists()


def engines(build):
    return [
        Engine("sallyport", "Sallyport", [str(build / "policy_bench")]),
        Engine("opa", "OPA", [str(ROOT / "build/opa/opa_peer"), "bench"]),
        Engine("regorus", "regorus", [str(PEERS / "regorus/target/release/regorus-peer")]),
        Engine("regopy", "rego-cpp",
               [str(PEERS / "regopy/bin/python"), "-B", str(HERE / "rego_cpp.py")], _SLOW_SHARE),
    ]


def arguments():
    parser = argparse.ArgumentParser(prog="./dev bench policy", description=__doc__)
    parser.add_argument("--seconds", type=float, default=0.3,
                        help="length of each measurement (default 0.3)")
    parser.add_argument("--policies", type=pathlib.Path, default=ROOT.parent / "shared/data/rego-bench",
                        help="folder of policies, besides our own")
    parser.add_argument("--only", help="some of sallyport,opa,regorus,regopy")
    parser.add_argument("--match", default="", help="only policies whose name contains this")
    options = parser.parse_args()
    options.folders = [folder for parent in (options.policies, HERE) if parent.is_dir()
                       for folder in sorted(parent.iterdir())
                       if (folder / "policy").is_dir() and options.match in folder.name]
    if not options.folders:
        parser.error(f"there are no policies in {options.policies}")
    return options


def run(engine, folder, seconds):
    """Its figures for one policy, and what it said where it has none."""
    command = [*engine.command, str(seconds * engine.share), str(folder)]
    # Their collectors are work of the evaluation: on the same core.
    environment = {**os.environ, "GOMAXPROCS": "1"}
    try:
        done = subprocess.run(command, capture_output=True, text=True, env=environment,
                              timeout=_LONGEST, check=False)
    except subprocess.TimeoutExpired:
        return [], f"took more than {_LONGEST} s"
    lines = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    said = done.stderr.strip().splitlines()
    return lines, said[-1] if said else ""


def figures_of(engine, options, notes):
    rows, threads = [], []
    for folder in options.folders:
        print(f"{engine.title}: {folder.name}", file=sys.stderr, flush=True)
        lines, said = run(engine, folder, options.seconds)
        for line in lines:
            if "threads" in line:
                threads.append(line)
            else:
                rows.append(row_of(engine, line))
        if not lines:
            notes.append(f"{engine.title} has no figures for {folder.name}: {said[:200]}")
    return rows, threads


def probes_of(build):
    """What becomes of hostile policies, and whether all of it is as it should be."""
    print("Sallyport: hostile policies", file=sys.stderr, flush=True)
    done = subprocess.run([str(build / "policy_bench"), "probes"], capture_output=True, text=True,
                          timeout=_LONGEST * 5, check=False)
    return [json.loads(line) for line in done.stdout.splitlines()], done.returncode == 0


def row_of(engine, line):
    title = engine.title
    if "engine" in line:
        title += f" ({line.pop('engine')})"
    return {**line, "title": title, "name": engine.name}


def wrong_answers(rows):
    """Who decides otherwise than the name of the input says."""
    return [row for row in rows if row["allowed"] != (row["input"] == "allow")]


def missing_notes():
    file = PEERS / "missing"
    return [f"Could not be installed: {line}"
            for line in (file.read_text().splitlines() if file.exists() else [])]


def main():
    options = arguments()
    wanted = options.only.split(",") if options.only else None
    notes = missing_notes()
    if not options.policies.is_dir():
        notes.append(f"There are no policies in {options.policies}: only our own were measured.")
    rows, threads, probes, probes_good = [], [], [], True
    build = pathlib.Path(os.environ["BENCH_BUILD"])
    for engine in engines(build):
        if wanted and engine.name not in wanted:
            continue
        if not engine.is_there():
            notes.append(f"{engine.title} is not there and was not measured.")
            continue
        more, of_threads = figures_of(engine, options, notes)
        rows, threads = rows + more, threads + of_threads
    if not wanted or "sallyport" in wanted:
        probes, probes_good = probes_of(build)
    wrong = wrong_answers(rows)
    for row in wrong:
        notes.append(f"{row['title']} answers {row['policy']}/{row['input']} wrongly: "
                     "its figures there do not count.")
    right = [row for row in rows if row not in wrong]
    parts = [tables.machine(options.seconds), tables.costs(right), tables.ratios(right),
             tables.heap(right), tables.scaling(threads), tables.probes(probes),
             "\n".join(f"- {note}" for note in notes)]
    print("\n\n".join(part for part in parts if part))
    if not probes_good:
        raise SystemExit("A hostile policy was not stopped in time or within its memory.")
    ours = [row for row in wrong if row["name"] == "sallyport"]
    if ours or not any(row["name"] == "sallyport" for row in right):
        raise SystemExit("Ours has no figures or wrong answers.")


if __name__ == "__main__":
    main()

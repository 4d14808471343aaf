"""rego-cpp, measured like the others: `rego_cpp.py SECONDS FOLDER…`, a line of JSON per input.

The query is compiled once into a bundle. Calls go through Python's ctypes: some microseconds of
each are Python's, which is little beside what an evaluation takes.
"""

import json
import pathlib
import sys
import time

from regopy import Input, Interpreter

ENTRY = "data.mcp.fetch.allow"


def measure(seconds, work):
    samples = []
    begun, cpu = time.perf_counter(), time.process_time()
    last = begun
    while last - begun < seconds or not samples:
        work()
        now = time.perf_counter()
        samples.append((now - last) * 1e6)
        last = now
    mean = (time.process_time() - cpu) / len(samples) * 1e6
    samples.sort()
    return {"mean_us": mean, "p50_us": samples[len(samples) // 2],
            "p99_us": samples[len(samples) * 99 // 100]}


def load(folder):
    interpreter = Interpreter()
    for file in sorted((folder / "policy").iterdir()):
        if file.suffix == ".rego":
            interpreter.add_module(file.name, file.read_text())
        elif file.name == "data.json":
            interpreter.add_data_json(file.read_text())
    return interpreter, interpreter.build(ENTRY)


def report(folder, seconds):
    load_ms = 1e9
    for _ in range(3):
        begun = time.process_time()
        interpreter, bundle = load(folder)
        load_ms = min(load_ms, (time.process_time() - begun) * 1e3)
    if not bundle.ok:
        raise ValueError("its bundle is not ok")
    for name in ("allow", "deny"):
        text = (folder / f"{name}.json").read_text()
        parsed = Input(json.loads(text))

        def decide(value):
            interpreter.set_input(value)
            return interpreter.query_bundle(bundle)

        said = str(decide(parsed))
        # A budget for all: the slowest take half a second for one evaluation.
        figures = {"policy": folder.name, "input": name, "allowed": "[true]" in said,
                   "load_ms": load_ms, "parsed": measure(seconds, lambda: decide(parsed)),
                   "from_text": measure(seconds, lambda: decide(Input(json.loads(text))))}
        print(json.dumps(figures), flush=True)


def main():
    for folder in map(pathlib.Path, sys.argv[2:]):
        try:
            report(folder, float(sys.argv[1]))
        except Exception as error:  # whatever it raises: the other policies go on
            print(f"{folder.name}: {error}", file=sys.stderr)


if __name__ == "__main__":
    main()

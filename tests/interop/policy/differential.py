"""Generated policies by our engine and by OPA: the same value, undefined, or the same error.

    differential.py REGO_EVAL OPA_PEER [--seed N] [--cases N] [--show N]
"""

import argparse
import collections
import decimal
import json
import subprocess
import sys
import time

import calls
import generate

_LONGEST = 600
_AT_A_TIME = 1000
# Limits are ours alone; OPA has values that cannot be written.
_INCOMPARABLE = {"eval_cancel_error", "not_json"}
_ALIKE = {"rego_unsafe_var_error": "rego_type_error"}


def arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("ours")
    parser.add_argument("opa")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--cases", type=int, default=1500)
    parser.add_argument("--show", type=int, default=3, help="differences that are printed in full")
    return parser.parse_args()


def answers(command, lines):
    done = subprocess.run(command, input=lines, capture_output=True, text=True, timeout=_LONGEST,
                          check=False)
    if done.returncode != 0:
        raise SystemExit(f"{command[0]} ended with {done.returncode}: {done.stderr[-2000:]}")
    # By value: 1, 1.0 and 1e0 are one number, and no digit is lost.
    read = json.JSONDecoder(parse_int=decimal.Decimal, parse_float=decimal.Decimal)
    return [read.decode(line) for line in done.stdout.split("\n") if line]


def kind_of(answer):
    return "error" if "error" in answer else "value" if "value" in answer else "undefined"


def same(ours, theirs):
    if kind_of(ours) != kind_of(theirs):
        return False
    if "error" in ours:
        return bool(codes(ours) & codes(theirs))
    return identical(ours.get("value"), theirs.get("value"))


def codes(answer):
    """Both refuse what is neither safe nor of fitting types; which they say first differs."""
    return {_ALIKE.get(code, code) for code in answer["error"]}


def identical(left, right):
    """Python holds True and 1 for equal."""
    if isinstance(left, bool) or isinstance(right, bool):
        return left is right
    if isinstance(left, list) and isinstance(right, list):
        return len(left) == len(right) and all(map(identical, left, right))
    if isinstance(left, dict) and isinstance(right, dict):
        # OPA's 0 / -1 is -0. That is the same number, but as a key it is a text.
        right = {"0" if key == "-0" else key: value for key, value in right.items()}
        return left.keys() == right.keys() and all(identical(left[key], right[key]) for key in left)
    return type(left) is type(right) and left == right


def differences(case, ours, theirs):
    """Which question was answered differently: query, input, our answer, theirs."""
    if len(ours) != len(theirs) or len(ours) != len(case["queries"]) * len(case["inputs"]):
        if len(ours) != 1 or len(theirs) != 1 or not same(ours[0], theirs[0]):
            yield None, None, ours[0], theirs[0]
        return
    questions = [(query, value) for query in case["queries"] for value in case["inputs"]]
    for (query, value), our, their in zip(questions, ours, theirs):
        if _INCOMPARABLE & {*our.get("error", []), *their.get("error", [])}:
            continue
        # OPA itself answers otherwise without its index: see cases.go.
        of_opa = [their, *their.get("others", [])]
        if case["strict"] and "error" in our and any("error" in one for one in of_opa):
            continue  # which of several errors comes first is a question of order, too
        if not any(same(our, one) for one in of_opa):
            yield query, value, our, their


def show(seed, number, case, difference):
    query, value, ours, theirs = difference
    print(f"\nDIFFERENT: seed {seed}, case {number}{', strict' if case['strict'] else ''}")
    print(case["module"])
    print(f"data:  {json.dumps(case['data'])}\ninput: {json.dumps(value)}\nquery: {query}")
    print(f"ours:  {json.dumps(ours, default=str)}\nOPA's: {json.dumps(theirs, default=str)}")


def compare(kind, cases, options):
    """False where an answer differs."""
    begun = time.monotonic()
    ours, theirs = [], []
    for first in range(0, len(cases), _AT_A_TIME):
        lines = "".join(json.dumps(case) + "\n" for case in cases[first:first + _AT_A_TIME])
        ours += answers([options.ours], lines)
        theirs += answers([options.opa, "cases"], lines)
    if not len(ours) == len(theirs) == len(cases):
        raise SystemExit(f"{len(cases)} cases, but {len(ours)} and {len(theirs)} answers")
    failed, kinds, strict = 0, collections.Counter(), collections.Counter()
    for number, (case, our, their) in enumerate(zip(cases, ours, theirs)):
        kinds.update(kind_of(answer) for answer in their)
        if case["strict"] and len(our) == len(their) > 1:
            strict.update(kind_of(one) for one, other in zip(our, their) if kind_of(other) == "error")
        found = list(differences(case, our, their))
        if found:
            failed += 1
            if failed <= options.show:
                show(options.seed, number, case, found[0])
    spread = ", ".join(f"{count} {kind}" for kind, count in kinds.most_common())
    print(f"{kind}: seed {options.seed}, {len(cases)} policies, {sum(kinds.values())} answers of OPA ({spread}), "
          f"{failed} policies differ, {time.monotonic() - begun:.0f} s", flush=True)
    # A generator that makes only errors would compare nothing.
    if kinds["value"] < sum(kinds.values()) / 3:
        raise SystemExit("too few answers with a value: the comparison says little")
    # An engine that is never strict would pass otherwise.
    if strict["error"] < 0.8 * strict.total():
        raise SystemExit(f"OPA's strict errors are answered with {dict(strict)}")
    return failed == 0


def main():
    options = arguments()
    good = compare("rules", generate.cases(options.seed, options.cases), options)
    good = compare("calls of built-ins", calls.cases(options.seed, options.cases), options) and good
    sys.exit(0 if good else 1)


if __name__ == "__main__":
    main()

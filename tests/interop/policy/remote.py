"""A real OPA server as a source of policies, seen through `sallyport check`.

    remote.py SALLYPORT OPA
"""

import json
import pathlib
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request

POLICY = """package mcp.fetch

default allow := false

allow if input.url_parsed.path == "/open"

allow if input.headers["x-team"] == "blue"

# Said where it is denied, and nothing else.
reasons contains "only /open is open" if not allow

reasons contains sprintf("%s is not GET", [input.method]) if input.method != "GET"
"""
CONFLICT = """package clash

allow := true if input.method == "GET"

allow := false if startswith(input.url, "http")
"""
# Denies where it is shown a credential, or no headers at all.
SECRETS = """package secrets

default allow := false

allow if {
	"x-plain" in object.keys(input.headers)
	every _, value in input.headers { not contains(value, "s3cr3t") }
}
"""


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


class Server:
    def __init__(self, opa, folder):
        for name, text in (("fetch", POLICY), ("clash", CONFLICT), ("secrets", SECRETS)):
            (folder / f"{name}.rego").write_text(text)
        port = free_port()
        self.url = f"http://127.0.0.1:{port}"
        self.process = subprocess.Popen(
            [opa, "run", "--server", "--addr", f"127.0.0.1:{port}", "--log-level", "error",
             "--skip-version-check", str(folder)],
            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        self._wait()

    def _wait(self):
        until = time.monotonic() + 20
        while time.monotonic() < until and self.process.poll() is None:
            try:
                urllib.request.urlopen(self.url + "/health", timeout=1).close()
                return
            except (urllib.error.URLError, OSError):
                time.sleep(0.05)
        self.process.kill()
        raise SystemExit(f"OPA does not start: {self.process.stderr.read().decode()[-500:]}")

    def stop(self):
        self.process.terminate()
        self.process.wait(10)


class Check:
    """`sallyport check --json` with one source of policies."""

    def __init__(self, program, server):
        self.program, self.server = program, server

    def ask(self, path="/open", *, policy_path=None, url=None, arguments=()):
        source = {"url": url or self.server.url}
        if policy_path:
            source["policy_path"] = policy_path
        command = [self.program, "check", "--json", "--egress-open", "127.0.0.0/8", "--log-level", "off",
                   "--policies-json", json.dumps({"fetch": {"policies": [source]}}), *arguments,
                   f"http://127.0.0.1:8080{path}"]
        done = subprocess.run(command, capture_output=True, text=True, timeout=30, check=False)
        return done.returncode, done.stdout + done.stderr


def cases(check):
    """What is asked, the exit code that is wanted, and words that the answer has."""
    yield "allowed", check.ask(), 0, []
    yield "denied with its reason", check.ask("/closed"), 1, ["only /open is open"]
    yield ("denied with all reasons", check.ask("/closed", arguments=["--method", "POST"]), 1,
           ["only /open is open", "POST is not GET"])
    yield ("allowed by a header", check.ask("/closed", arguments=["--header", "X-Team: blue"]), 0, [])
    yield "asked for the rule itself, allowed", check.ask(policy_path="mcp/fetch/allow"), 0, []
    yield "asked for the rule itself, denied", check.ask("/x", policy_path="mcp/fetch/allow"), 1, []
    yield "a conflict denies", check.ask(policy_path="clash"), 1, ["policy"]
    yield "an undefined path denies", check.ask(policy_path="no/such"), 1, ["no answer"]
    yield ("a credential is not shown to it",
           check.ask(policy_path="secrets", arguments=["--header", "X-Plain: x", "--header",
                                                       "Authorization: Bearer s3cr3t"]), 0, [])
    yield ("what is no credential is shown to it",
           check.ask(policy_path="secrets", arguments=["--header", "X-Plain: s3cr3t"]), 1, [])
    yield ("a server that is not there denies",
           check.ask(url=f"http://127.0.0.1:{free_port()}"), 1, ["policy"])


def main():
    failed = 0
    with tempfile.TemporaryDirectory(prefix="sallyport-opa-") as folder:
        server = Server(sys.argv[2], pathlib.Path(folder))
        try:
            for name, (code, text), wanted, words in cases(Check(sys.argv[1], server)):
                good = code == wanted and all(word in text for word in words)
                print(f"{'ok' if good else 'FAILED'} remote OPA: {name}")
                if not good:
                    failed += 1
                    print(f"  exit code {code}, wanted {wanted} and {words}:\n  {text}")
        finally:
            server.stop()
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()

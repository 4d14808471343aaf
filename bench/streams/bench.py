"""What streams over tools/call cost: downloads, uploads, and streams that say nothing.

Each server is alone while it is measured; client, origin and server share the machine."""
import argparse
import contextlib
import json
import os
import pathlib
import socket
import subprocess
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
BUILD = HERE.parent.parent / "build" / "release"
MIB = 1024 * 1024


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def wait_for(port):
    for _ in range(500):
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
            return
        time.sleep(0.01)
    raise SystemExit(f"nobody listens on {port}")


@contextlib.contextmanager
def running(command, port, **options):
    process = subprocess.Popen(command, **options)
    try:
        wait_for(port)
        yield process
    finally:
        process.terminate()
        process.wait()


def nginx(folder, port):
    (folder / "nginx.conf").write_text(
        f"daemon off; pid {folder}/pid; error_log {folder}/error.log; worker_processes 1;\n"
        "events {}\nhttp { access_log off; sendfile on; server { "
        f"listen 127.0.0.1:{port}; root {folder}/files; }} }}\n")
    return ["/usr/sbin/nginx", "-p", str(folder), "-e", f"{folder}/error.log", "-c", f"{folder}/nginx.conf"]


def settings(folder, files, other):
    path = folder / "settings.yaml"
    path.write_text(
        f"log: {{level: error}}\naudit: {{file: {folder}/audit.db}}\n"
        "egress: {concurrent: 20000, concurrent_per_principal: 0, concurrent_per_host: 0, connections_per_host: 10000}\n"
        "streams: {lease: 10m}\n"
        "backends:\n"
        f"  - {{name: files, base_url: 'http://127.0.0.1:{files}/', private_network: true}}\n"
        f"  - {{name: other, base_url: 'http://127.0.0.1:{other}/', private_network: true}}\n")
    return path


def memory(process):
    for line in pathlib.Path(f"/proc/{process.pid}/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1])
    return 0


def cpu(process):
    fields = pathlib.Path(f"/proc/{process.pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def client(port, *words):
    out = subprocess.run([BUILD / "streams_bench", str(port), *map(str, words)], check=True,
                         capture_output=True, text=True).stdout
    return json.loads(out)


def measure(process, port, *words, times=3):
    best = None
    for _ in range(times):
        before = cpu(process)
        result = client(port, *words)
        result["cpu_seconds"] = round(cpu(process) - before, 2)
        if best is None or result["seconds"] < best["seconds"]:
            best = result
    return best


def idle_streams(process, port, count):
    before = memory(process)
    with subprocess.Popen([BUILD / "streams_bench", str(port), "idle", "/silent", str(count)],
                          stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as page:
        opened = json.loads(page.stdout.readline())
        after = memory(process)
        page.stdin.close()
    return {**opened, "kb_per_stream": round((after - before) / count, 1)}


def show(who, what, result):
    print(f"{who:12} {what:18} {json.dumps(result)}", flush=True)


def main():
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--mib", type=int, default=512, help="size of downloads and uploads")
    arguments.add_argument("--idle", type=int, nargs="*", default=[1000, 10000])
    arguments.add_argument("--peers", default=os.environ.get("BENCH_PEERS", ""), help="folder with node_modules")
    options = arguments.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "files").mkdir()
        with open(folder / "files" / "large", "wb") as file:
            for _ in range(options.mib):
                file.write(os.urandom(MIB))
        folder.chmod(0o755)
        files, other, ours, theirs = (free_port() for _ in range(4))
        with running(nginx(folder, files), files), \
                running(["python3", "-B", HERE / "origin.py", str(other)], other):
            run_ours(folder, options, files, other, ours)
            if options.peers:
                run_sdk(options, files, theirs)


def run_ours(folder, options, files, other, port):
    environment = {**os.environ, "XDG_STATE_HOME": str(folder)}
    config = settings(folder, files, other)
    command = [BUILD / "sallyport", "serve", "--config", config, "--port", str(port)]
    with running(command, port, env=environment) as process:
        show("sallyport", "download", measure(process, port, "download", "/large"))
    config.write_text(config.read_text().replace("name: files", "name: later").replace("name: other", "name: a"))
    text = config.read_text().splitlines()
    text[-1], text[-2] = text[-2], text[-1]  # the first backend serves paths that name none
    config.write_text("\n".join(text) + "\n")
    with running(command, port, env=environment) as process:
        show("sallyport", "upload", measure(process, port, "upload", "/up", options.mib * MIB))
    for count in options.idle:
        with running(command, port, env=environment) as process:
            show("sallyport", f"idle {count}", idle_streams(process, port, count))


def run_sdk(options, files, port):
    command = [f"{options.peers}/node", "--import", HERE.parent.parent / "tests/peers/resolve.mjs", HERE / "sdk2_streams.mjs",
               str(port), f"http://127.0.0.1:{files}/"]
    with running(command, port, env={**os.environ, "TEST_PEERS_DIR": options.peers}) as process:
        show("SDK 2", "download", measure(process, port, "download", "/large"))


main()

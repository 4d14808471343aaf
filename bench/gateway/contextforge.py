"""IBM's ContextForge: started on a database of its own, then told of the server behind it.

As by default, but for what would refuse the load: its limits of requests per minute and its guard
against addresses of this machine. Calls need no token (MCP_REQUIRE_AUTH), which spares it work.
"""

import http.client
import json
import pathlib
import secrets
import subprocess

ADMIN = "admin@example.com"
_KEYS = {name: secrets.token_urlsafe(32) for name in ("JWT_SECRET_KEY", "AUTH_ENCRYPTION_SECRET")}


def command(python, port, scratch):
    settings = {
        **_KEYS,
        "HOME": scratch,
        "DATABASE_URL": f"sqlite:///{scratch}/contextforge-{port}.db",
        "PLATFORM_ADMIN_EMAIL": ADMIN,
        "MCP_REQUIRE_AUTH": "false",
        "RATE_LIMITING_ENABLED": "false",
        "SSRF_ALLOW_LOCALHOST": "true",
        "SSRF_ALLOW_PRIVATE_NETWORKS": "true",
        "CACHE_TYPE": "memory",
        "LOG_LEVEL": "CRITICAL",
    }
    program = pathlib.Path(python).with_name("mcpgateway")
    return ["env", *(f"{name}={value}" for name, value in settings.items()), str(program),
            "mcpgateway.main:app", "--host", "127.0.0.1", "--port", str(port), "--no-access-log"]


def register(python, port, upstream):
    body = {"name": "up", "url": upstream, "transport": "STREAMABLEHTTP", "visibility": "public"}
    headers = {"Authorization": f"Bearer {_token(python)}", "Content-Type": "application/json"}
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    connection.request("POST", "/gateways", json.dumps(body), headers)
    answer = connection.getresponse()
    text = answer.read()
    if answer.status >= 300 and answer.status != 409:
        raise SystemExit(f"ContextForge took no server: {answer.status} {text[:300]!r}")


def _token(python):
    made = subprocess.run(
        [python, "-m", "mcpgateway.utils.create_jwt_token", "--username", ADMIN, "--exp", "600",
         "--admin", "--secret", _KEYS["JWT_SECRET_KEY"]],
        check=True, capture_output=True, text=True, env=_KEYS)
    return made.stdout.strip().splitlines()[-1]

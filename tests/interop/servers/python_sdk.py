"""A server on the Python SDK for the gateway before it: greets, fails, reports progress.

    python_sdk.py [PORT]      without a port: stdio
"""

import sys

from mcp.server import MCPServer
from mcp.server.mcpserver import Context

server = MCPServer("python")


@server.tool()
def hello(name: str) -> str:
    """Greets"""
    return f"Hello, {name}!"


@server.tool()
def fail() -> str:
    """Fails"""
    raise ValueError("It did not work")


@server.tool()
async def steps(context: Context) -> str:
    """Reports progress"""
    for step in (1, 2, 3):
        await context.report_progress(step, 3)
    return "Three steps"


@server.resource("note://one", mime_type="text/plain")
def note() -> str:
    return "The first note"


if len(sys.argv) > 1:
    server.run(transport="streamable-http", host="127.0.0.1", port=int(sys.argv[1]))
else:
    server.run(transport="stdio")

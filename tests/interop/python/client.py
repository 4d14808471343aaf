"""The checks of ../README.md with the Python SDK, or with FastMCP.

    client.py mcp|fastmcp URL legacy|modern
"""

import asyncio
import importlib.metadata
import logging
import sys
import warnings


def sdk_client(url, mode):
    from mcp import Client

    return Client(url, mode=mode)


def fastmcp_client(url, mode):
    from fastmcp import Client

    return Client(url, mode=mode)


CLIENTS = {"mcp": sdk_client, "fastmcp": fastmcp_client}


class Checks:
    def __init__(self, sdk, client, expected_version):
        self.client = client
        self.expected_version = expected_version
        # FastMCP's own call_tool raises on a failed tool; the result itself is what we look at.
        self.call = client.call_tool_mcp if sdk == "fastmcp" else client.call_tool
        self.progress_option = "progress_handler" if sdk == "fastmcp" else "progress_callback"

    async def text(self, tool, /, **arguments):
        result = await self.call(tool, arguments)
        assert not result.is_error, result
        return result.content[0].text

    async def negotiates(self):
        version = self.client.protocol_version
        print("protocol", version)
        assert version == self.expected_version, version

    async def lists(self):
        tools = await self.client.list_tools()
        names = {tool.name for tool in getattr(tools, "tools", tools)}
        assert {"greet", "slow_compute", "test_simple_text"} <= names, names
        resources = await self.client.list_resources()
        assert "test://static-text" in {str(r.uri) for r in getattr(resources, "resources", resources)}
        prompts = await self.client.list_prompts()
        assert "test_simple_prompt" in {p.name for p in getattr(prompts, "prompts", prompts)}

    async def calls(self):
        assert await self.text("test_simple_text") == "This is a simple text response for testing."
        assert await self.text("greet", name="Zoë ☕") == "Hello, Zoë ☕!"

    async def reports_progress(self):
        seen = []

        async def on_progress(progress, total, message):
            seen.append((progress, total))

        await self.call("test_tool_with_progress", {}, **{self.progress_option: on_progress})
        # The last one may arrive together with the answer, which ends the wait.
        await asyncio.sleep(0.1)
        assert seen in ([(0, 100), (50, 100), (100, 100)], [(0, 100), (50, 100)]), seen

    async def cancels(self):
        call = asyncio.create_task(self.call("slow_compute", {"seconds": 25, "label": "unwanted"}))
        await eventually(lambda: self.running(1), "the call runs")
        call.cancel()
        try:
            await call
            raise AssertionError("the call was answered")
        except asyncio.CancelledError:
            pass
        await eventually(lambda: self.running(0), "the server stopped the call")

    async def running(self, count):
        return await self.text("running_calls") == str(count)

    async def refuses_an_unknown_tool(self):
        from mcp import MCPError

        try:
            result = await self.call("no_such_tool", {})
        except MCPError as error:
            assert error.code == -32602, error
            return
        raise AssertionError(f"no error: {result}")

    async def reports_a_failed_tool(self):
        result = await self.call("test_error_handling", {})
        assert result.is_error
        assert "intentionally returns an error" in result.content[0].text
        assert (await self.call("greet", {"name": 7})).is_error


async def eventually(condition, what):
    for _ in range(100):
        if await condition():
            return
        await asyncio.sleep(0.03)
    raise AssertionError(f"not in 3 s: {what}")


async def main():
    sdk, url, era = sys.argv[1:]
    print("sdk", f"python {sdk}", importlib.metadata.version(sdk))
    version = {"legacy": "2025-11-25", "modern": "2026-07-28"}[era]
    mode = "legacy" if era == "legacy" else "auto"
    failed = False
    async with CLIENTS[sdk](url, mode) as client:
        checks = Checks(sdk, client, version)
        for name in ("negotiates", "lists", "calls", "reports_progress", "cancels",
                     "refuses_an_unknown_tool", "reports_a_failed_tool"):
            try:
                await asyncio.wait_for(getattr(checks, name)(), 20)
                print("ok", name, flush=True)
            except Exception as error:
                failed = True
                print("FAILED", f"{name}: {error!r}", flush=True)
    return failed


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    logging.disable(logging.ERROR)
    sys.exit(asyncio.run(main()))

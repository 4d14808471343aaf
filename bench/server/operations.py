"""The requests of the benchmark, and what a right answer to each looks like."""

import dataclasses
import json

TEXT = "The guarded door through which people leave a fort, and return."
MODERN = "2026-07-28"
LEGACY = "2025-11-25"
ID = "@ID@"  # replaced by a number of six digits, by post.lua and by Exchange


class WrongAnswer(Exception):
    """A server answered, but not what it was asked."""


@dataclasses.dataclass(frozen=True)
class Operation:
    name: str  # as the report shows it
    method: str
    era: str
    params: dict

    def body(self):
        params = dict(self.params)
        if self.era == MODERN:
            params["_meta"] = {
                "io.modelcontextprotocol/protocolVersion": MODERN,
                "io.modelcontextprotocol/clientCapabilities": {},
                "io.modelcontextprotocol/clientInfo": {"name": "bench", "version": "1.0.0"},
            }
        message = {"jsonrpc": "2.0", "id": ID, "method": self.method, "params": params}
        if self.method.startswith("notifications/"):
            del message["id"]
        return json.dumps(message, separators=(",", ":")).replace(f'"{ID}"', ID)

    def headers(self, session=None):
        headers = {
            "Content-Type": "application/json",
            "Accept": "application/json, text/event-stream",
        }
        if self.method != "initialize":
            headers["MCP-Protocol-Version"] = self.era
        if self.era == MODERN:
            headers["Mcp-Method"] = self.method
            if "name" in self.params:
                headers["Mcp-Name"] = self.params["name"]
        if session:
            headers["Mcp-Session-Id"] = session
        return headers

    def check(self, answer):
        """Raises WrongAnswer unless `answer`, an http_client.Answer, is what was asked for."""
        result = answer.message().get("result")
        if result is None:
            raise WrongAnswer(f"{self.name}: {answer.body[:300]!r}")
        if self.method == "tools/list":
            right = [tool["name"] for tool in result["tools"]] == ["echo"]
        elif self.method == "tools/call":
            right = result["content"] == [{"type": "text", "text": TEXT}]
        else:
            right = result["protocolVersion"] == LEGACY
        if not right:
            raise WrongAnswer(f"{self.name}: {answer.body[:300]!r}")


CALL = {"name": "echo", "arguments": {"text": TEXT}}
INITIALIZE = Operation(
    "initialize",
    "initialize",
    LEGACY,
    {
        "protocolVersion": LEGACY,
        "capabilities": {},
        "clientInfo": {"name": "bench", "version": "1.0.0"},
    },
)
INITIALIZED = Operation("initialized", "notifications/initialized", LEGACY, {})
MODERN_LIST = Operation(f"tools/list {MODERN}", "tools/list", MODERN, {})
MODERN_CALL = Operation(f"tools/call {MODERN}", "tools/call", MODERN, CALL)
LEGACY_LIST = Operation(f"tools/list {LEGACY}", "tools/list", LEGACY, {})
LEGACY_CALL = Operation(f"tools/call {LEGACY}", "tools/call", LEGACY, CALL)

// An app that also offers tools of its own by WebMCP, in the same frame and at the same time.
import { IframeChildTransport } from "@mcp-b/transports";
import { App } from "@modelcontextprotocol/ext-apps";
import { McpServer } from "@modelcontextprotocol/server";
import * as z from "zod";
import { initMcpFetch } from "../../src/index.ts";
import { scenarios } from "./scenarios.ts";

z.config({ jitless: true }); // the frame's policy has no eval

async function start(): Promise<void> {
  const app = new App({ name: "e2e-webmcp", version: "1.0.0" }, {});
  initMcpFetch(app);
  await app.connect();
  const server = new McpServer({ name: "page", version: "1.0.0" });
  server.registerTool(
    "add",
    { description: "Adds", inputSchema: z.object({ a: z.number(), b: z.number() }) },
    ({ a, b }) => ({ content: [{ type: "text", text: String(a + b) }] }),
  );
  await server.connect(new IframeChildTransport({ allowedOrigins: ["*"] }));
  Object.assign(window, { scenarios });
}

void start();

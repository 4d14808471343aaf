// The app in the frame. With `native` in its place, only the two lines about MCP are left out.
import { App } from "@modelcontextprotocol/ext-apps";
import { initMcpFetch } from "../../src/index.ts";
import { scenarios } from "./scenarios.ts";

declare const __native: boolean;

async function start(): Promise<void> {
  if (!__native) {
    const app = new App({ name: "e2e", version: "1.0.0" }, {});
    initMcpFetch(app);
    await app.connect();
  }
  Object.assign(window, { scenarios });
}

void start();

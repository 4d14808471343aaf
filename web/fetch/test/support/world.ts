// An origin, a gateway in front of it and an app, for each test anew.
import { afterEach, beforeEach } from "vitest";
import { releaseConnection } from "../../src/calls/connection.ts";
import { createMcpFetch } from "../../src/init.ts";
import type { McpFetchOptions } from "../../src/environment.ts";
import { ScriptedGateway } from "../gateway/scripted-gateway.ts";
import { TestApp } from "./app.ts";
import { Origin } from "./origin.ts";

export interface World {
  origin: Origin;
  gateway: ScriptedGateway;
  app: TestApp;
  fetch: typeof fetch;
}

export const kBase = "https://shop.example/";

/** What it returns is filled before each test. */
export function world(options: McpFetchOptions = {}): World {
  const it = {} as World;
  beforeEach(async () => {
    it.origin = await new Origin().listen();
    it.gateway = new ScriptedGateway({
      baseUrl: it.origin.url,
      paths: ["/api"],
      allowsAbsolute: true,
    });
    it.app = new TestApp(it.gateway);
    it.fetch = createMcpFetch(it.app, { baseUrl: kBase, ...options });
  });
  afterEach(async () => {
    await releaseConnection(it.app);
    it.gateway.close();
    await it.origin.close();
  });
  return it;
}

export async function eventually(what: () => boolean, ms = 3000): Promise<void> {
  const until = Date.now() + ms;
  while (!what()) {
    if (Date.now() > until) throw new Error(`It did not come true: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

export const sleep = (ms: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, ms));

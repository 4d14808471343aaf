import { afterEach, describe, expect, it } from "vitest";
import { initMcpFetch, type McpFetchHandle } from "../src/index.ts";
import { eventually, kBase, world } from "./support/world.ts";

describe("initMcpFetch", () => {
  const the = world();
  let handle: McpFetchHandle | undefined;
  afterEach(() => handle?.restore());

  it("replaces the globals, and gives them back", async () => {
    const before = [
      fetch,
      WebSocket,
      Reflect.get(globalThis, "EventSource"),
      "XMLHttpRequest" in globalThis,
    ];
    handle = initMcpFetch(the.app, { baseUrl: kBase });
    expect(handle.isActive()).toBe(true);
    expect(await (await fetch("/api/json")).text()).toContain('"b":1');
    expect(WebSocket).toBe(handle.WebSocket);
    expect(typeof navigator.sendBeacon).toBe("function");
    handle.stop();
    expect(handle.isActive()).toBe(false);
    expect([
      fetch,
      WebSocket,
      Reflect.get(globalThis, "EventSource"),
      "XMLHttpRequest" in globalThis,
    ]).toEqual(before);
    expect(navigator.sendBeacon).toBe(undefined);
    // It goes on without the globals.
    expect((await handle.fetch("/api/json")).status).toBe(200);
  });

  it("replaces only what it is asked to", () => {
    const before = { fetch, WebSocket };
    handle = initMcpFetch(the.app, { baseUrl: kBase, patch: { WebSocket: false } });
    expect(fetch).not.toBe(before.fetch);
    expect(WebSocket).toBe(before.WebSocket);
  });

  it("does not undo what somebody else replaced later", () => {
    const before = globalThis.fetch;
    handle = initMcpFetch(the.app, { baseUrl: kBase });
    const later = (() => {}) as unknown as typeof fetch;
    globalThis.fetch = later;
    handle.stop();
    expect(fetch).toBe(later);
    globalThis.fetch = before;
  });

  it("asks the native network only where the author wants it to", async () => {
    const urls: string[] = [];
    const native = globalThis.fetch;
    globalThis.fetch = (input) => {
      urls.push((input as Request).url);
      return Promise.resolve(new Response("native"));
    };
    try {
      handle = initMcpFetch(the.app, {
        baseUrl: kBase,
        interceptPaths: ["/api"],
        fallbackToNative: true,
      });
      expect(await (await fetch("/static/a.css")).text()).toBe("native");
      expect(await (await fetch("/api/json")).text()).toContain('"b":1');
      expect(urls).toEqual([`${kBase}static/a.css`]);
    } finally {
      await handle?.restore();
      globalThis.fetch = native;
    }
  });

  it("sends beacons", async () => {
    handle = initMcpFetch(the.app, { baseUrl: kBase });
    expect(navigator.sendBeacon("/api/echo", new Blob(["x"], { type: "text/x" }))).toBe(true);
    await eventually(() => the.origin.seen.length === 1);
    expect([the.origin.last.method, String(the.origin.last.body)]).toEqual(["POST", "x"]);
    expect(navigator.sendBeacon("/api/echo", "x".repeat(70_000))).toBe(false);
    expect(() => navigator.sendBeacon("http://[")).toThrow(TypeError);
  });

  it("waits until the app is connected", async () => {
    let capabilities: { experimental?: Record<string, object> } | undefined;
    const app = {
      callServerTool: the.app.callServerTool.bind(the.app),
      getHostCapabilities: () => capabilities,
      connect: () => {
        capabilities = {};
        return Promise.resolve();
      },
    };
    const { connect } = app;
    handle = initMcpFetch(app, { baseUrl: kBase });
    const pending = fetch("/api/json");
    await new Promise((resolve) => setTimeout(resolve, 30));
    expect(the.app.calls).toEqual([]);
    await app.connect();
    expect((await pending).status).toBe(200);
    await handle.restore();
    expect(app.connect).toBe(connect);
  });

  it("fails as fetch() does when the app cannot be connected", async () => {
    const app = {
      callServerTool: the.app.callServerTool.bind(the.app),
      getHostCapabilities: () => undefined,
      connect: () => Promise.reject(new Error("no host")),
    };
    handle = initMcpFetch(app, { baseUrl: kBase });
    const pending = fetch("/api/json");
    await expect(app.connect()).rejects.toThrow("no host");
    await expect(pending).rejects.toThrow(TypeError);
  });

  it("gives back the slot for the teardown", async () => {
    const own = (): object => ({ mine: true });
    the.app.onteardown = own;
    handle = initMcpFetch(the.app, { baseUrl: kBase });
    expect(the.app.onteardown).toBe(own);
    expect(await the.app.tearDown()).toEqual({ mine: true });
    await handle.restore();
    expect(Object.getOwnPropertyDescriptor(the.app, "onteardown")).toBe(undefined);
    expect(the.app.onteardown).toBe(own);
  });
});

describe("discovery", () => {
  const the = world();

  it("hears of the tool's name from its result, from the host, and from the author", async () => {
    await the.fetch("/api/json");
    the.app.toolResult({ _meta: { "sallyport/http": { v: 1, tool: "gate__http_request" } } });
    await the.fetch("/api/json").catch(() => {});
    the.app.hostCapabilities = {
      experimental: { "sallyport/http": { v: 1, tool: "host.http_request" } },
    };
    await the.fetch("/api/json").catch(() => {});
    await the
      .fetch("/api/echo", { method: "POST", body: new Blob([new Uint8Array(300_000)]) })
      .catch(() => {});
    expect(the.app.calls.map(({ name }) => name).slice(0, 4)).toEqual([
      "http_request",
      "gate__http_request",
      "host.http_request",
      "host.http_request_stream",
    ]);
  });

  it("does not listen to another version", async () => {
    the.app.toolResult({ _meta: { "sallyport/http": { v: 2, tool: "other" } } });
    expect((await the.fetch("/api/json")).status).toBe(200);
  });
});

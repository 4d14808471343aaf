import { describe, expect, it } from "vitest";
import { releaseConnection } from "../src/calls/connection.ts";
import { createMcpEventSource } from "../src/index.ts";
import { eventually, kBase, sleep, world } from "./support/world.ts";

describe("EventSource", () => {
  const the = world();
  const open = (path: string, init?: EventSourceInit): EventSource =>
    new (createMcpEventSource(the.app, { baseUrl: kBase }))(path, init);

  it("has the events with their types and ids", async () => {
    const source = open("/api/events?stay&count=3", { withCredentials: true });
    expect([source.readyState, source.url, source.withCredentials]).toEqual([
      0,
      `${kBase}api/events?stay&count=3`,
      true,
    ]);
    const seen: unknown[] = [];
    const note = ({ type, data, lastEventId, origin }: MessageEvent): unknown =>
      seen.push([type, data, lastEventId, origin]);
    source.onopen = () => seen.push("open");
    source.onmessage = note;
    source.addEventListener("even", note);
    await eventually(() => seen.length === 4);
    expect(seen).toEqual([
      "open",
      ["message", "price 1\nof 3", "1", "https://shop.example"],
      ["even", "price 2\nof 3", "2", "https://shop.example"],
      ["message", "price 3\nof 3", "3", "https://shop.example"],
    ]);
    expect(source.readyState).toBe(1);
    source.close();
    expect(source.readyState).toBe(2);
    await eventually(() => the.origin.cutOff === 1);
  });

  it("reconnects where it was, after the time that the server said", async () => {
    const source = open("/api/events?count=2&retry=30");
    const seen: string[] = [];
    const states: number[] = [];
    const note = ({ lastEventId }: MessageEvent): unknown => seen.push(lastEventId);
    source.onmessage = note;
    source.addEventListener("even", note);
    source.onerror = () => states.push(source.readyState);
    await eventually(() => seen.length >= 6);
    source.close();
    expect(seen.slice(0, 6)).toEqual(["1", "2", "3", "4", "5", "6"]);
    expect(states.every((state) => state === 0)).toBe(true);
    const ids = the.origin.seen.map(({ headers }) => headers["last-event-id"]);
    expect(ids.slice(0, 3)).toEqual([undefined, "2", "4"]);
  });

  it("goes on after the gateway was started again", async () => {
    const source = open("/api/events?count=100&ms=20&retry=30");
    const seen: number[] = [];
    const note = ({ lastEventId }: MessageEvent): unknown => seen.push(Number(lastEventId));
    source.onmessage = note;
    source.addEventListener("even", note);
    await eventually(() => seen.length > 5);
    the.gateway.restart();
    the.app.faults = [{ tool: "sse_connect", when: "before", times: 2 }];
    const before = seen.length;
    await eventually(() => seen.length > before + 5);
    source.close();
    expect(seen).toEqual(seen.map((_, n) => n + 1)); // none missing, none twice
  });

  describe.each([
    ["torn down", () => the.app.tearDown()],
    ["let go", () => releaseConnection(the.app)],
  ])("of an app that is %s", (_, end) => {
    const start = (path: string): { source: EventSource; errors: number[] } => {
      const source = open(path);
      const errors: number[] = [];
      source.onerror = () => errors.push(source.readyState);
      return { source, errors };
    };

    it("is closed and does not come back", async () => {
      const { source, errors } = start("/api/events?stay&retry=30");
      await eventually(() => source.readyState === 1);
      await end();
      await eventually(() => errors.length > 0);
      await sleep(200);
      expect(errors).toEqual([2]);
      expect([the.app.count("sse_connect"), the.gateway.openStreams]).toEqual([1, 0]);
    });

    it("is closed while it waits to connect again", async () => {
      const { errors } = start("/api/events?count=0&retry=300");
      await eventually(() => errors.length > 0);
      await end();
      await eventually(() => errors.length > 1);
      expect(errors).toEqual([0, 2]);
      expect(the.app.count("sse_connect")).toBe(1);
    });

    it("is closed while it connects", async () => {
      the.origin.routes.set("/api/later", async (_, response) => {
        await sleep(200);
        response.writeHead(200, { "content-type": "text/event-stream" }).flushHeaders();
      });
      const { errors } = start("/api/later");
      await eventually(() => the.app.count("sse_connect") === 1);
      await end();
      await eventually(() => errors.length > 0);
      expect(errors).toEqual([2]);
      await eventually(() => the.gateway.openStreams === 0);
    });
  });

  it.each(["/secret", "/api/json", "/api/status?code=204", "/api/status?code=500"])(
    "fails for good: %s",
    async (path) => {
      const source = open(path);
      let errors = 0;
      source.onerror = () => (errors += 1);
      await eventually(() => errors === 1);
      expect(source.readyState).toBe(2);
      await sleep(50);
      expect(the.app.count("sse_connect")).toBe(1);
    },
  );

  it("fails for good where its path is not intercepted", async () => {
    const options = { baseUrl: kBase, interceptPaths: ["/api"] };
    const source = new (createMcpEventSource(the.app, options))("/other/events");
    const states: number[] = [];
    source.onerror = () => states.push(source.readyState);
    await eventually(() => states.length > 0);
    expect(states).toEqual([2]);
  });

  it("refuses what is no URL", () => {
    expect(() => open("http://[")).toThrow(expect.objectContaining({ name: "SyntaxError" }));
  });

  it("is a plain stream of bytes for fetch()", async () => {
    const response = await the.fetch("/api/events?count=2");
    expect(response.headers.get("content-type")).toBe("text/event-stream");
    expect(await response.text()).toContain("id: 2\nevent: even\ndata: price 2\n");
  });
});

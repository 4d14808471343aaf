import { describe, expect, it } from "vitest";
import type { ToolCallOptions } from "../src/calls/tool-caller.ts";
import { serveToolPort } from "../src/host.ts";
import { createMcpFetch, envelopeOf, isAppMessage, Mux, PortCaller } from "../src/index.ts";
import { eventually, kBase, world } from "./support/world.ts";

describe("the envelopes of several protocols", () => {
  it("are told apart from messages of apps", () => {
    const call = { jsonrpc: "2.0", id: 1, method: "tools/call", channel: "x", type: "mcp" };
    expect(isAppMessage(call)).toBe(true);
    expect(envelopeOf(call)).toBe(undefined);
    const tagged = {
      channel: "mcp-iframe",
      type: "mcp",
      direction: "client-to-server",
      payload: call,
    };
    expect(isAppMessage(tagged)).toBe(false);
    expect(envelopeOf(tagged)).toBe(tagged);
    for (const other of [null, 1, "x", {}, { channel: 1, type: "mcp" }])
      expect(envelopeOf(other)).toBe(undefined);
  });

  it("go to their channel only, from their window only", () => {
    const here = new EventTarget() as unknown as Window;
    const posted: unknown[] = [];
    const there = { postMessage: (...args: unknown[]) => void posted.push(args) };
    const mux = new Mux({ here, there, origin: "https://host.example" });
    const heard: unknown[] = [];
    mux.on("a", (envelope) => heard.push(envelope.payload));
    const end = mux.on("b", () => heard.push("b"));
    end();
    const say = (data: unknown, source: unknown = there, origin = "https://host.example"): void => {
      const event = new MessageEvent("message", { data, origin });
      Object.defineProperty(event, "source", { value: source });
      here.dispatchEvent(event);
    };
    say({ channel: "a", type: "t", payload: 1 });
    say({ channel: "b", type: "t", payload: 2 });
    say({ channel: "a", type: "t", payload: 3 }, {});
    say({ channel: "a", type: "t", payload: 4 }, there, "https://other.example");
    say({ jsonrpc: "2.0", method: "x", channel: "a", type: "t", payload: 5 });
    expect(heard).toEqual([1]);
    mux.send("a", "t", 6);
    expect(posted).toEqual([[{ channel: "a", type: "t", payload: 6 }, "https://host.example", []]]);
    mux.close();
    say({ channel: "a", type: "t", payload: 7 });
    expect(heard).toEqual([1]);
  });
});

describe("a port of the host", () => {
  const the = world();

  it("takes the calls, their progress and their cancellation", async () => {
    const { port1, port2 } = new MessageChannel();
    const end = serveToolPort(port1, the.app);
    const overPort = createMcpFetch(new PortCaller(port2), { baseUrl: kBase, push: true });
    expect(await (await overPort("/api/json")).text()).toContain('"b":1');
    const long = await (await overPort("/api/bytes?size=2000000")).arrayBuffer();
    expect(long.byteLength).toBe(2_000_000);
    await expect(overPort("/secret")).rejects.toMatchObject({ cause: { code: "policy_denied" } });
    const controller = new AbortController();
    const pending = overPort("/api/slow?head=5000", { signal: controller.signal });
    await eventually(() => the.origin.last.url.startsWith("/api/slow"));
    controller.abort();
    await expect(pending).rejects.toMatchObject({ name: "AbortError" });
    await eventually(() => the.origin.cutOff === 1);
    end();
    port2.close();
  });

  it("sets no limit to how long a call takes", async () => {
    const { port1, port2 } = new MessageChannel();
    const options: (ToolCallOptions | undefined)[] = [];
    const end = serveToolPort(port1, {
      callServerTool: (_, given) => {
        options.push(given);
        return Promise.resolve({});
      },
    });
    await new PortCaller(port2).callServerTool({ name: "http_request", arguments: {} });
    expect(options).toMatchObject([{ timeout: 2 ** 31 - 1, resetTimeoutOnProgress: true }]);
    end();
    port2.close();
  });
});

import { describe, expect, it } from "vitest";
import { createMcpWebSocket } from "../src/index.ts";
import { eventually, kBase, sleep, world } from "./support/world.ts";

const opened = (socket: WebSocket): Promise<Event> =>
  new Promise((resolve, reject) => {
    socket.onopen = resolve;
    socket.onerror = () => reject(new Error("not opened"));
  });
const closed = (socket: WebSocket): Promise<CloseEvent> =>
  new Promise((resolve) => socket.addEventListener("close", resolve));
const nextMessage = (socket: WebSocket): Promise<MessageEvent> =>
  new Promise((resolve) => socket.addEventListener("message", resolve, { once: true }));

describe.each([
  ["pulled", false],
  ["pushed", true],
])("WebSocket, %s", (_, push) => {
  const the = world({ push });
  const open = (path = "/api/chat", protocols: string | string[] = []): WebSocket =>
    new (createMcpWebSocket(the.app, { baseUrl: kBase, push }))(path, protocols);

  it("has the states, constants and names of the real one", async () => {
    const socket = open("/api/chat", ["other", "chat"]);
    expect([socket.readyState, socket.url, socket.protocol]).toEqual([
      0,
      "wss://shop.example/api/chat",
      "",
    ]);
    expect([socket.CONNECTING, socket.OPEN, socket.CLOSING, socket.CLOSED]).toEqual([0, 1, 2, 3]);
    expect(socket.constructor.name).toBe("WebSocket");
    expect(() => socket.send("early")).toThrow(
      expect.objectContaining({ name: "InvalidStateError" }),
    );
    await opened(socket);
    expect([socket.readyState, socket.protocol, socket.extensions]).toEqual([1, "chat", ""]);
    const end = closed(socket);
    socket.close(3001, "bye");
    expect(socket.readyState).toBe(2);
    expect(await end).toMatchObject({ code: 3001, reason: "bye", wasClean: true });
    expect(socket.readyState).toBe(3);
    socket.send("late");
    expect(socket.bufferedAmount).toBe(4);
  });

  it("brings text and bytes back as they were", async () => {
    const socket = open();
    await opened(socket);
    socket.send("häß \u{1f600}");
    expect((await nextMessage(socket)).data).toBe("häß \u{1f600}");
    socket.send("\ud800x");
    expect((await nextMessage(socket)).data).toBe("\ufffdx");
    socket.send("");
    expect((await nextMessage(socket)).data).toBe("");
    socket.send(new Uint8Array([0, 1, 255]).subarray(1));
    const blob = (await nextMessage(socket)).data as Blob;
    expect(new Uint8Array(await blob.arrayBuffer())).toEqual(new Uint8Array([1, 255]));
    socket.binaryType = "arraybuffer";
    socket.send(new Blob([new Uint8Array([7, 8])]));
    const message = await nextMessage(socket);
    expect(new Uint8Array(message.data as ArrayBuffer)).toEqual(new Uint8Array([7, 8]));
    expect(message.origin).toBe("wss://shop.example");
    socket.close();
  });

  it("keeps the order of blobs and texts", async () => {
    const socket = open();
    await opened(socket);
    const seen: unknown[] = [];
    socket.binaryType = "arraybuffer";
    socket.onmessage = ({ data }) => seen.push(typeof data === "string" ? data : "blob");
    socket.send(new Blob(["x".repeat(1000)]));
    socket.send("after");
    socket.send(new Blob(["y"]));
    await eventually(() => seen.length === 3);
    expect(seen).toEqual(["blob", "after", "blob"]);
    socket.close();
  });

  it("has 10,000 messages in order, in far fewer calls", async () => {
    const socket = open();
    await opened(socket);
    const seen: string[] = [];
    socket.onmessage = ({ data }) => seen.push(data as string);
    for (let n = 0; n < 10_000; ++n) socket.send(String(n));
    expect(socket.bufferedAmount).toBe(38_890);
    await eventually(() => seen.length === 10_000, 10_000);
    expect(seen.every((text, n) => text === String(n))).toBe(true);
    await eventually(() => socket.bufferedAmount === 0);
    expect(the.app.count("ws_send")).toBeLessThan(50);
    socket.close();
  });

  it("cuts long messages in pieces and puts them together", async () => {
    const socket = open();
    socket.binaryType = "arraybuffer";
    await opened(socket);
    const text = "ä\u{1f600}".repeat(300_000);
    socket.send(text);
    expect((await nextMessage(socket)).data === text).toBe(true);
    const bytes = new Uint8Array(1_500_000).map((_, n) => n % 251);
    socket.send(bytes);
    expect(Buffer.from((await nextMessage(socket)).data as ArrayBuffer).equals(bytes)).toBe(true);
    await eventually(() => socket.bufferedAmount === 0);
    socket.close();
  });

  it("fires each message in a turn of its own", async () => {
    const socket = open("/api/flood?count=20");
    const seen: unknown[] = [];
    await opened(socket);
    // One-shot listeners, as `await`ing code has them, must not miss any.
    while (seen.length < 20) seen.push((await nextMessage(socket)).data);
    expect(seen).toEqual(Array.from({ length: 20 }, (_, n) => String(n)));
    expect(await closed(socket)).toMatchObject({ code: 1000, reason: "that was all" });
  });

  it("tells how the other side closed", async () => {
    const socket = open();
    await opened(socket);
    socket.send("close me");
    expect(await closed(socket)).toMatchObject({
      code: 4321,
      reason: "as you wish",
      wasClean: true,
    });
  });

  it("tells how the other side closed, also to who was about to send", async () => {
    const socket = open();
    await opened(socket);
    const end = closed(socket);
    socket.send("close me");
    await sleep(30);
    for (let n = 0; n < 5; ++n) socket.send("too late");
    expect(await end).toMatchObject({ code: 4321, reason: "as you wish", wasClean: true });
  });

  it("survives calls that are lost", async () => {
    const socket = open();
    await opened(socket);
    the.app.faults = [
      { tool: "ws_send", when: "after", times: 2 },
      { tool: "stream_pull", when: "after", times: 2 },
    ];
    socket.send("once");
    expect((await nextMessage(socket)).data).toBe("once");
    socket.send("twice");
    expect((await nextMessage(socket)).data).toBe("twice");
    socket.close();
  });
});

describe("a WebSocket that fails", () => {
  const the = world();
  const open = (path: string): WebSocket =>
    new (createMcpWebSocket(the.app, { baseUrl: kBase }))(path);

  it.each(["/secret", "/api/drop", "wss://shop.example:25/", "wss://[::1]:1/"])(
    "fires error and close with 1006: %s",
    async (path) => {
      const socket = open(path);
      const events: string[] = [];
      socket.onerror = ({ type }) => events.push(type);
      const end = await closed(socket);
      expect(end).toMatchObject({ code: 1006, reason: "", wasClean: false });
      if (path !== "/api/drop") expect(events).toEqual(["error"]);
      expect(socket.readyState).toBe(3);
    },
  );

  it("closes with 1006 when the gateway was started again, and does not reconnect", async () => {
    const socket = open("/api/chat");
    await opened(socket);
    await sleep(20);
    const end = closed(socket);
    the.gateway.restart();
    expect(await end).toMatchObject({ code: 1006, wasClean: false });
    await sleep(100);
    expect(the.app.count("ws_connect")).toBe(1);
  });

  it("can be closed before it is open", async () => {
    const socket = open("/api/chat");
    const end = closed(socket);
    socket.close();
    expect(socket.readyState).toBe(2);
    expect(await end).toMatchObject({ code: 1006 });
    await eventually(() => the.gateway.openStreams === 0);
  });

  it.each([
    ["http://[", "SyntaxError"],
    ["ftp://x/", "SyntaxError"],
    ["wss://x/#a", "SyntaxError"],
  ])("refuses the URL %s", (url, name) => {
    expect(() => open(url)).toThrow(expect.objectContaining({ name }));
  });

  it("refuses codes, reasons and subprotocols as the real one does", async () => {
    const Socket = createMcpWebSocket(the.app, { baseUrl: kBase });
    for (const protocols of [["a", "a"], ["a b"], ""])
      expect(() => new Socket("/api/chat", protocols)).toThrow(DOMException);
    const socket = open("/api/chat");
    for (const code of [999, 1001, 2999, 5000])
      expect(() => socket.close(code)).toThrow(
        expect.objectContaining({ name: "InvalidAccessError" }),
      );
    expect(() => socket.close(1000, "ä".repeat(62))).toThrow(
      expect.objectContaining({ name: "SyntaxError" }),
    );
    socket.close(1000, "ä".repeat(61));
    const other = open("/api/chat");
    await opened(other);
    const end = closed(other);
    other.close(1000, "half \ud807");
    expect(await end).toMatchObject({ reason: "half \ufffd" });
    expect(the.app.calls.at(-1)!.arguments.reason).toBe("half \ufffd");
  });
});

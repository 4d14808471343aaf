import assert from "node:assert/strict";
import { test } from "node:test";
import { respond, serve } from "./gateway.mjs";
import { Kind, World, until } from "./world.mjs";

// Opens, echoes, and closes when asked.
function echoServer(world, { protocol = "", onOpen = () => {} } = {}) {
  const frames = [];
  world.onSend = ({ kind, call, json, bytes }) => {
    frames.push({ kind, json, bytes });
    if (kind === Kind.Call)
      setImmediate(
        () => (world.answer(call, { value: { protocol, extensions: "" } }), onOpen(call)),
      );
    else if (kind === Kind.Chunk)
      setImmediate(() => (world.credit(call, bytes.length), world.chunk(call, bytes)));
    else if (kind === Kind.End)
      setImmediate(() => world.end(call, { code: json.code ?? 1005, reason: json.reason ?? "" }));
  };
  return frames;
}

test("A WebSocket sends and receives texts and bytes", async () => {
  const world = new World();
  const frames = echoServer(world, { protocol: "chat" });
  const { value } = await world.run(`
    const ws = new WebSocket("https://a.test/x", ["chat", "other"]);
    ws.binaryType = "arraybuffer";
    const seen = [ws.readyState, ws.url];
    ws.onopen = () => { seen.push(ws.readyState, ws.protocol); ws.send("tëxt"); ws.send(new Uint8Array([0, 255])); };
    const closed = new Promise((resolve) => ws.addEventListener("close", resolve));
    let count = 0;
    ws.onmessage = ({ data, origin }) => {
      seen.push(typeof data === "string" ? data : [...new Uint8Array(data)], origin);
      if (++count === 2) ws.close(3001, "done");
    };
    const event = await closed;
    return [...seen, event.code, event.reason, event.wasClean, ws.readyState]`);
  assert.deepEqual(value, [
    0,
    "wss://a.test/x",
    1,
    "chat",
    "tëxt",
    "wss://a.test",
    [0, 255],
    "wss://a.test",
    3001,
    "done",
    true,
    3,
  ]);
  assert.deepEqual(frames[0].json, {
    operation: "websocket",
    url: "wss://a.test/x",
    protocols: ["chat", "other"],
  });
  assert.equal(frames[1].bytes[0], "t".charCodeAt(0));
  assert.equal(frames[2].bytes[0], "b".charCodeAt(0));
});

test("A connection that fails gives error and close 1006 with the reason", async () => {
  const world = new World();
  world.onSend = ({ kind, call }) => {
    if (kind === Kind.Call)
      setImmediate(() =>
        world.answer(call, { error: { name: "PolicyDenied", message: "denied by policy" } }),
      );
  };
  const { value } = await world.run(`
    const ws = new WebSocket("wss://a.test/");
    const seen = [];
    ws.onerror = (e) => seen.push(e.type, e.message);
    await new Promise((r) => (ws.onclose = (e) => { seen.push(e.code, e.wasClean, e.reason); r() }));
    return seen`);
  assert.deepEqual(value, [
    "error",
    "WebSocket failed: denied by policy",
    1006,
    false,
    "denied by policy",
  ]);
});

test("Messages wait for credit, and bufferedAmount says how much", async () => {
  const world = new World();
  const frames = [];
  world.onSend = ({ kind, call, bytes }) => {
    frames.push({ kind, bytes, call });
    if (kind === Kind.Call) setImmediate(() => world.answer(call, { value: {} }));
    if (kind === Kind.End) setImmediate(() => world.end(1, { code: 1000, reason: "" }));
  };
  const run = world.run(`
    const ws = new WebSocket("wss://a.test/");
    await new Promise((r) => (ws.onopen = r));
    for (let i = 0; i < 4; ++i) ws.send(new Uint8Array(100_000));
    const atOnce = ws.bufferedAmount;
    await new Promise((r) => setTimeout(r, 5));
    const waiting = ws.bufferedAmount;
    console.log("waits");
    while (ws.bufferedAmount > 0) await new Promise((r) => setTimeout(r, 1));
    ws.close();
    await new Promise((r) => (ws.onclose = r));
    return [atOnce, waiting]`);
  await until(() => world.output.length > 0);
  // Three messages go out while there is any credit left; the fourth waits.
  const chunks = () => frames.filter(({ kind }) => kind === Kind.Chunk).length;
  assert.equal(chunks(), 3);
  world.credit(1, 400_000);
  assert.equal(chunks(), 4);
  assert.deepEqual((await run).value, [400_000, 100_000]);
  // The end comes after the last message.
  assert.equal(frames.at(-1).kind, Kind.End);
});

test("What the standard refuses is refused by name", async () => {
  const world = new World();
  echoServer(world);
  const names = async (code) =>
    (
      await world.run(
        `let ws; try { ${code}; return "ok" } catch (e) { ws?.close(); return e.name }`,
      )
    ).value;
  assert.equal(await names(`new WebSocket("wss://a.test/#x")`), "SyntaxError");
  assert.equal(await names(`new WebSocket("ftp://a.test/")`), "SyntaxError");
  assert.equal(await names(`new WebSocket("wss://a.test/", ["a", "a"])`), "SyntaxError");
  assert.equal(await names(`new WebSocket("wss://a.test/", "not a token")`), "SyntaxError");
  assert.equal(
    await names(`ws = new WebSocket("wss://a.test/"); ws.send("early")`),
    "InvalidStateError",
  );
  assert.equal(
    await names(`ws = new WebSocket("wss://a.test/"); ws.close(1001)`),
    "InvalidAccessError",
  );
  assert.equal(
    await names(`ws = new WebSocket("wss://a.test/"); ws.close(3000, "x".repeat(124))`),
    "SyntaxError",
  );
});

test("An open socket keeps the run alive until it is closed", async () => {
  const world = new World();
  echoServer(world, {
    onOpen: (call) => setTimeout(() => world.end(call, { code: 1000, reason: "bye" }), 30),
  });
  const { value } = await world.run(
    `const ws = new WebSocket("wss://a.test/"); ws.onclose = (e) => console.log("closed", e.reason); "main is over"`,
  );
  assert.equal(value, "main is over");
  assert.deepEqual(world.output, ["closed bye"]);
});

test("An EventSource dispatches events, keeps the last id and comes back", async () => {
  const world = new World();
  let connections = 0;
  const calls = serve(world, (call) => {
    ++connections;
    const body =
      connections === 1
        ? "\uFEFFretry: 10\n: comment\nid: 7\nevent: news\ndata: one\r\ndata: two\n\ndata: plain\n\n"
        : "data: again\n\n";
    respond(call, world, { headers: [["content-type", "text/event-stream; charset=utf-8"]], body });
  });
  const { value } = await world.run(`
    const source = new EventSource("https://a.test/events");
    const seen = [];
    source.addEventListener("news", (e) => seen.push(["news", e.data, e.lastEventId, e.origin]));
    await new Promise((done) => {
      source.onmessage = (e) => { seen.push([e.data, e.lastEventId]); if (e.data === "again") { source.close(); done() } };
    });
    return [seen, source.readyState]`);
  assert.deepEqual(value, [
    [
      ["news", "one\ntwo", "7", "https://a.test"],
      ["plain", "7"],
      ["again", "7"],
    ],
    2,
  ]);
  const second = calls.get(2).request.headers;
  assert.deepEqual(
    second.find(([name]) => name === "Last-Event-ID"),
    ["Last-Event-ID", "7"],
  );
});

test("An EventSource that policy denies does not come back", async () => {
  const world = new World();
  let calls = 0;
  world.onSend = ({ kind, call }) => {
    if (kind !== Kind.Call) return;
    ++calls;
    const error = { name: "Error", message: "denied by policy", code: "policy_denied" };
    setImmediate(() => world.answer(call, { error }));
  };
  const { value } = await world.run(`
    const source = new EventSource("https://a.test/events");
    const event = await new Promise((r) => (source.onerror = r));
    return [source.readyState, event.message]`);
  assert.equal(value[0], 2);
  assert.match(value[1], /denied by policy/);
  assert.equal(calls, 1);
});

test("An EventSource whose answer is no event stream is closed", async () => {
  const world = new World();
  serve(world, (call) => respond(call, world, { headers: [["content-type", "text/html"]] }));
  const { value } = await world.run(`
    const source = new EventSource("https://a.test/");
    const e = await new Promise((r) => (source.onerror = r));
    return [source.readyState, e.message]`);
  assert.deepEqual(value, [2, "the answer is text/html, not text/event-stream"]);
});

test("Tools are called through mcp, and errors come back as errors", async () => {
  const world = new World();
  const calls = serve(world, (call) => {
    if (call.request.operation === "mcp.listTools")
      world.answer(call.id, { value: [{ name: "t" }] });
    else if (call.request.tool === "bad")
      world.answer(call.id, { error: { name: "PolicyDenied", message: "no", code: "denied" } });
    else
      world.answer(call.id, {
        value: { content: [{ type: "text", text: JSON.stringify(call.request.arguments) }] },
      });
  });
  const { value } = await world.run(`
    const tools = await mcp.listTools("s");
    const result = await mcp.callTool("s", "t", { a: [1, new Date(0)], u: undefined });
    try { await mcp.callTool("s", "bad") } catch (e) { return [tools, result.content[0].text, e.name, e.message, e.code] }`);
  assert.deepEqual(value, [
    [{ name: "t" }],
    '{"a":[1,"1970-01-01T00:00:00.000Z"]}',
    "PolicyDenied",
    "no",
    "denied",
  ]);
  assert.deepEqual(calls.get(1).request, { operation: "mcp.listTools", server: "s" });
  assert.deepEqual(calls.get(3).request, {
    operation: "mcp.callTool",
    server: "s",
    tool: "bad",
    arguments: {},
  });
});

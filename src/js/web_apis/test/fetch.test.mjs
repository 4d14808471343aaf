import assert from "node:assert/strict";
import { test } from "node:test";
import { respond, serve } from "./gateway.mjs";
import { World, until } from "./world.mjs";

async function fetching(code, handler, options) {
  const world = new World();
  const calls = serve(world, handler);
  const result = await world.run(code, options);
  return { ...result, world, calls: [...calls.values()] };
}

test("fetch tells the gateway method, URL, headers and redirect mode", async () => {
  const { calls } = await fetching(
    `await fetch("https://api.test/a?b=1#frag", { method: "patch", headers: { "X-A": "1" }, redirect: "error" })`,
    respond,
  );
  assert.deepEqual(calls[0].request, {
    operation: "fetch",
    method: "patch",
    url: "https://api.test/a?b=1",
    headers: [
      ["X-A", "1"],
      ["accept", "*/*"],
    ],
    redirect: "error",
    body: false,
  });
});

test("A response has what the gateway said", async () => {
  const { value } = await fetching(
    `const r = await fetch("https://a.test/x#f");
     return [r.status, r.statusText, r.ok, r.url, r.redirected, r.type, r.headers.get("x-many"), r.headers.getSetCookie(), await r.json()]`,
    (call, world) =>
      respond(call, world, {
        status: 201,
        reason: "Made",
        url: "https://b.test/final#y",
        redirected: true,
        headers: [
          ["X-Many", "1"],
          ["x-many", "2"],
          ["Set-Cookie", "a=1"],
          ["set-cookie", "b=2"],
        ],
        body: '{"n":1}',
      }),
  );
  assert.deepEqual(value, [
    201,
    "Made",
    true,
    "https://b.test/final",
    true,
    "basic",
    "1, 2",
    ["a=1", "b=2"],
    { n: 1 },
  ]);
});

test("The headers of a response cannot be changed", async () => {
  const { error } = await fetching(
    `(await fetch("https://a.test/")).headers.set("a", "b")`,
    respond,
  );
  assert.equal(error.name, "TypeError");
});

test("A failure of the network is a TypeError whose cause has code and reasons", async () => {
  const { value } = await fetching(
    `try { await fetch("https://a.test/") } catch (e) { return [e.name, e.message, e.cause.message, e.cause.code, e.cause.reasons, e instanceof TypeError] }`,
    (call, world) =>
      world.answer(call.id, {
        error: {
          name: "PolicyDenied",
          message: "denied by policy",
          code: "denied",
          reasons: ["only GET"],
        },
      }),
  );
  assert.deepEqual(value, [
    "TypeError",
    "fetch failed: denied by policy",
    "denied by policy",
    "denied",
    ["only GET"],
    true,
  ]);
});

test("A failure shows where in the script the fetch was", async () => {
  const { error } = await fetching(
    `const x = 1;\n  await fetch("https://a.test/")`,
    (call, world) => world.answer(call.id, { error: { name: "Error", message: "no route" } }),
  );
  assert.equal(
    error.stack.split("\n").slice(0, 2).join(),
    "TypeError: fetch failed: no route,    at script.js:2:9",
  );
});

test("Without the API fetch throws the sentence that says how to turn it on", async () => {
  const { value } = await fetching(
    `try { await fetch("https://a.test/") } catch (e) { return [typeof fetch, e.name, e.message] }`,
    respond,
    { apis: { fetch: "fetch is off: configure a policy." } },
  );
  assert.deepEqual(value, ["function", "Error", "fetch is off: configure a policy."]);
});

test("A body of known size is sent with its length, and then its end", async () => {
  const { calls } = await fetching(
    `const r = await fetch("https://a.test/", { method: "POST", body: new URLSearchParams({ a: "ü" }) }); r.status`,
    respond,
  );
  const [call] = calls;
  assert.equal(call.request.length, 8);
  assert.deepEqual(call.request.headers[0], [
    "content-type",
    "application/x-www-form-urlencoded;charset=UTF-8",
  ]);
  assert.equal(Buffer.concat(call.body).toString(), "a=%C3%BC");
  assert.deepEqual(call.ended, {});
});

test("A stream is sent chunk by chunk and has no length", async () => {
  const { calls } = await fetching(
    `const parts = ["one", "two", "three"];
     const body = new ReadableStream({ pull(c) { parts.length ? c.enqueue(new TextEncoder().encode(parts.shift())) : c.close() } });
     (await fetch("https://a.test/", { method: "PUT", body, duplex: "half" })).status`,
    respond,
  );
  assert.equal(calls[0].request.length, undefined);
  assert.deepEqual(calls[0].body.map(String), ["one", "two", "three"]);
});

test("No more is sent than the gateway gave credit for", async () => {
  const world = new World();
  let seen;
  const handler = async (call) => {
    // Some turns later, still only the first credit has come.
    for (let i = 0; i < 5; ++i) await new Promise((resolve) => setImmediate(resolve));
    seen = Buffer.concat(call.body).length;
    while (call.ended === undefined) {
      world.credit(call.id, 100_000);
      await new Promise((resolve) => setImmediate(resolve));
    }
    respond(call, world, { body: String(Buffer.concat(call.body).length) });
  };
  handler.early = true;
  serve(world, handler);
  const { value } = await world.run(
    `(await fetch("https://a.test/", { method: "POST", body: new Uint8Array(1_000_000) })).text()`,
  );
  assert.equal(seen, 256 * 1024);
  assert.equal(value, "1000000");
});

test("Credit is given for what has been read, not for what has arrived", async () => {
  const world = new World();
  const handler = (call) => {
    world.answer(call.id, { value: { status: 200, headers: [] } });
    for (let i = 0; i < 4; ++i) world.chunk(call.id, Buffer.alloc(64 * 1024, i));
  };
  const calls = serve(world, handler);
  const run = world.run(
    `const reader = (await fetch("https://a.test/")).body.getReader();
     const first = await reader.read();
     console.log("read one");
     await new Promise((resolve) => (globalThis.goOn = resolve, setTimeout(() => {}, 2000)));
     let n = first.value.length;
     for (let s; !(s = await reader.read()).done;) n += s.value.length;
     return n`,
  );
  await until(() => world.output.length > 0);
  assert.deepEqual(calls.get(1).credits, [64 * 1024]);
  world.global.goOn();
  await until(() => calls.get(1).credits.length === 4);
  world.end(1);
  assert.equal((await run).value, 256 * 1024);
  assert.equal(
    calls.get(1).credits.reduce((a, b) => a + b),
    256 * 1024,
  );
});

test("An abort rejects with the very reason and cancels the call", async () => {
  const { value, calls } = await fetching(
    `const reason = { why: "enough" };
     const c = new AbortController();
     setTimeout(() => c.abort(reason), 5);
     try { await fetch("https://a.test/", { signal: c.signal }) } catch (e) { return e === reason }`,
    () => {},
  );
  assert.equal(value, true);
  assert.equal(calls[0].cancelled, true);
});

test("An abort while the body is read errors the body with the reason", async () => {
  const { value, calls } = await fetching(
    `const c = new AbortController();
     const r = await fetch("https://a.test/", { signal: c.signal });
     setTimeout(() => c.abort(), 5);
     try { await r.text() } catch (e) { return [e.name, e instanceof DOMException] }`,
    (call, world) => {
      world.answer(call.id, { value: { status: 200, headers: [] } });
      world.chunk(call.id, "some");
    },
  );
  assert.deepEqual(value, ["AbortError", true]);
  assert.equal(calls[0].cancelled, true);
});

test("AbortSignal.timeout gives a TimeoutError", async () => {
  const { value } = await fetching(
    `try { await fetch("https://a.test/", { signal: AbortSignal.timeout(10) }) } catch (e) { return e.name }`,
    () => {},
  );
  assert.equal(value, "TimeoutError");
});

test("A signal that is already aborted makes no call", async () => {
  const { value, calls } = await fetching(
    `try { await fetch("https://a.test/", { signal: AbortSignal.abort("no") }) } catch (e) { return e }`,
    respond,
  );
  assert.equal(value, "no");
  assert.equal(calls.length, 0);
});

test("An error in the middle of a body errors the stream", async () => {
  const { value } = await fetching(
    `const r = await fetch("https://a.test/"); try { await r.text() } catch (e) { return [e.name, e.cause.code] }`,
    (call, world) => {
      world.answer(call.id, { value: { status: 200, headers: [] } });
      world.chunk(call.id, "half");
      world.end(call.id, { error: { name: "Error", message: "connection lost", code: "reset" } });
    },
  );
  assert.deepEqual(value, ["TypeError", "reset"]);
});

test("Cancelling a body cancels the call", async () => {
  const { calls } = await fetching(
    `const r = await fetch("https://a.test/"); await r.body.cancel(); 1`,
    (call, world) => {
      world.answer(call.id, { value: { status: 200, headers: [] } });
      world.chunk(call.id, "half");
    },
  );
  assert.equal(calls[0].cancelled, true);
});

test("A body that nobody reads does not keep the run alive", async () => {
  const { value } = await fetching(`(await fetch("https://a.test/")).status`, (call, world) => {
    world.answer(call.id, { value: { status: 200, headers: [] } });
    world.chunk(call.id, "never ended");
  });
  assert.equal(value, 200);
});

test("A manual redirect is opaque: status 0, no headers, no body", async () => {
  const { value } = await fetching(
    `const r = await fetch("https://a.test/", { redirect: "manual" }); return [r.type, r.status, [...r.headers], r.body]`,
    (call, world) =>
      respond(call, world, { status: 302, headers: [["location", "/x"]], type: "opaqueredirect" }),
  );
  assert.deepEqual(value, ["opaqueredirect", 0, [], null]);
});

test("Answers to HEAD and with status 204 have no body", async () => {
  const { value } = await fetching(
    `const a = await fetch("https://a.test/", { method: "HEAD" }); const b = await fetch("https://a.test/"); return [a.body, b.body, await b.text()]`,
    (call, world) => respond(call, world, { status: call.request.method === "HEAD" ? 200 : 204 }),
  );
  assert.deepEqual(value, [null, null, ""]);
});

test("A clone can be read beside the original and says the same", async () => {
  const { value } = await fetching(
    `const r = await fetch("https://a.test/"); const c = r.clone();
     return [await r.text(), await c.text(), c.url, c.type, c.redirected, r.bodyUsed]`,
    (call, world) => respond(call, world, { body: "twice", redirected: true }),
  );
  assert.deepEqual(value, ["twice", "twice", "https://a.test/", "basic", true, true]);
});

test("Integrity that does not match is a TypeError", async () => {
  const { value } = await fetching(
    `const good = "sha256-" + btoa(String.fromCharCode(...new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode("text")))));
     const text = await (await fetch("https://a.test/", { integrity: good })).text();
     try { await fetch("https://a.test/", { integrity: "sha256-AAAA" }) } catch (e) { return [text, e.name] }`,
    (call, world) => respond(call, world, { body: "text" }),
  );
  assert.deepEqual(value, ["text", "TypeError"]);
});

test("data: and blob: URLs need no gateway", async () => {
  const { value, calls } = await fetching(
    `const a = await (await fetch("data:text/plain;base64,aGk=")).text();
     const url = URL.createObjectURL(new Blob(["blob"], { type: "text/x" }));
     const b = await fetch(url);
     return [a, await b.text(), b.headers.get("content-type")]`,
    respond,
    { apis: { fetch: "off" } },
  );
  assert.deepEqual(value, ["hi", "blob", "text/x"]);
  assert.equal(calls.length, 0);
});

test("What cannot be a request is a TypeError before anything is sent", async () => {
  const bad = [
    `fetch("/relative")`,
    `fetch("https://user:pass@a.test/")`,
    `fetch("https://a.test/", { method: "TRACE" })`,
    `fetch("https://a.test/", { body: "x" })`,
    `fetch("https://a.test/", { headers: { "a b": "c" } })`,
    `fetch("https://a.test:25/")`,
    `fetch("ftp://a.test/")`,
    `fetch("https://a.test/", { method: "POST", body: new ReadableStream() })`,
    `fetch()`,
  ];
  for (const code of bad) {
    const { error, calls } = await fetching(`await ${code}`, respond);
    assert.equal(error?.name, "TypeError", code);
    assert.equal(calls.length, 0, code);
  }
});

test("The gateway may stop an upload and still answer", async () => {
  const world = new World();
  const handler = (call) => {
    world.cancel(call.id);
    respond(call, world, { status: 413 });
  };
  handler.early = true;
  serve(world, handler);
  const { value } = await world.run(
    `(await fetch("https://a.test/", { method: "POST", body: new Uint8Array(2_000_000) })).status`,
  );
  assert.equal(value, 413);
});

test("An answer in full ends an upload that is still under way", async () => {
  const world = new World();
  const handler = (call) => respond(call, world, { status: 403, body: "no" });
  handler.early = true;
  serve(world, handler);
  const { value } = await world.run(`
    let cancelled;
    const body = new ReadableStream({ pull: (c) => c.enqueue(new Uint8Array(100_000)), cancel: (reason) => (cancelled = reason.name) });
    const r = await fetch("https://a.test/", { method: "POST", body, duplex: "half" });
    return [r.status, await r.text(), cancelled]`);
  assert.deepEqual(value, [403, "no", "TypeError"]);
});

test("The error of a run tells the reasons of a policy", async () => {
  const { error } = await fetching(`await fetch("https://a.test/")`, (call, world) =>
    world.answer(call.id, {
      error: {
        name: "PolicyDenied",
        message: "denied",
        code: "policy_denied",
        reasons: ["only GET", "not here"],
      },
    }),
  );
  assert.equal(error.cause, "PolicyDenied: denied (policy_denied): only GET; not here");
});

test("An upload whose stream fails rejects with its error as the cause", async () => {
  const world = new World();
  const handler = () => {};
  handler.early = true;
  const calls = serve(world, handler);
  const { value } = await world.run(
    `const body = new ReadableStream({ pull() { throw new RangeError("mine") } });
     try { await fetch("https://a.test/", { method: "POST", body, duplex: "half" }) } catch (e) { return [e.name, e.cause.name, e.cause.message] }`,
  );
  assert.deepEqual(value, ["TypeError", "RangeError", "mine"]);
  assert.equal(calls.get(1).cancelled, true);
});

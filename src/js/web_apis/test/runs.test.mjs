import assert from "node:assert/strict";
import { test } from "node:test";
import { Kind, World } from "./world.mjs";

const world = new World();
const value = async (code) => {
  const result = await world.run(code);
  assert.equal(result.error, undefined, JSON.stringify(result.error));
  return result.value;
};

test("Timers fire in the order of their times, microtasks between them", async () => {
  const own = new World({ manualClock: true });
  const { value: order } = await own.run(`
    const order = [];
    setTimeout(() => order.push("b"), 10);
    setTimeout((x) => { order.push(x); queueMicrotask(() => order.push("micro")); }, 0, "a");
    setTimeout(() => order.push("a2"), 0);
    const id = setTimeout(() => order.push("never"), 5);
    clearTimeout(id);
    let n = 0;
    await new Promise((done) => { const i = setInterval(() => { order.push("i"); if (++n === 3) { clearInterval(i); done() } }, 8) });
    return order`);
  assert.deepEqual(order, ["a", "micro", "a2", "i", "b", "i", "i"]);
});

test("A thousand timers in any order fire sorted, those of one time in their order", async () => {
  const own = new World({ manualClock: true });
  const { value: fired } = await own.run(`
    const fired = [];
    const times = Array.from({ length: 1000 }, (_, i) => (i * 7919) % 50);
    await Promise.all(times.map((t, i) => new Promise((r) => setTimeout(() => { fired.push([t, i]); r() }, t))));
    return fired`);
  const sorted = fired.every(
    ([t, i], at) =>
      at === 0 || fired[at - 1][0] < t || (fired[at - 1][0] === t && fired[at - 1][1] < i),
  );
  assert.equal(fired.length, 1000);
  assert.ok(sorted);
});

test("A timer that is taken back never fires, wherever it is in the heap", async () => {
  const own = new World({ manualClock: true });
  const { value: fired } = await own.run(`
    const fired = [];
    const ids = Array.from({ length: 300 }, (_, i) => setTimeout(() => fired.push(i), (i * 7919) % 97));
    ids.forEach((id, i) => { if (i % 3) clearTimeout(id) });
    await new Promise((r) => setTimeout(r, 100));
    return fired.length === 100 && fired.every((i) => i % 3 === 0)`);
  assert.equal(fired, true);
});

test("The run goes on until its timers are done", async () => {
  const { value: main } = await world.run("setTimeout(() => console.log('later'), 20); 'main'");
  assert.equal(main, "main");
  assert.deepEqual(world.output, ["later"]);
});

test("The alarm of AbortSignal.timeout wakes a script that waits for it", async () => {
  const code = `await new Promise((resolve) => (AbortSignal.timeout(5).onabort = resolve)); "woken"`;
  assert.equal(await value(code), "woken");
});

test("A promise that nobody settles ends the run with an error", async () => {
  const { error } = await world.run("await new Promise(() => {})");
  assert.match(error.message, /never happens/);
});

test("What a callback throws makes the run fail", async () => {
  assert.equal(
    (
      await world.run(
        "setTimeout(() => { throw new Error('late') }, 1); await new Promise((r) => setTimeout(r, 50))",
      )
    ).error.message,
    "late",
  );
  assert.equal(
    (
      await world.run(
        "const t = new EventTarget(); t.addEventListener('x', () => { throw new Error('listener') }); t.dispatchEvent(new Event('x')); 1",
      )
    ).error.message,
    "listener",
  );
  assert.equal(
    (await world.run("queueMicrotask(() => { throw new Error('micro') }); 1")).error.message,
    "micro",
  );
});

test("A rejection without a handler makes the run fail, one that gets it in time does not", async () => {
  assert.equal((await world.run("Promise.reject(new Error('nobody')); 1")).error.message, "nobody");
  assert.equal(
    await value("const p = Promise.reject(1); await null; p.catch(() => {}); 'fine'"),
    "fine",
  );
  assert.equal(
    await value(
      "addEventListener('unhandledrejection', (e) => { e.preventDefault(); console.log('heard', e.reason) }); Promise.reject(5); 'fine'",
    ),
    "fine",
  );
  assert.deepEqual(world.output, ["heard 5"]);
});

test("Nothing of an earlier run is left in the next one of a session", async () => {
  const own = new World();
  await own.run("setTimeout(() => console.log('old'), 30); throw new Error('x')", {
    session: true,
  });
  const { value: result } = await own.run("await new Promise((r) => setTimeout(r, 60)); 'new'", {
    session: true,
  });
  assert.equal(result, "new");
  assert.deepEqual(own.output, []);
});

test("The console formats as Node does", async () => {
  await world.run(`
    console.log("%s has %d and %i, %f, %j %o %%", "x", 4.5, 4.5, "1.5", { a: 1 }, [1]);
    console.log({ a: { b: { c: { d: { e: {} } } } } });
    class Point { constructor() { this.x = 1 } get y() { throw new Error("getter ran") } }
    console.info(new Point(), new Map([["k", { v: 1 }]]), new Set([1]), [1, , 3], Symbol("s"), 10n, -0, null, undefined);
    const cycle = { name: "c" }; cycle.me = cycle; console.warn(cycle);
    console.error(new Proxy({ secret: 1 }, { get() { throw new Error("trap ran") }, ownKeys() { throw new Error("trap ran") } }));
    console.debug(Promise.resolve(1), Promise.reject(2).catch(() => {}) && 0, new Uint8Array(3), new Headers({ a: "1" }));
    console.group("group"); console.log("in\\nside"); console.groupEnd(); console.log("out");
    console.assert(true, "no"); console.assert(false, "yes %d", 1); console.count("c"); console.count("c"); console.countReset("c");`);
  // Node marks promises while its test runner looks on.
  const frames = world.consoleFrames.map(({ level, text }) => ({
    level,
    text: text.replace(/, Symbol\((trigger_)?async_id_symbol\): \d+/g, ""),
  }));
  assert.deepEqual(frames, [
    { level: "log", text: 'x has 4.5 and 4, 1.5, {"a":1} [ 1, [length]: 1 ] %' },
    { level: "log", text: "{\n  a: {\n    b: { c: { d: { e: {} } } }\n  }\n}" },
    {
      level: "info",
      text: "Point { x: 1 } Map(1) { 'k' => { v: 1 } } Set(1) { 1 } [ 1, <1 empty item>, 3 ] Symbol(s) 10n -0 null undefined",
    },
    { level: "warn", text: "<ref *1> { name: 'c', me: [Circular *1] }" },
    { level: "error", text: "Proxy({ secret: 1 })" },
    { level: "debug", text: "Promise { 1 } 0 Uint8Array(3) [ 0, 0, 0 ] Headers { a: '1' }" },
    { level: "log", text: "group" },
    { level: "log", text: "  in\n  side" },
    { level: "log", text: "out" },
    { level: "error", text: "Assertion failed: yes 1" },
    { level: "info", text: "c: 1" },
    { level: "info", text: "c: 2" },
  ]);
});

test("A huge text or list does not make a huge frame", async () => {
  await world.run(
    "console.log('x'.repeat(5_000_000)); console.log(new Array(5_000_000).fill(1)); console.log({ s: 'y'.repeat(1_000_000) })",
  );
  for (const text of world.output) assert.ok(text.length < 1_000_100, String(text.length));
});

test("Random numbers differ between runs that are forks of each other", async () => {
  const numbers = await value("Array.from({ length: 1000 }, Math.random)");
  assert.ok(numbers.every((n) => n >= 0 && n < 1));
  assert.notDeepEqual(await value("Array.from({ length: 1000 }, Math.random)"), numbers);
});

test("What V8 10.2 lacks is there", async () => {
  const code = `
    const { promise, resolve } = Promise.withResolvers(); resolve(9);
    return [
      Object.groupBy([1, 2, 3], (x) => (x % 2 ? "odd" : "even")), [...Map.groupBy([1, 2], (x) => x % 2).keys()], [3, 1].toSorted(), [1, 2].toReversed(),
      [1, 2, 3].toSpliced(1, 1), [1, 2].with(0, 9), [1, 2].findLast((x) => x < 2), await Array.fromAsync([Promise.resolve(1)]), "\\ud800".isWellFormed(), "\\ud800".toWellFormed(),
      await promise, [...new Set([1, 2]).union(new Set([3]))], [...new Set([1, 2]).intersection(new Set([2]))], [1, 2].values().map((x) => x * 2).toArray(),
      Array.from(Uint8Array.fromBase64("AQI=")), new ArrayBuffer(4).transfer(8).byteLength, Symbol.iterator in Iterator.prototype,
    ]`;
  assert.deepEqual(await value(code), [
    { odd: [1, 3], even: [2] },
    [1, 0],
    [1, 3],
    [2, 1],
    [1, 3],
    [9, 2],
    1,
    [1],
    false,
    "\ufffd",
    9,
    [1, 2, 3],
    [2],
    [2, 4],
    [1, 2],
    8,
    true,
  ]);
});

test("Warming up sends nothing, fails nothing and leaves nothing", async () => {
  const own = new World();
  own.listen();
  own.host.warm();
  await new Promise((resolve) => setTimeout(resolve, 20));
  assert.deepEqual(own.frames, []);
  assert.deepEqual(own.consoleFrames, []);
  assert.equal(own.host.failure(), undefined);
  let first;
  own.onSend = ({ kind, call }) => {
    if (kind === Kind.Call) first ??= call;
    if (kind === Kind.Call) setImmediate(() => own.answer(call, { value: 7 }));
  };
  assert.equal((await own.run("mcp.listTools()")).value, 7);
  assert.equal(first, 1);
});

test("Nothing of the host can be reached", async () => {
  const code = `[typeof __host, Object.getOwnPropertyNames(globalThis).filter((n) => /host|core-js|sallyport/i.test(n)), typeof process, typeof require]`;
  assert.deepEqual(await value(code), ["undefined", [], "undefined", "undefined"]);
});

test("Frames stay frames when a script replaces what they are made with", async () => {
  const own = new World();
  const { error } = await own.run(`
    const bad = () => { throw new Error("tampered") };
    for (const name of ["push", "map", "join", "some", "filter", "forEach", "slice"]) Array.prototype[name] = bad;
    Object.defineProperty(Array.prototype, 0, { set: bad, configurable: true });
    Object.prototype.toJSON = () => "bent"; String.prototype.toJSON = () => "bent";
    JSON.stringify = bad; Map.prototype.get = bad; Promise.prototype.then = bad; Reflect.apply = bad;
    console.log("plain");
    throw new Error("the end");`);
  assert.ok(["the end", "tampered"].includes(error.message), error.message);
  for (const frame of own.consoleFrames) assert.deepEqual(Object.keys(frame), ["level", "text"]);
});

test("Messages between ports are copies and come later", async () => {
  const code = `
    const { port1, port2 } = new MessageChannel();
    const order = [];
    const got = new Promise((resolve) => (port2.onmessage = (e) => { order.push("message"); resolve(e.data) }));
    const sent = { list: [1] };
    port1.postMessage(sent);
    order.push("after");
    const data = await got;
    port1.close();
    return [order, data, data !== sent]`;
  assert.deepEqual(await value(code), [["after", "message"], { list: [1] }, true]);
});

test("Aborted signals, combined ones and listeners work together", async () => {
  const code = `
    const a = new AbortController(), b = new AbortController();
    const any = AbortSignal.any([a.signal, b.signal]);
    const seen = [];
    any.onabort = () => seen.push("handler");
    any.addEventListener("abort", () => seen.push("listener"), { once: true });
    const target = new EventTarget();
    target.addEventListener("x", () => seen.push("x"), { signal: any });
    target.dispatchEvent(new Event("x"));
    b.abort("why"); a.abort("late");
    target.dispatchEvent(new Event("x"));
    return [seen, any.aborted, any.reason]`;
  assert.deepEqual(await value(code), [["x", "handler", "listener"], true, "why"]);
});

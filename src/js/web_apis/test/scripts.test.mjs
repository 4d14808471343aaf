import assert from "node:assert/strict";
import { test } from "node:test";
import { World } from "./world.mjs";

const world = new World();
const value = async (code, options) => {
  const result = await world.run(code, options);
  assert.equal(result.error, undefined, `${code}: ${JSON.stringify(result.error)}`);
  return result.value;
};

test("The value of the last expression is the value of the script", async () => {
  assert.equal(await value("1 + 1"), 2);
  assert.equal(await value("const x = 1; x + 1; // said"), 2);
  assert.equal(await value("const x = 1"), undefined);
  assert.equal(await value("(1, 2)"), 2);
  assert.equal(await value("if (1) { 'yes' } else 'no'"), "yes");
  assert.equal(await value("try { throw 1 } catch { 'caught' }"), "caught");
  assert.deepEqual(await value("({ a: 1 })"), { a: 1 });
  assert.equal(await value("export default 5"), 5);
  assert.equal(await value("'use strict'; 7"), 7);
  assert.equal(await value("async function main() { return 8 }\nmain()"), 8);
  assert.equal(await value("`a\n${1}\nb`"), "a\n1\nb");
  assert.equal(await value(""), undefined);
  assert.deepEqual(await value('{ "a": 1, "b": [2] }'), { a: 1, b: [2] });
});

test("A return at the top ends the script with its value", async () => {
  assert.equal(await value("return 5"), 5);
  assert.equal(await value("return"), undefined);
  assert.equal(await value("for (const x of [1, 2, 3]) { if (x > 1) return x }\n'none'"), 2);
  assert.equal(await value("try { return 'a' } finally { console.log('b') }"), "a");
  assert.deepEqual(await value("return (\n  // why\n  { a: await Promise.resolve(1) }\n)"), {
    a: 1,
  });
  assert.equal(
    await value("const f = () => { return 1 }; function g() { return 2 }\nreturn f() + g()"),
    3,
  );
  assert.equal(await value("switch (1) { case 1: return 'one' }"), "one");
});

test("Types are taken out, and lines and columns stay", async () => {
  const code = `interface A { x: number }
type B<T> = T extends string ? 1 : 2;
enum E { One = 1, Two }
abstract class C<T> implements I { constructor(private readonly v: T, public w?: number) {} abstract m(): void; get(): T { return this.v!; } }
class D extends C<number> { override m(this: D): void {} declare z: string; }
const g = <T,>(x: T, ...rest: any[]): x is T => Boolean(x as unknown as T);
const m: Map<string, number[]> = new Map<string, number[]>();
function over(a: string): string; function over(a: any) { return a; }
let tuple: [a: string, b?: number] = ["x"]; const s = { k: 1 } satisfies Record<string, number>;
[new D(3).get(), E.Two, g(1), m.size, over("o"), tuple![0], s.k, Array.from<number>([1]).length]`;
  assert.deepEqual(await value(code, { name: "a.ts" }), [3, 2, true, 0, "o", "x", 1, 1]);
  const { error } = await world.run(
    "const a: string = 'x';\nconst b: Record<string, number> = null.c;",
    { name: "b.ts" },
  );
  assert.match(error.stack, /at b\.ts:2:40/);
});

test("JavaScript that only looks like types is left alone", async () => {
  assert.equal(await value("const a = 1, b = 2, c = 3; a < b === (c > b)"), true);
  assert.equal(await value("let type = 1; type\n= 2; type"), 2);
  assert.equal(await value("const as = 1; const x = { as, of: 2, get: 3, async: 4 }; x.as"), 1);
  assert.equal(await value("/<T>(x)/.test('<T>x')"), true);
});

test("Syntax errors say what is wrong and where", async () => {
  const error = async (code) => (await world.run(code)).error;
  assert.deepEqual(await error("const a = ;"), {
    name: "SyntaxError",
    message: "Unexpected token ';' (line 1, column 11)",
    line: 1,
    column: 11,
  });
  assert.deepEqual(
    { ...(await error("let x: number = 1;\nlet y = x +;")) },
    {
      name: "SyntaxError",
      message: "Unexpected token ';' (line 2, column 12)",
      line: 2,
      column: 12,
    },
  );
  assert.match((await error("function f() {")).message, /Unexpected end of the script/);
  assert.match((await error("const x = <div>hi</div>")).message, /JSX is not supported/);
  assert.match((await error("let a = 1; let a = 2")).message, /already been declared/);
  assert.match((await error('"abc')).message, /Unterminated string/);
  assert.equal((await error("(".repeat(100_000))).name, "SyntaxError");
});

test("Errors show the frames of the script only, with its own columns", async () => {
  const { error } = await world.run(
    "function f() {\n  return [1].map(() => new URL('nonsense'));\n}\n  f()",
    { name: "mine.js" },
  );
  assert.equal(error.name, "TypeError");
  const frames = error.stack
    .split("\n")
    .filter((line) => /mine\.js|web_apis|anonymous/.test(line) && !line.includes("file:"));
  assert.deepEqual(frames, [
    "    at mine.js:2:24",
    "    at f (mine.js:2:14)",
    "    at mine.js:4:3",
  ]);
});

test("A session keeps its names", async () => {
  const session = { session: true };
  const own = new World();
  await own.run(
    "const a = 1; let { b, ...rest } = { b: 2, c: 3 }; var v = 4; function f() { return a } class K { static x = 5 }",
    session,
  );
  assert.deepEqual((await own.run("[a, b, rest, v, f(), K.x]", session)).value, [
    1,
    2,
    { c: 3 },
    4,
    1,
    5,
  ]);
  await own.run("const a = 10; b = 20", session);
  assert.deepEqual((await own.run("[a, b]", session)).value, [10, 20]);
  await own.run("const kept = 1; if (kept) return 'early'; const never = 2", session);
  assert.deepEqual((await own.run("[kept, never === undefined]", session)).value, [1, true]);
  assert.equal(
    (await own.run("export const shown = 1; const other = 2", session)).error,
    undefined,
  );
  assert.equal((await own.run("shown + other", session)).value, 3);
});

test("Values that JSON cannot say have a form", async () => {
  const code = `({ big: 10n, f() {}, s: Symbol("x"), n: NaN, u: undefined, m: new Map([["a", 1]]), pairs: new Map([[1, 2]]), set: new Set([1]),
    bytes: new Uint8Array([1, 2]), floats: new Float32Array([0.5]), h: new Headers({ a: "b" }), q: new URLSearchParams("a=1"), url: new URL("https://a.test"),
    p: Promise.resolve(), d: new Date(0), list: [undefined, () => {}] })`;
  assert.deepEqual(await value(code), {
    big: "10",
    f: "[Function: f]",
    s: "Symbol(x)",
    n: null,
    m: { a: 1 },
    pairs: [[1, 2]],
    set: [1],
    bytes: { type: "Uint8Array", base64: "AQI=" },
    floats: [0.5],
    h: { a: "b" },
    q: { a: "1" },
    url: "https://a.test/",
    p: "[Promise]",
    d: "1970-01-01T00:00:00.000Z",
    list: [null, "[Function (anonymous)]"],
  });
  assert.deepEqual(await value("const a = { n: 1 }; a.a = a; [a, a]"), [
    { n: 1, a: "[Circular]" },
    { n: 1, a: "[Circular]" },
  ]);
  const failed = await value(
    "Object.assign(new TypeError('t', { cause: new Error('c') }), { code: 5 })",
  );
  assert.deepEqual(
    [failed.name, failed.message, failed.code, failed.cause.message],
    ["TypeError", "t", 5, "c"],
  );
  assert.match(await value("({ get bad() { throw new Error('x') } })"), /Getter/);
});

test("The value of a deep object does not overflow the stack", async () => {
  const result = await value("let o = {}; for (let i = 0; i < 100000; ++i) o = { o }; o");
  assert.equal(typeof result, "object");
});

test("Whatever is thrown can be described", async () => {
  const described = async (code) => (await world.run(code)).error;
  assert.equal((await described("throw 'text'")).message, "Uncaught 'text'");
  assert.equal((await described("throw undefined")).message, "Uncaught undefined");
  assert.equal((await described("throw { a: 1 }")).message, "Uncaught { a: 1 }");
  assert.equal((await described("throw Object.create(null)")).name, "Error");
  assert.equal((await described("throw new Proxy({}, { get() { throw 1 } })")).name, "Error");
  assert.equal(
    (await described("throw { get message() { throw 1 }, get stack() { throw 2 } }")).name,
    "Error",
  );
  assert.equal((await described("throw new DOMException('m', 'AbortError')")).name, "AbortError");
  assert.equal(
    (
      await described(
        "throw new Error('a', { cause: Object.assign(new Error('b'), { code: 'E1' }) })",
      )
    ).cause,
    "Error: b (E1)",
  );
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { World } from "./world.mjs";

const world = new World();
const value = async (code) => {
  const result = await world.run(code);
  assert.equal(result.error, undefined, JSON.stringify(result.error));
  return result.value;
};

test("All byte values survive every way of reading a body", async () => {
  const code = `
    const all = Uint8Array.from({ length: 256 }, (_, i) => i);
    const same = (b) => b.length === 256 && b.every((x, i) => x === i);
    const r = () => new Response(all);
    return [
      same(new Uint8Array(await r().arrayBuffer())), same(await r().bytes()),
      same(await (await r().blob()).bytes()), same(new Uint8Array(await new Blob([all, ""]).arrayBuffer())),
    ]`;
  assert.deepEqual(await value(code), [true, true, true, true]);
});

test("A form with binary parts is the same after a round trip", async () => {
  const code = `
    const all = Uint8Array.from({ length: 1024 }, (_, i) => i);
    const form = new FormData();
    form.append("text", "line\\nend");
    form.append("we\\"ird\\r\\n", "ü");
    form.append("file", new Blob([all, "\\r\\n--", all], { type: "application/x-thing" }), "na\\"me.bin");
    form.append("empty", new File([], "empty.txt"));
    const request = new Request("https://a.test/", { method: "POST", body: form });
    const type = request.headers.get("content-type");
    const back = await request.formData();
    const file = back.get("file");
    const bytes = await file.bytes();
    const expected = [...all, 13, 10, 45, 45, ...all];
    return [type.startsWith("multipart/form-data; boundary="), [...back.keys()], back.get("text"), back.get("we\\"ird\\r\\n"),
      file.name, file.type, bytes.length === expected.length && bytes.every((b, i) => b === (expected[i] & 255)),
      back.get("empty").size, back.get("empty").type]`;
  assert.deepEqual(await value(code), [
    true,
    ["text", 'we"ird\r\n', "file", "empty"],
    "line\r\nend",
    "ü",
    'na"me.bin',
    "application/x-thing",
    true,
    0,
    "application/octet-stream",
  ]);
});

test("A form that breaks the rules is a TypeError, however it breaks them", async () => {
  const bodies = [
    "",
    "--x",
    "--x\r\n",
    "--x\r\nno colon\r\n\r\nv\r\n--x--",
    "--x\r\nContent-Disposition: form-data; name=a\r\n\r\nv",
    "garbage--x--",
  ];
  for (const body of bodies) {
    const code = `
      const r = new Response(${JSON.stringify(body)}, { headers: { "content-type": "multipart/form-data; boundary=x" } });
      try { await r.formData(); return "ok" } catch (e) { return e.name }`;
    assert.equal(await value(code), "TypeError", body);
  }
});

test("Url-encoded forms are read", async () => {
  const code = `[...await new Response(new URLSearchParams("a=1&b=%C3%BC&a=+2")).formData()]`;
  assert.deepEqual(await value(code), [
    ["a", "1"],
    ["b", "ü"],
    ["a", " 2"],
  ]);
});

test("The type of a blob comes from the content type", async () => {
  assert.equal(
    await value(
      `(await new Response("x", { headers: { "Content-Type": "Text/HTML; Charset=utf-8" } }).blob()).type`,
    ),
    "text/html;charset=utf-8",
  );
});

test("Lone surrogates become replacement characters", async () => {
  assert.deepEqual(await value(`[...await new Blob(["\\uD800"]).bytes()]`), [239, 191, 189]);
});

test("A body can be read once", async () => {
  const code = `const r = new Response("x"); await r.text(); try { await r.text() } catch (e) { return [e.name, r.bodyUsed] }`;
  assert.deepEqual(await value(code), ["TypeError", true]);
});

test("A request made from a request takes its body", async () => {
  const code = `
    const a = new Request("https://a.test/", { method: "POST", body: "x" });
    const b = new Request(a);
    return [a.bodyUsed, await b.text(), b.headers.get("content-type")]`;
  assert.deepEqual(await value(code), [true, "x", "text/plain;charset=UTF-8"]);
});

test("Compressed streams come back as they were", async () => {
  const code = `
    const round = async (format) => {
      const source = new Response("text ".repeat(10000)).body.pipeThrough(new CompressionStream(format));
      const [a, b] = source.tee();
      const size = (await new Response(a).bytes()).length;
      return (await new Response(b.pipeThrough(new DecompressionStream(format))).text()) === "text ".repeat(10000) && size < 1000;
    };
    return Promise.all(["gzip", "deflate", "deflate-raw"].map(round))`;
  assert.deepEqual(await value(code), [true, true, true]);
});

test("Damaged compressed data is a TypeError", async () => {
  const code = `try { await new Response(new Response("nonsense").body.pipeThrough(new DecompressionStream("gzip"))).text() } catch (e) { return e.name }`;
  assert.equal(await value(code), "TypeError");
});

test("A stream with a BYOB reader fills the buffer it is given", async () => {
  const code = `
    const reader = new Response("hello world").body.getReader({ mode: "byob" });
    const { value } = await reader.read(new Uint8Array(5));
    return new TextDecoder().decode(value)`;
  assert.equal(await value(code), "hello");
});

test("UTF-8 is the same with the help of the host and without it", async () => {
  const code = `
    const bytes = [[0xef, 0xbb, 0xbf, 0x61], [0xc3], [0xe2, 0x82], [0xed, 0xa0, 0x80], [0xf0, 0x9f, 0x8c, 0x8d], [0xf4, 0x90, 0x80, 0x80], [0xc0, 0x80, 0x61], []];
    const decoded = bytes.map((b) => [new TextDecoder().decode(new Uint8Array(b)), new TextDecoder("utf-8", { ignoreBOM: true }).decode(new Uint8Array(b))]);
    const d = new TextDecoder();
    const stream = [d.decode(new Uint8Array([0xe2, 0x82]), { stream: true }), d.decode(new Uint8Array([0xac])), d.decode(new Uint8Array([0x61]))];
    return [decoded, stream, ["a", "\ud800x", "€", "🌍"].map((t) => [...new TextEncoder().encode(t)]), await new Response("\ufeffx").text()]`;
  const { value: other } = await new World({ knowsUtf8: true }).run(code);
  assert.deepEqual(other, await value(code));
  assert.deepEqual(other[1], ["", "€", "a"]);
  assert.equal(other[3], "x");
});

test("structuredClone copies what can be copied and refuses the rest", async () => {
  const code = `
    const source = { d: new Date(5), m: new Map([[1, new Set(["x"])]]), e: new RangeError("r"), b: new Blob(["abc"]), big: 1n, u: undefined, list: [, 1] };
    source.self = source;
    const copy = structuredClone(source);
    const refused = [() => {}, Symbol(), new WeakMap(), Promise.resolve(), new Headers(), new Proxy({}, {})].map((v) => {
      try { structuredClone(v); return "copied" } catch (e) { return e.name }
    });
    const buffer = new ArrayBuffer(8);
    const moved = structuredClone({ buffer }, { transfer: [buffer] });
    return [copy !== source, copy.self === copy, copy.d.getTime(), copy.m.get(1).has("x"), copy.e instanceof RangeError, await copy.b.text(),
      typeof copy.big, "u" in copy, 0 in copy.list, refused, buffer.byteLength, moved.buffer.byteLength]`;
  assert.deepEqual(await value(code), [
    true,
    true,
    5,
    true,
    true,
    "abc",
    "bigint",
    true,
    false,
    [
      "DataCloneError",
      "DataCloneError",
      "DataCloneError",
      "DataCloneError",
      "DataCloneError",
      "DataCloneError",
    ],
    0,
    8,
  ]);
});

test("Digests and HMACs are those of the standard", async () => {
  const code = `
    const hex = (b) => [...new Uint8Array(b)].map((x) => x.toString(16).padStart(2, "0")).join("");
    const bytes = (t) => new TextEncoder().encode(t);
    const key = await crypto.subtle.importKey("raw", bytes("key"), { name: "HMAC", hash: "SHA-256" }, false, ["sign", "verify"]);
    const mac = await crypto.subtle.sign("HMAC", key, bytes("The quick brown fox jumps over the lazy dog"));
    return [hex(await crypto.subtle.digest("sha-1", bytes("abc"))), hex(mac),
      await crypto.subtle.verify("HMAC", key, mac, bytes("The quick brown fox jumps over the lazy dog")),
      await crypto.subtle.verify("HMAC", key, mac, bytes("other")),
      /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/.test(crypto.randomUUID()),
      await crypto.subtle.encrypt({ name: "AES-GCM" }, key, mac).catch((e) => e.name)]`;
  assert.deepEqual(await value(code), [
    "a9993e364706816aba3e25717850c26c9cd0d89d",
    "f7bc83f430538424b13298e6aa6fb143ef4d59a14946175997479dbc2d1a3cd8",
    true,
    false,
    true,
    "NotSupportedError",
  ]);
});

test("Methods called on the wrong object throw TypeErrors", async () => {
  const code = `
    const thrown = (f) => { try { f(); return "no" } catch (e) { return e.name } };
    return [
      thrown(() => Headers.prototype.get.call({}, "a")), thrown(() => Object.getOwnPropertyDescriptor(Response.prototype, "status").get.call({})),
      thrown(() => new AbortSignal()), thrown(() => new Crypto()), thrown(() => Headers()), thrown(() => EventTarget.prototype.dispatchEvent.call({}, new Event("x"))),
      await Response.prototype.text.call({}).catch((e) => e.name),
    ]`;
  assert.deepEqual(await value(code), Array(7).fill("TypeError"));
});

test("Texts are decoded in the encodings of the standard", async () => {
  const code = `[["shift_jis", [0x83, 0x65]], ["windows-1252", [0x80]], ["utf-16be", [0x20, 0xac]], ["euc-kr", [0xb0, 0xa1]], ["big5", [0xa4, 0xa4]], ["gb18030", [0xd6, 0xd0]]]
    .map(([label, bytes]) => new TextDecoder(label).decode(new Uint8Array(bytes)))`;
  assert.deepEqual(await value(code), ["テ", "€", "€", "가", "中", "中"]);
});

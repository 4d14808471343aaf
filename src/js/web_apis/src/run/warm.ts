// Runs through what scripts are likely to use, before the process is confined and forked: code is
// compiled, tables are built, ICU has read its data.
import { inspect } from "../console/inspect.js";
import { tableOf } from "../console/table.js";
import { Headers } from "../fetch/headers.js";
import { Request } from "../fetch/request.js";
import { Response } from "../fetch/response.js";
import { Blob } from "../files/blob.js";
import { FormData } from "../files/form-data.js";
import { decodeForm, encodeForm } from "../files/multipart.js";
import { prepare } from "../script/prepare.js";
import { ReadableStream, TransformStream } from "../streams/streams.js";
import { TextDecoder, TextEncoder } from "../text/encoding.js";
import { URL, URLSearchParams } from "../text/url.js";
import { AbortSignal } from "../events/abort.js";
import { deliver, latestCall, setApis, startRehearsal } from "./calls.js";
import { describe } from "./describe.js";
import { toResult } from "./result.js";
import { structuredClone } from "./structured-clone.js";

const kJavaScript = `
const items = [1, 2, 3].map((x) => ({ x, y: x ** 2 }));
class Point { #x = 1; static make() { return new Point(); } get x() { return this.#x; } }
async function* numbers() { for (let i = 0; i < 3; ++i) yield await i; }
for await (const n of numbers()) console.log(\`\${n}\`, items?.[n] ?? null, /a+(?<b>c)/u.test("aac"));
try { const { a, ...rest } = { a: 1, b: 2 }; if (a) { rest.b } else { a } } catch { Point.make().x }
`;
const kTypeScript = `
interface Item<T> { readonly id: number; value?: T }
type Names = keyof Item<string> | "all";
enum Colour { Red, Green = 4 }
abstract class Base<T extends object> { constructor(private readonly a: T, protected b?: string) {} abstract go(): void }
function find<T>(list: Item<T>[], id: number): Item<T> | undefined { return list.find((i): boolean => i.id === id)!; }
const m = new Map<string, number>([["a", 1]]) as ReadonlyMap<string, number>;
return find<string>([{ id: 1 } satisfies Item<string>], 1);
`;

function warmLanguage(): void {
  const date = new Date();
  date.toString();
  date.toLocaleString("en-US", { timeZone: "America/New_York" });
  date.toLocaleDateString("de-DE", { dateStyle: "full", timeZone: "Europe/Berlin" });
  new Date("2024-02-29T12:00:00Z").toLocaleTimeString();
  Date.parse("Tue, 5 Mar 2024 10:00:00 GMT");
  new Intl.NumberFormat("en-US", { style: "currency", currency: "EUR" }).format(1234.5);
  new Intl.DateTimeFormat("ja-JP").formatToParts(date);
  new Intl.Collator("sv").compare("a", "ä");
  new Intl.PluralRules("en").select(1);
  new Intl.RelativeTimeFormat("en").format(-1, "day");
  new Intl.ListFormat("en").format(["a", "b"]);
  new Intl.DisplayNames("en", { type: "region" }).of("SE");
  [
    ...new (
      Intl as unknown as { Segmenter: new (l: string) => { segment(t: string): Iterable<unknown> } }
    ).Segmenter("en").segment("a b"),
  ];
  (1234.5).toLocaleString();
  "ÅSA".toLocaleLowerCase("tr").normalize("NFD");
  ["b", "a"].sort((a, b) => a.localeCompare(b));
  /\p{Letter}+/u.exec("été");
  JSON.parse(JSON.stringify({ a: [1, "2", null], b: { c: true } }));
}

function warmText(): void {
  const bytes = new TextEncoder().encode("Grüße, 世界 🌍");
  for (const label of [
    "utf-8",
    "utf-16le",
    "windows-1252",
    "shift_jis",
    "gb18030",
    "big5",
    "euc-kr",
  ]) {
    new TextDecoder(label).decode(bytes);
  }
  const url = new URL("https://user@bücher.example:8080/a/../b?q=1&r=%20#x");
  url.hash = "";
  new URLSearchParams("a=1&b=2").append("c", "ü");
  const { atob, btoa } = globalThis as unknown as Record<string, (text: string) => string>;
  atob!(btoa!("some text"));
}

function warmFetch(): void {
  const form = new FormData();
  form.append("name", "value");
  form.append("file", new Blob(["abc"], { type: "text/plain" }), "a.txt");
  const { bytes, type } = encodeForm(form);
  decodeForm(bytes, type.slice(type.indexOf("=") + 1));
  const headers = new Headers({ accept: "application/json", "x-a": "1" });
  [...(headers as unknown as Iterable<unknown>)];
  const request = new Request("https://example.org/", { method: "POST", headers, body: "text" });
  void request.clone().text();
  void new Response('{"a":1}', { headers: { "content-type": "application/json" } }).json();
  const stream = new Response("text").body!;
  void stream.pipeThrough(new TransformStream()).getReader().read();
  void new ReadableStream({ start: (c: { close(): void }) => c.close() }).getReader().closed;
}

function warmValues(): void {
  const error = new TypeError("what", { cause: new Error("why") });
  const value = {
    a: 1,
    list: [1, [2]],
    map: new Map([["k", new Set([1])]]),
    bytes: new Uint8Array(3),
    error,
    f() {},
    date: new Date(0),
    big: 10n,
  };
  inspect(value);
  tableOf([{ a: 1 }, { b: "x" }], undefined);
  toResult(value);
  describe(error);
  structuredClone({ a: new Date(), b: new Map([[1, { c: /x/g }]]), d: new Uint8Array(2) });
}

interface Globals {
  fetch(url: string, init?: object): Promise<Response>;
  mcp: { callTool(server: string, tool: string, args: object): Promise<unknown> };
}

// Whole exchanges with a gateway that is not there: their frames go nowhere. What waits for promises
// runs with the microtasks after this.
function rehearseCalls(): void {
  startRehearsal();
  setApis({ fetch: true, websocket: true, mcp: true });
  const { fetch, mcp } = globalThis as unknown as Globals;
  const answer = (text: string, body?: string) => {
    const call = latestCall();
    deliver(2, call, text);
    if (body === undefined) return;
    deliver(32, call, new TextEncoder().encode(body));
    deliver(33, call, "");
  };
  const head = `{"value":{"status":200,"reason":"OK","headers":[["content-type","application/json"]],"type":"basic"}}`;
  const options = { method: "POST", headers: { "content-type": "application/json" }, body: "{}" };
  const ignore = () => {};
  fetch("https://warm.test/", options)
    .then((r) => r.json(), ignore)
    .then(inspect, ignore);
  answer(head, `{"a":[1]}`);
  fetch("https://warm.test/")
    .then((r) => r.clone().text(), ignore)
    .then(ignore, ignore);
  answer(head, "text");
  fetch("https://warm.test/", { signal: AbortSignal.any([]) })
    .then((r) => r.body!.getReader().read(), ignore)
    .then(ignore, ignore);
  answer(head, "text");
  fetch("https://warm.test/").then(ignore, (error) => [describe(error), inspect(error)]);
  answer(`{"error":{"name":"Error","message":"cold","code":"cold","reasons":["cold"]}}`);
  mcp.callTool("server", "tool", { a: 1 }).then(toResult, ignore);
  answer(`{"value":{"content":[]}}`);
}

export function warm(): void {
  // Twice, so that inline caches and lazily compiled functions are there too.
  for (let round = 0; round < 2; ++round) {
    warmLanguage();
    warmText();
    warmFetch();
    warmValues();
    rehearseCalls();
    prepare(kJavaScript, "warm.js", true);
    prepare(kTypeScript, "warm.ts", true);
    prepare("const a = ;", "warm.js", false);
  }
}

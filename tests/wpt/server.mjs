// What tests of the web platform expect behind a URL: files of the suite, and the few handlers that
// the tests we run need. Nothing here touches a network.
import { readFile } from "node:fs/promises";
import { extname, join, normalize } from "node:path";

export const kHost = "web-platform.test";
const kPorts = { http: [8000, 8001], https: [8443, 8444], ws: [8666], wss: [8667], h2: [9000] };
const kTypes = {
  ".js": "text/javascript",
  ".json": "application/json",
  ".html": "text/html",
  ".txt": "text/plain",
  ".idl": "text/plain",
  ".css": "text/css",
  ".png": "image/png",
};

// The placeholders in files named *.sub.*
export function substitute(text, url) {
  return text
    .replace(/\{\{host\}\}/g, kHost)
    .replace(/\{\{(?:domains|hosts\[\])\[(\w*)\]\}\}/g, (_, sub) =>
      sub ? `${sub}.${kHost}` : kHost,
    )
    .replace(/\{\{hosts\[alt\]\[(\w*)\]\}\}/g, (_, sub) =>
      sub ? `${sub}.not-${kHost}` : `not-${kHost}`,
    )
    .replace(/\{\{ports\[(\w+)\]\[(\d)\]\}\}/g, (_, name, index) =>
      String(kPorts[name]?.[index] ?? 0),
    )
    .replace(/\{\{GET\[(\w+)\]\}\}/g, (_, name) => url.searchParams.get(name) ?? "")
    .replace(/\{\{location\[(\w+)\]\}\}/g, (_, name) => url[name] ?? "");
}

const stash = new Map();
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const plain = [["Content-Type", "text/plain"]];
const headerOf = (request, name) =>
  request.headers.find(([key]) => key.toLowerCase() === name.toLowerCase())?.[1];
const valueOf = (request, name) => headerOf(request, name) ?? "NO";

async function* slowly(request) {
  const { searchParams } = request.url;
  const state = searchParams.get("stateKey");
  const abort = searchParams.get("abortKey");
  if (state) stash.set(state, "open");
  yield Buffer.alloc(2048, ".");
  while (!request.signal.aborted && !(abort && stash.get(abort))) {
    yield Buffer.from(".");
    await sleep(10);
  }
  if (state) stash.set(state, "closed");
}

async function* breaksOff(count) {
  for (let i = 0; i < count; ++i) {
    yield Buffer.from("TEST_CHUNK");
    await sleep(5);
  }
  throw new Error("the connection broke off");
}

async function* trickle(delay, count) {
  await sleep(delay);
  for (let i = 0; i < count; ++i) {
    yield Buffer.from("TEST_TRICKLE\n");
    await sleep(delay);
  }
}

function redirectTo(request) {
  const { searchParams: query } = request.url;
  const token = query.get("token");
  const data = stash.get(token) ?? { count: 0 };
  ++data.count;
  if (token) stash.set(token, data);
  if (token && query.has("max_count") && data.count > Number(query.get("max_count"))) {
    return { body: String(data.count - 1), headers: plain };
  }
  const headers = [...plain];
  if (query.has("location")) {
    let location = query.get("location");
    if (!query.has("simple") && /^(https?:|[^:]*$)/.test(location)) {
      location += `${location.includes("?") ? "&" : "?"}${query}&count=${data.count}`;
    }
    headers.push(["Location", location]);
  }
  return { status: Number(query.get("redirect_status") ?? 302), headers, body: "" };
}

// By the name of the handler's file.
const handlers = {
  "inspect-headers.py": (request) => ({
    headers: [
      ...(request.url.searchParams.get("headers") ?? "")
        .split("|")
        .filter((name) => headerOf(request, name) !== undefined)
        .map((name) => [`x-request-${name}`, headerOf(request, name)]),
      ...plain,
    ],
  }),
  "method.py": (request) => ({
    headers: [
      ["x-request-method", request.method],
      ["x-request-content-type", valueOf(request, "content-type")],
      ["x-request-content-length", valueOf(request, "content-length")],
      ["x-request-content-encoding", valueOf(request, "content-encoding")],
      ["x-request-content-language", valueOf(request, "content-language")],
      ["x-request-content-location", valueOf(request, "content-location")],
    ],
    body: request.body,
  }),
  "echo-content.py": (request) => ({
    headers: [
      ["X-Request-Method", request.method],
      ["X-Request-Content-Length", valueOf(request, "content-length")],
      ["X-Request-Content-Type", valueOf(request, "content-type")],
      ...plain,
    ],
    body: request.body,
  }),
  "status.py": ({ url, method }) => ({
    status: Number(url.searchParams.get("code") ?? 200),
    reason: url.searchParams.get("text") ?? "OMG",
    headers: [
      ["Content-Type", url.searchParams.get("type") ?? ""],
      ["X-Request-Method", method],
    ],
    body: url.searchParams.get("content") ?? "",
  }),
  "trickle.py": async ({ url }) => {
    const delay = Number(url.searchParams.get("ms") ?? 500);
    await sleep(delay);
    const headers = url.searchParams.has("notype") ? [] : plain;
    return { headers, body: trickle(delay, Number(url.searchParams.get("count") ?? 50)) };
  },
  "infinite-slow-response.py": (request) => ({ headers: plain, body: slowly(request) }),
  "stash-take.py": ({ url }) => {
    const key = url.searchParams.get("key");
    const value = stash.get(key) ?? null;
    stash.delete(key);
    return { headers: [["Content-Type", "application/json"]], body: JSON.stringify(value) };
  },
  "stash-put.py": ({ url }) => {
    stash.set(url.searchParams.get("key"), url.searchParams.get("value") ?? "");
    return { body: "" };
  },
  "clean-stash.py": ({ url }) => ({
    body: stash.delete(url.searchParams.get("token")) ? "1" : "0",
  }),
  "redirect.py": redirectTo,
  "redirect-empty-location.py": () => ({ status: 302, headers: [["Location", ""]], body: "" }),
  "echo-headers.py": (request) => ({
    headers: plain,
    body: request.headers.map(([name, value]) => `${name}: ${value}`).join("\n"),
  }),
  "message.py": async ({ url }) => {
    const query = url.searchParams;
    await sleep(Number(query.get("sleep") ?? 0));
    const end = query.get("newline") === "none" ? "" : "\n\n";
    const body = `${query.get("message") ?? "data: data"}${end}\n`;
    return { headers: [["Content-Type", query.get("mime") ?? "text/event-stream"]], body };
  },
  "status-error.py": ({ url }) => ({
    status: Number(url.searchParams.get("status")),
    headers: [["Content-Type", "text/event-stream"]],
    body: "data: data\n\n",
  }),
  "last-event-id.py": (request) => {
    const id = headerOf(request, "last-event-id");
    const next = request.url.searchParams.get("idvalue") ?? "\u2026";
    const body =
      id === undefined
        ? `id: ${next}\nretry: 200\ndata: hello\n\n`
        : `data: ${Buffer.from(id, "latin1").toString()}\n\n`;
    return { headers: [["Content-Type", "text/event-stream"]], body };
  },
  "bad-chunk-encoding.py": ({ url }) => ({
    headers: plain,
    body: breaksOff(Number(url.searchParams.get("count") ?? 1)),
  }),
  "parse-headers.py": ({ url }) => ({
    headers: [["My-Custom-Header", url.searchParams.get("my-custom-header")]],
    body: "",
  }),
};

// A whole response as it stands in a file.
function asIs(text) {
  const end = /\r?\n\r?\n/.exec(text) ?? { index: text.length, 0: "" };
  const [first, ...lines] = text.slice(0, end.index).split(/\r?\n/);
  const [, status, reason] = /^HTTP\/\S+ (\d+) ?(.*)$/.exec(first) ?? [];
  const headers = lines.map((line) => [
    line.slice(0, line.indexOf(":")),
    line.slice(line.indexOf(":") + 1).trim(),
  ]);
  return { status: Number(status), reason, headers, body: text.slice(end.index + end[0].length) };
}

// ?pipe=header(name,value)
function pipedHeaders(url) {
  const pipes = url.searchParams.get("pipe") ?? "";
  return [...pipes.matchAll(/header\(([^,]+),([^)]*)\)/g)].map(([, name, value]) => [
    name,
    value.trim(),
  ]);
}

async function staticFile(root, request) {
  const path = normalize(decodeURIComponent(request.url.pathname));
  const file = join(root, path);
  try {
    let body = await readFile(file);
    if (path.includes(".sub.")) body = Buffer.from(substitute(body.toString(), request.url));
    if (path.endsWith(".asis")) return asIs(body.toString("latin1"));
    const extra = await readFile(`${file}.headers`, "utf8").catch(() => "");
    const headers = extra
      .split(/\r?\n/)
      .filter(Boolean)
      .map((line) => [line.slice(0, line.indexOf(":")), line.slice(line.indexOf(":") + 1).trim()]);
    headers.push(...pipedHeaders(request.url));
    if (!headers.some(([name]) => /^content-type$/i.test(name))) {
      headers.push(["Content-Type", kTypes[extname(path)] ?? "application/octet-stream"]);
    }
    return { headers, body };
  } catch {
    return { status: 404, reason: "Not Found", headers: plain, body: "not found" };
  }
}

// request: {method, url: URL, headers: [[name, value]], body: Buffer, signal}
export async function serve(root, request) {
  const handler = handlers[request.url.pathname.split("/").at(-1)];
  const answer = handler === undefined ? await staticFile(root, request) : await handler(request);
  return { status: 200, reason: "OK", headers: [], body: "", ...answer };
}

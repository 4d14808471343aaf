// What the app does, in the words of the web. The same code runs over MCP and over the native network.

import { behaviour } from "./behaviour.ts";

const kMiB = 1024 * 1024;

// The byte at a position says what the position is: nothing can be missing, double or moved.
async function checkPattern(
  body: ReadableStream<Uint8Array>,
): Promise<{ size: number; bad: number }> {
  let size = 0;
  let bad = 0;
  for (const reader = body.getReader(); ;) {
    const { done, value } = await reader.read();
    if (done) return { size, bad };
    for (let n = 0; n < value.length; ++n) if (value[n] !== ((size + n) % kMiB) % 251) bad += 1;
    size += value.length;
  }
}

const opened = (socket: WebSocket): Promise<unknown> =>
  new Promise((resolve, reject) => {
    socket.onopen = resolve;
    socket.onerror = (event) =>
      reject(new Error(`The socket did not open: ${(event as { cause?: Error }).cause?.message}`));
  });

let abortNow: () => void = () => {};
let source: EventSource | undefined;
let events: number[] = [];

export const scenarios = {
  behaviour,

  async getJson() {
    const response = await fetch("/api/json");
    const { status, ok, type, redirected } = response;
    const type2 = response.clone().type;
    return { status, ok, type, type2, redirected, text: await response.text() };
  },

  async postJson(value: unknown) {
    const headers = { "Content-Type": "application/json" };
    const body = JSON.stringify(value);
    const response = await fetch("/api/inspect", { method: "POST", headers, body });
    return (await response.json()) as { sha256: string; headers: Record<string, string> };
  },

  async form(size: number) {
    const form = new FormData();
    form.set("title", "häß");
    const bytes = new Uint8Array(size).map((_, n) => n % 251);
    form.set("file", new File([bytes], "ä.bin", { type: "application/x-test" }));
    const response = await fetch("/api/echo", { method: "POST", body: form });
    const back = await response.formData();
    const file = back.get("file") as File;
    const same = new Uint8Array(await file.arrayBuffer()).every((byte, n) => byte === bytes[n]);
    return { title: back.get("title"), name: file.name, type: file.type, size: file.size, same };
  },

  async parallel(count: number) {
    const answers = await Promise.all(
      Array.from({ length: count }, async (_, n) => {
        const response = await fetch(`/api/echo?n=${n}`, { method: "POST", body: `number ${n}` });
        return (await response.text()) === `number ${n}`;
      }),
    );
    return answers.filter(Boolean).length;
  },

  async denied(path: string) {
    try {
      const { status } = await fetch(path);
      return { status };
    } catch (error) {
      const { cause, message } = error as {
        cause?: { code?: string; message?: string };
        message: string;
      };
      const isTypeError = error instanceof TypeError;
      return { isTypeError, message, code: cause?.code, why: cause?.message };
    }
  },

  /** Until `abortNow`, or until more than so many bytes came. */
  async abort(path: string, afterBytes = Infinity) {
    const controller = new AbortController();
    const reason = new DOMException("enough", "AbortError");
    abortNow = () => controller.abort(reason);
    let read = 0;
    try {
      const response = await fetch(path, { signal: controller.signal });
      for (const reader = response.body!.getReader(); ;) {
        const { done, value } = await reader.read();
        if (done) return { read, isReason: false };
        read += value.length;
        if (read > afterBytes) abortNow();
      }
    } catch (error) {
      return { read, isReason: error === reason };
    }
  },

  abortNow: () => abortNow(),

  async download(url: string) {
    const started = performance.now();
    const response = await fetch(url);
    const result = await checkPattern(response.body!);
    return { ...result, ms: performance.now() - started };
  },

  /** A file of a web server, as browsers ask for it: whole, a part of it, its head, and none. */
  async file(url: string) {
    const whole = await fetch(url);
    const part = await fetch(url, { headers: { Range: "bytes=2-4" } });
    const head = await fetch(url, { method: "HEAD" });
    const none = await fetch(`${url}.none`);
    return {
      whole: [whole.status, whole.headers.get("content-type"), await whole.text()],
      part: [part.status, part.headers.get("content-range"), await part.text()],
      head: [head.status, head.headers.get("content-length"), await head.text()],
      none: none.status,
      server: whole.headers.get("server"),
    };
  },

  async upload(size: number) {
    const started = performance.now();
    const block = new Uint8Array(kMiB).map((_, n) => n % 251);
    const body = new Blob(Array.from({ length: size / kMiB }, () => block));
    const response = await fetch("/api/inspect", { method: "POST", body });
    const seen = (await response.json()) as { size: number; sha256: string };
    return { ...seen, ms: performance.now() - started };
  },

  /** As fast as it comes, and no byte is looked at. */
  async drain(size: number) {
    const started = performance.now();
    const response = await fetch(`/api/pattern?size=${size}`);
    let seen = 0;
    for (const reader = response.body!.getReader(); ;) {
      const { done, value } = await reader.read();
      if (done) return { size: seen, ms: performance.now() - started };
      seen += value.length;
    }
  },

  async fill(size: number) {
    const block = new Uint8Array(kMiB).fill(117);
    const body = new Blob(Array.from({ length: size / kMiB }, () => block));
    const started = performance.now();
    const response = await fetch("/api/count", { method: "POST", body });
    const seen = (await response.json()) as { size: number };
    return { ...seen, ms: performance.now() - started };
  },

  async chat(count: number) {
    const socket = new WebSocket("/api/chat", "chat");
    await opened(socket);
    let inOrder = 0;
    const started = performance.now();
    const all = new Promise<void>((resolve) => {
      socket.onmessage = ({ data }) => {
        if (data === `message ${inOrder}`) inOrder += 1;
        if (inOrder === count) resolve();
      };
      socket.onclose = () => resolve();
    });
    for (let n = 0; n < count; ++n) socket.send(`message ${n}`);
    await all;
    const ms = performance.now() - started;
    const end = new Promise<CloseEvent>((resolve) => (socket.onclose = resolve));
    socket.close(3000, "done");
    const { code, reason, wasClean } = await end;
    return { inOrder, protocol: socket.protocol, code, reason, wasClean, ms };
  },

  /** One message there and back at a time: what a person who types feels. */
  async roundTrips(count: number) {
    const socket = new WebSocket("/api/chat");
    await opened(socket);
    const times: number[] = [];
    for (let n = 0; n < count; ++n) {
      const started = performance.now();
      const answer = new Promise((resolve) => (socket.onmessage = resolve));
      socket.send(String(n));
      await answer;
      times.push(performance.now() - started);
    }
    socket.close();
    times.sort((a, b) => a - b);
    return { median: times[times.length >> 1]!, worst: times.at(-1)! };
  },

  startEvents(path: string) {
    events = [];
    source = new EventSource(path);
    const note = ({ lastEventId }: MessageEvent): unknown => events.push(Number(lastEventId));
    source.onmessage = note;
    source.addEventListener("even", note);
  },
  seenEvents: () => events,
  stopEvents: () => source?.close(),

  xhr(path: string) {
    return new Promise<object>((resolve) => {
      const request = new XMLHttpRequest();
      request.open("POST", path);
      request.responseType = "json";
      request.setRequestHeader("Content-Type", "application/json");
      request.onloadend = () => {
        const { status, response } = request;
        resolve({ status, response: response as unknown });
      };
      request.send('{"a":1}');
    });
  },

  beacon: (path: string) => navigator.sendBeacon(path, new Blob(["ping"], { type: "text/x" })),

  async relative() {
    const answers = [
      await fetch("/api/echo"),
      await fetch(new URL("/api/echo", document.baseURI)),
    ].map(({ status }) => status);
    return answers;
  },
};

export type Scenarios = typeof scenarios;

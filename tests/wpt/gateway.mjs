// The gateway as the tests need it: answers the calls of a world from the files of the suite.
import { Kind } from "../../src/js/web_apis/test/world.mjs";
import { kHost, serve } from "./server.mjs";

const isRedirect = (status) => [301, 302, 303, 307, 308].includes(status);
const isOurs = (url) =>
  url.hostname === kHost ||
  url.hostname.endsWith(`.${kHost}`) ||
  url.hostname.endsWith(`not-${kHost}`);

export class Gateway {
  #world;
  #root;
  #calls = new Map();

  constructor(world, root) {
    this.#world = world;
    this.#root = root;
    world.onSend = (frame) => this.#onFrame(frame);
  }

  close() {
    for (const call of this.#calls.values()) call.abort.abort();
    this.#calls.clear();
  }

  #onFrame({ kind, call: id, json, bytes }) {
    if (kind === Kind.Call) {
      const call = {
        id,
        request: json,
        body: [],
        credit: 256 * 1024,
        abort: new AbortController(),
        wake: () => {},
      };
      this.#calls.set(id, call);
      if (json.operation === "websocket") setImmediate(() => this.#openSocket(call));
      else if (!json.body) setImmediate(() => this.#fetch(call));
      return;
    }
    const call = this.#calls.get(id);
    if (call === undefined) return;
    if (kind === Kind.Chunk) this.#onChunk(call, bytes);
    else if (kind === Kind.End) this.#onEnd(call, json);
    else if (kind === Kind.Cancel) {
      call.abort.abort();
      this.#calls.delete(id);
    } else if (kind === Kind.Credit) {
      call.credit += new DataView(bytes.buffer).getUint32(0, true);
      call.wake();
    }
  }

  #onChunk(call, bytes) {
    const world = this.#world;
    if (call.request.operation === "websocket") {
      setImmediate(() => this.#calls.has(call.id) && this.#echo(call, bytes));
      setImmediate(() => world.credit(call.id, bytes.byteLength));
      return;
    }
    call.body.push(bytes);
    setImmediate(() => this.#calls.has(call.id) && world.credit(call.id, bytes.byteLength));
  }

  #onEnd(call, ending) {
    if (call.request.operation !== "websocket") {
      setImmediate(() => this.#fetch(call));
      return;
    }
    setImmediate(() => {
      this.#calls.delete(call.id);
      this.#world.end(call.id, { code: ending?.code ?? 1005, reason: ending?.reason ?? "" });
    });
  }

  #openSocket(call) {
    const url = new URL(call.request.url);
    if (!isOurs(url) || /^\/(fail|invalid)/.test(url.pathname)) {
      this.#world.answer(call.id, {
        error: { name: "Error", message: "cannot connect", code: "connect_failed" },
      });
      return;
    }
    const [protocol = ""] = call.request.protocols;
    this.#world.answer(call.id, {
      value: { protocol: url.pathname === "/empty-message" ? "" : protocol, extensions: "" },
    });
  }

  #echo(call, bytes) {
    if (Buffer.from(bytes.subarray(1)).toString() === "Goodbye") {
      this.#world.chunk(call.id, bytes);
      this.#calls.delete(call.id);
      this.#world.end(call.id, { code: 1005, reason: "" });
      return;
    }
    this.#world.chunk(call.id, bytes);
  }

  async #fetch(call) {
    const { request, id } = call;
    let url = new URL(request.url);
    let { method } = request;
    let body = Buffer.concat(call.body);
    const fail = (message) =>
      this.#calls.delete(id) &&
      this.#world.answer(id, { error: { name: "Error", message, code: "failed" } });
    for (let hops = 0; ; ++hops) {
      if (!isOurs(url)) return fail("there is no such host");
      const headers = [...request.headers, ["user-agent", "Sallyport"]];
      if (request.body) headers.push(["content-length", String(body.length)]);
      const response = await serve(this.#root, {
        method,
        url,
        headers,
        body,
        signal: call.abort.signal,
      });
      if (!this.#calls.has(id)) return undefined;
      const location = response.headers.find(([name]) => name.toLowerCase() === "location")?.[1];
      if (!isRedirect(response.status) || request.redirect === "manual" || location === undefined) {
        return this.#respond(call, response, url, hops > 0);
      }
      if (request.redirect === "error") return fail("the answer is a redirect");
      if (hops >= 20) return fail("too many redirects");
      try {
        url = new URL(location, url);
      } catch {
        return fail("the redirect goes nowhere");
      }
      if (!/^https?:$/.test(url.protocol)) return fail("the redirect has another scheme");
      if (
        response.status === 303
          ? method !== "HEAD" && method !== "GET"
          : response.status < 303 && method === "POST"
      ) {
        method = "GET";
        body = Buffer.alloc(0);
        request.headers = request.headers.filter(([name]) => !/^content-/i.test(name));
        request.body = false;
      }
    }
  }

  async #respond(call, response, url, redirected) {
    const { id, request } = call;
    const isOpaque = request.redirect === "manual" && isRedirect(response.status);
    const { status, reason, headers } = response;
    this.#world.answer(id, {
      value: {
        status,
        reason,
        headers,
        url: url.href,
        redirected,
        type: isOpaque ? "opaqueredirect" : "basic",
        body: request.method !== "HEAD",
      },
    });
    const chunks =
      typeof response.body === "string" || Buffer.isBuffer(response.body)
        ? [Buffer.from(response.body)]
        : response.body;
    let error;
    try {
      for await (const chunk of chunks) await this.#send(call, chunk);
    } catch (thrown) {
      error = { error: { name: "Error", message: thrown.message } };
    }
    if (this.#calls.delete(id)) this.#world.end(id, error);
  }

  async #send(call, chunk) {
    const { id } = call;
    for (let at = 0; at < chunk.length; at += 65536) {
      while (call.credit <= 0 && this.#calls.has(id))
        await new Promise((resolve) => (call.wake = resolve));
      if (!this.#calls.has(id)) return;
      const part = chunk.subarray(at, at + 65536);
      call.credit -= part.length;
      this.#world.chunk(id, part);
    }
    await new Promise((resolve) => setImmediate(resolve));
  }
}

// A backend of the web: what apps talk to, with or without the package.
import { once } from "node:events";
import { createHash, randomBytes } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import type { Writable } from "node:stream";
import { type WebSocket, WebSocketServer } from "ws";

export interface Seen {
  method: string;
  url: string;
  headers: Record<string, string | string[] | undefined>;
  /** Nothing, where it was long. */
  body: Buffer;
}

// Long ones would stay until the last test.
const kMostKept = 1024 * 1024;
const kNothing = Buffer.alloc(0);

type Route = (request: IncomingMessage, response: ServerResponse, url: URL) => unknown;

export class Origin {
  readonly seen: Seen[] = [];
  /** Requests whose peer went away before the answer was complete. */
  cutOff = 0;
  #ends: { url: string; isWhole: boolean }[] = [];
  readonly routes = new Map<string, Route>();
  #server = createServer((request, response) => void this.#serve(request, response));
  #sockets = new WebSocketServer({
    server: this.#server,
    handleProtocols: (protocols) => (protocols.has("chat") ? "chat" : false),
    maxPayload: 64 * 1024 * 1024,
    verifyClient: ({ req }: { req: IncomingMessage }) => req.url !== "/api/refuse",
  });
  #connections = new Set<Socket>();
  readonly eventSources: ServerResponse[] = [];

  constructor() {
    this.#sockets.on("connection", (socket, request) => this.#connected(socket, request));
    this.#server.on("connection", (socket) => {
      this.#connections.add(socket);
      socket.on("close", () => this.#connections.delete(socket));
    });
    this.#addRoutes();
  }

  async listen(): Promise<this> {
    await new Promise<void>((resolve) => this.#server.listen(0, "127.0.0.1", resolve));
    return this;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  get last(): Seen {
    return this.seen.at(-1)!;
  }

  wasCutOff(path: string): boolean {
    return this.#ends.some(({ url, isWhole }) => url === path && !isWhole);
  }
  wasAnswered(path: string): boolean {
    return this.#ends.some(({ url, isWhole }) => url === path && isWhole);
  }

  async close(): Promise<void> {
    for (const socket of this.#connections) socket.destroy();
    this.#sockets.close();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? "/", "http://origin");
    response.on("close", () => {
      if (!response.writableFinished) this.cutOff += 1;
      this.#ends.push({ url: request.url ?? "", isWhole: response.writableFinished });
    });
    response.setHeader("x-content-type-options", "nosniff"); // or browsers wait for more of the body
    const route = this.routes.get(url.pathname) ?? this.routes.get("*")!;
    try {
      await route(request, response, url);
    } catch {
      response.destroy();
    }
  }

  async #body(request: IncomingMessage): Promise<Buffer> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks);
    const { method = "", url = "", headers } = request;
    this.seen.push({ method, url, headers, body: body.length > kMostKept ? kNothing : body });
    return body;
  }

  #addRoutes(): void {
    const on = (path: string, route: Route): void => void this.routes.set(path, route);
    on("*", async (request, response) => {
      await this.#body(request);
      response.writeHead(404, { "content-type": "text/plain" }).end("nothing here");
    });
    on("/api/echo", async (request, response) => {
      const body = await this.#body(request);
      response.setHeader("content-type", request.headers["content-type"] ?? "text/plain");
      response.setHeader("x-method", request.method ?? "");
      response.end(body);
    });
    on("/api/json", async (request, response) => {
      await this.#body(request);
      response.setHeader("content-type", "application/json");
      response.end('{"b":1,  "a": 12345678901234567890, "ü": "\\u00fc"}');
    });
    on("/api/inspect", async (request, response) => {
      const body = await this.#body(request);
      response.setHeader("content-type", "application/json");
      response.end(
        JSON.stringify({
          method: request.method,
          url: request.url,
          headers: request.headers,
          size: body.length,
          sha256: createHash("sha256").update(body).digest("hex"),
        }),
      );
    });
    on("/api/bytes", async (request, response, url) => {
      await this.#body(request);
      const size = Number(url.searchParams.get("size"));
      response.setHeader("content-type", "application/octet-stream");
      response.setHeader("content-length", size);
      await sendBytes(response, size);
    });
    on("/api/status", async (request, response, url) => {
      await this.#body(request);
      response.writeHead(Number(url.searchParams.get("code")), { "x-a": ["1", "2"] });
      response.end(url.searchParams.get("body") ?? undefined);
    });
    on("/api/redirect", async (request, response, url) => {
      await this.#body(request);
      const location = url.searchParams.get("to") ?? "/api/echo";
      response.writeHead(Number(url.searchParams.get("code") ?? 302), { location }).end();
    });
    on("/api/slow", async (request, response, url) => {
      await this.#body(request);
      response.setHeader("content-type", "text/plain");
      const count = Number(url.searchParams.get("count") ?? 5);
      const ms = Number(url.searchParams.get("ms") ?? 100);
      if (url.searchParams.has("head")) await sleep(Number(url.searchParams.get("head")));
      response.flushHeaders();
      for (let n = 0; n < count && !response.destroyed; ++n) {
        response.write(`part ${n};`);
        await sleep(ms);
      }
      response.end();
    });
    on("/api/broken", async (request, response) => {
      await this.#body(request);
      response.setHeader("content-length", 1000);
      response.write("half of it");
      await sleep(150);
      response.destroy();
    });
    on("/api/events", async (request, response, url) => {
      await this.#body(request);
      const last = Number(request.headers["last-event-id"] ?? 0);
      response.writeHead(200, { "content-type": "text/event-stream" });
      this.eventSources.push(response);
      response.write(`retry: ${url.searchParams.get("retry") ?? 50}\n\n`);
      const count = Number(url.searchParams.get("count") ?? 3);
      const ms = Number(url.searchParams.get("ms") ?? 10);
      for (let n = last + 1; n <= last + count && !response.destroyed; ++n) {
        const type = n % 2 === 0 ? "event: even\n" : "";
        response.write(`id: ${n}\n${type}data: price ${n}\ndata: of ${count}\n\n`);
        await sleep(ms);
      }
      if (!url.searchParams.has("stay")) response.end();
    });
  }

  #connected(socket: WebSocket, request: IncomingMessage): void {
    const { pathname, searchParams } = new URL(request.url ?? "/", "http://origin");
    this.seen.push({
      method: "WS",
      url: request.url ?? "",
      headers: request.headers,
      body: kNothing,
    });
    if (pathname === "/api/flood") {
      const count = Number(searchParams.get("count"));
      for (let n = 0; n < count; ++n) socket.send(String(n));
      return socket.close(1000, "that was all");
    }
    if (pathname === "/api/drop") return socket.terminate();
    socket.on("error", () => {});
    socket.on("message", (data, isBinary) => {
      if (!isBinary && String(data) === "close me") return socket.close(4321, "as you wish");
      socket.send(data, { binary: isBinary });
    });
  }
}

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

const kBlock = Uint8Array.from(randomBytes(64 * 1024));

/** The same bytes for the same size, with a hash that tests can make, too. */
export function* blocks(size: number): Generator<Uint8Array<ArrayBuffer>> {
  for (let at = 0; at < size; at += kBlock.length) yield kBlock.subarray(0, size - at);
}

export const hashOf = (size: number): string => {
  const hash = createHash("sha256");
  for (const block of blocks(size)) hash.update(block);
  return hash.digest("hex");
};

/** Until the peer has taken what was written, or is gone. */
export async function drained(stream: Writable): Promise<void> {
  const enough = new AbortController();
  const { signal } = enough;
  await Promise.race([once(stream, "drain", { signal }), once(stream, "close", { signal })]).catch(
    () => {},
  );
  enough.abort();
}

async function sendBytes(response: ServerResponse, size: number): Promise<void> {
  for (const block of blocks(size)) {
    if (response.destroyed) return;
    if (!response.write(block)) await drained(response);
  }
  response.end();
}

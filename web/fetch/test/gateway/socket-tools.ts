// ws_connect, ws_send, ws_close and sse_connect, over real sockets.
import { WebSocket } from "ws";
import { EventParser } from "./event-parser.ts";
import type { HttpCall } from "./http-tools.ts";
import { asFailure, ToolFailure } from "./results.ts";
import { kFrameBytes, kWindow, ServerStream } from "./server-stream.ts";

interface SocketArguments {
  url: string;
  protocols?: string[];
  headers?: Record<string, string>;
}

const sockets = new WeakMap<ServerStream, WebSocket>();

export async function wsConnectTool(args: SocketArguments, call: HttpCall): Promise<object> {
  const { backend, view, signal } = call;
  const url = backend.resolve(args.url).replace(/^http/, "ws");
  const socket = new WebSocket(url, args.protocols ?? [], {
    headers: args.headers ?? {},
    perMessageDeflate: false,
  });
  const stream = new ServerStream();
  sockets.set(stream, socket);
  socket.on("message", (data, isBinary) => {
    addMessage(stream, data as Buffer, isBinary);
    if (!stream.isFull) return;
    socket.pause();
    void stream.room().then(() => socket.resume());
  });
  socket.on("close", (code, reason) =>
    stream.add("close", { code, reason: reason.toString(), wasClean: code !== 1006 }, 0),
  );
  await new Promise<void>((resolve, reject) => {
    const abort = (): void => socket.terminate();
    signal.addEventListener("abort", abort, { once: true });
    socket.once("open", () => {
      signal.removeEventListener("abort", abort);
      resolve();
    });
    socket.once("error", (error) => reject(asFailure(error)));
  });
  socket.on("error", () => {}); // a close follows
  stream.onClose = () => socket.terminate();
  stream.take = async ({ messages }) => {
    if (!Array.isArray(messages)) throw new ToolFailure("invalid_input", "messages is a list.");
    for (const message of messages as Record<string, unknown>[]) await send(socket, message);
    return { credit: kWindow };
  };
  view!.open(stream);
  return {
    connectionId: stream.id,
    stream: { id: stream.id, window: stream.window, credit: kWindow },
    url: args.url,
    protocol: socket.protocol,
    extensions: "",
  };
}

function addMessage(stream: ServerStream, data: Buffer, isBinary: boolean): void {
  const whole = isBinary ? data : data.toString();
  for (let at = 0; at === 0 || at < whole.length;) {
    let end = at + kFrameBytes;
    if (typeof whole === "string" && (whole.charCodeAt(end - 1) & 0xfc00) === 0xd800) end -= 1;
    const part = whole.slice(at, end);
    const more = end < whole.length ? { more: true } : {};
    if (typeof part === "string")
      stream.add("text", { text: part, ...more }, Buffer.byteLength(part));
    else stream.add("binary", { b64: part.toString("base64"), ...more }, part.length);
    at = end;
  }
}

function send(socket: WebSocket, message: Record<string, unknown>): Promise<void> {
  const isText = typeof message.text === "string";
  const data = isText ? String(message.text) : Buffer.from(String(message.b64), "base64");
  if (socket.readyState !== WebSocket.OPEN)
    return Promise.reject(new ToolFailure("not_found", "The socket is closed."));
  return new Promise((resolve, reject) =>
    socket.send(data, { binary: !isText, fin: message.more !== true }, (error) =>
      error ? reject(asFailure(error)) : resolve(),
    ),
  );
}

export function wsCloseTool(stream: ServerStream, code?: number, reason?: string): object {
  const socket = sockets.get(stream);
  if (socket === undefined) throw new ToolFailure("invalid_input", "This is not a socket.");
  socket.close(code, reason);
  return {};
}

interface EventArguments {
  url: string;
  headers?: Record<string, string>;
  lastEventId?: string;
}

export async function sseConnectTool(args: EventArguments, call: HttpCall): Promise<object> {
  const { backend, view, signal } = call;
  const controller = new AbortController();
  const abort = (): void => controller.abort();
  signal.addEventListener("abort", abort, { once: true });
  const response = await backend.fetch(backend.resolve(args.url), {
    headers: {
      ...args.headers,
      accept: "text/event-stream",
      "cache-control": "no-cache",
      ...(args.lastEventId ? { "last-event-id": args.lastEventId } : {}),
    } as Record<string, string>,
    signal: controller.signal,
  });
  signal.removeEventListener("abort", abort);
  const head = {
    status: response.status,
    headers: Object.fromEntries(response.headers),
    headerPairs: [...response.headers],
    url: backend.relative(response.url, args.url),
    redirected: response.redirected,
  };
  const type = response.headers.get("content-type") ?? "";
  if (response.status !== 200 || !/^text\/event-stream\s*(;|$)/i.test(type)) {
    controller.abort();
    return head;
  }
  const stream = new ServerStream();
  stream.onClose = () => controller.abort();
  view!.open(stream);
  void feedEvents(stream, response, args.lastEventId ?? "");
  return {
    connectionId: stream.id,
    stream: { id: stream.id, window: stream.window },
    ...head,
  };
}

async function feedEvents(stream: ServerStream, response: Response, lastId: string): Promise<void> {
  const parser = new EventParser(
    lastId,
    (event) => stream.add("event", event, Buffer.byteLength(event.data)),
    (retry) => stream.add("retry", { retry }, 0),
  );
  try {
    for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) {
      parser.write(chunk);
      await stream.room();
      if (stream.isOver) return;
    }
    stream.add("end", {}, 0);
  } catch (error) {
    stream.fail(asFailure(error));
  }
}

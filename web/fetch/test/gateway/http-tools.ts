// http_request and http_request_stream, over real HTTP.
import { request as httpRequest, type IncomingMessage } from "node:http";
import { drained } from "../support/origin.ts";
import type { Backend } from "./backend.ts";
import { asFailure, ToolFailure } from "./results.ts";
import { kWindow, ServerStream } from "./server-stream.ts";
import type { View } from "./view.ts";

export const kInlineMax = 256 * 1024;
const kInlineMs = 50;

export interface HttpArguments {
  url: string;
  method?: string;
  headers?: Record<string, string> | [string, string][];
  body?: unknown;
  bodyType?: string;
  redirect?: RequestRedirect;
  cache?: RequestCache;
  credentials?: RequestCredentials;
  upload?: true | { length?: number };
}

function requestBody({ body, bodyType, method = "GET" }: HttpArguments): Buffer | undefined {
  if (body === undefined || body === null || method === "GET" || method === "HEAD")
    return undefined;
  if (bodyType === "base64") return Buffer.from(String(body), "base64");
  if (bodyType === "text") return Buffer.from(String(body));
  throw new ToolFailure("invalid_input", `bodyType ${bodyType} is not scripted.`);
}

const kHopByHop = /^(content-encoding|transfer-encoding|connection|keep-alive|set-cookie)$/;

function headOf(
  response: Response,
  backend: Backend,
  args: HttpArguments,
): Record<string, unknown> {
  const headerPairs = [...response.headers].filter(([name]) => !kHopByHop.test(name));
  const isManual =
    args.redirect === "manual" && [301, 302, 303, 307, 308].includes(response.status);
  return {
    status: response.status,
    statusText: response.statusText,
    ok: response.ok,
    headers: Object.fromEntries(headerPairs),
    headerPairs,
    url: backend.relative(response.url, args.url),
    redirected: response.redirected,
    type: isManual ? "opaqueredirect" : "basic",
  };
}

export interface HttpCall {
  backend: Backend;
  view: View | undefined;
  signal: AbortSignal;
}

export async function httpRequestTool(args: HttpArguments, call: HttpCall): Promise<object> {
  const { backend, view, signal } = call;
  const controller = new AbortController();
  const abort = (): void => controller.abort(signal.reason);
  signal.addEventListener("abort", abort, { once: true });
  const body = requestBody(args);
  const response = await backend.fetch(backend.resolve(args.url), {
    method: args.method ?? "GET",
    headers: args.headers as HeadersInit,
    // Node 22 cannot repeat bytes after a redirect, but a blob.
    ...(body === undefined ? {} : { body: new Blob([body as Uint8Array<ArrayBuffer>]) }),
    redirect: args.redirect ?? "follow",
    signal: controller.signal,
  });
  const head = headOf(response, backend, args);
  const reader = (response.body as ReadableStream<Uint8Array> | null)?.getReader();
  if (reader === undefined || head.type === "opaqueredirect") {
    await reader?.cancel();
    return { ...head, body: null, bodyType: "none" };
  }
  const early = await readEarly(reader, response, view !== undefined);
  signal.removeEventListener("abort", abort);
  if (early.isComplete) return { ...head, ...inline(Buffer.concat(early.chunks), response) };
  if (early.error !== undefined && view === undefined) throw early.error;
  const stream = new ServerStream();
  stream.onClose = () => controller.abort();
  view!.open(stream);
  void feed(stream, early, reader);
  const length = response.headers.get("content-length");
  return {
    ...head,
    body: null,
    bodyType: "stream",
    stream: { id: stream.id, window: stream.window, ...(length ? { length: Number(length) } : {}) },
    streamId: stream.id,
  };
}

interface Early {
  chunks: Uint8Array[];
  isComplete: boolean;
  next: Promise<ReadableStreamReadResult<Uint8Array>> | undefined;
  error?: unknown;
}

// What comes within 50 ms and is not long is in the answer itself.
async function readEarly(
  reader: ReadableStreamDefaultReader<Uint8Array>,
  response: Response,
  mayStream: boolean,
): Promise<Early> {
  const chunks: Uint8Array[] = [];
  const isEvents = /^text\/event-stream/i.test(response.headers.get("content-type") ?? "");
  let size = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const enough = new Promise<"enough">((resolve) => {
    timer = setTimeout(() => resolve("enough"), isEvents ? 0 : kInlineMs);
  });
  try {
    for (;;) {
      const next = reader.read();
      next.catch(() => {});
      const outcome = await (mayStream ? Promise.race([next, enough]) : next);
      if (outcome === "enough") return { chunks, isComplete: false, next };
      if (outcome.done) return { chunks, isComplete: true, next: undefined };
      chunks.push(outcome.value);
      size += outcome.value.length;
      if (mayStream && size > kInlineMax) return { chunks, isComplete: false, next: undefined };
    }
  } catch (error) {
    if (!mayStream) throw error;
    return { chunks, isComplete: false, next: undefined, error };
  } finally {
    clearTimeout(timer);
  }
}

async function feed(
  stream: ServerStream,
  early: Early,
  reader: ReadableStreamDefaultReader<Uint8Array>,
): Promise<void> {
  try {
    for (const chunk of early.chunks) stream.addData(chunk);
    if (early.error !== undefined) throw early.error;
    for (let next = early.next ?? reader.read(); ; next = reader.read()) {
      const { done, value } = await next;
      if (done) break;
      stream.addData(value);
      await stream.room();
      if (stream.isOver) return;
    }
    stream.add("end", {}, 0);
  } catch (error) {
    stream.fail(asFailure(error));
  }
}

function inline(bytes: Buffer, response: Response): object {
  const type = response.headers.get("content-type") ?? "";
  if (/^text\/|json|xml|javascript/.test(type)) {
    try {
      const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
      return { body: decoder.decode(bytes), bodyType: "text" };
    } catch {
      // not UTF-8
    }
  }
  return { body: bytes.toString("base64"), bodyType: "base64" };
}

/** The head comes as a frame; the body is pushed in pieces, as fast as the origin takes it. */
export function uploadTool(args: HttpArguments, { backend, view }: HttpCall): object {
  const stream = new ServerStream();
  const length = args.upload === true ? undefined : args.upload?.length;
  const headers = Object.fromEntries(new Headers(args.headers as HeadersInit));
  const outgoing = httpRequest(backend.resolve(args.url), {
    method: args.method ?? "POST",
    headers: { ...headers, ...(length === undefined ? {} : { "content-length": length }) },
  });
  outgoing.on("error", (error) => stream.fail(asFailure(error)));
  outgoing.on("response", (incoming) => void answer(stream, incoming, args));
  outgoing.flushHeaders();
  stream.onClose = () => outgoing.destroy();
  stream.take = async (piece) => {
    if (piece.abort === true) {
      outgoing.destroy(new Error("The upload was given up."));
      return { credit: 0 };
    }
    const bytes = Buffer.from(String(piece.b64 ?? ""), "base64");
    if (bytes.length > kWindow)
      throw new ToolFailure("limit_exceeded", "More than 1 MiB in a push.");
    if (bytes.length > 0 && !outgoing.write(bytes) && !outgoing.destroyed) await drained(outgoing);
    if (piece.fin === true) outgoing.end();
    return { credit: kWindow };
  };
  view!.open(stream);
  const facts = { id: stream.id, window: stream.window, credit: kWindow };
  return { stream: facts, streamId: stream.id };
}

async function answer(
  stream: ServerStream,
  incoming: IncomingMessage,
  args: HttpArguments,
): Promise<void> {
  const headers = new Headers();
  for (const [name, values] of Object.entries(incoming.headersDistinct))
    if (!kHopByHop.test(name)) for (const value of values ?? []) headers.append(name, value);
  const head = {
    status: incoming.statusCode,
    statusText: incoming.statusMessage,
    headers: Object.fromEntries(headers),
    headerPairs: [...headers],
    url: args.url,
    redirected: false,
    type: "basic",
  };
  stream.add("head", head, 0);
  try {
    for await (const chunk of incoming) {
      stream.addData(chunk as Buffer);
      await stream.room();
    }
    stream.add("end", {}, 0);
  } catch (error) {
    stream.fail(asFailure(error));
  }
}

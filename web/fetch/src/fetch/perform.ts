// fetch() over tools/call.
import { fromBase64 } from "../base/base64.ts";
import { McpFetchError, networkError } from "../base/errors.ts";
import { fromWire, isOwn, wireUrl, withoutFragment } from "../base/place.ts";
import { commonArguments, type Environment, routeOf } from "../environment.ts";
import { streamFactsOf } from "../streams/frames.ts";
import { upload } from "../streams/upload.ts";
import { Uplink } from "../streams/uplink.ts";
import { hasBadPort } from "./bad-ports.ts";
import { matches } from "./integrity.ts";
import { headersOf, type Outgoing, prepare, refuse } from "./request.ts";
import { bodyOf, inlineBody, type RequestBody } from "./request-body.ts";
import { bodyOfBytes, IncomingBody } from "./response-body.ts";
import { hasNoBody, makeFilteredResponse, makeResponse } from "./response.ts";

/** What XMLHttpRequest wants to know besides. */
export interface FetchHooks {
  onUploaded?(bytes: number, total: number | undefined): void;
}

type Answer = Record<string, unknown>;

export async function performFetch(
  environment: Environment,
  input: RequestInfo | URL,
  init?: RequestInit,
  hooks: FetchHooks = {},
): Promise<Response> {
  const outgoing = prepare(environment.place, input, init);
  const { request, url } = outgoing;
  const { signal } = request;
  if (signal.aborted) {
    outgoing.stream?.cancel(signal.reason).catch(() => {});
    throw signal.reason;
  }
  if (routeOf(environment, url) === "native") {
    if (environment.nativeFetch === undefined) throw networkError(new Error("No native fetch()."));
    return environment.nativeFetch(request);
  }
  refuse(outgoing, isOwn(environment.place, url), hasBadPort(url));
  const work = new Exchange(environment, outgoing, hooks).run();
  work.catch(() => outgoing.stream?.cancel(signal.reason).catch(() => {}));
  if (request.keepalive) environment.connection.keep(work);
  return orAborted(work, signal);
}

// An abort is heard at once and with its own reason, whatever becomes of the call.
function orAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = (): void => reject(signal.reason);
    signal.addEventListener("abort", onAbort, { once: true });
    work
      .then(resolve, (error: unknown) =>
        reject(signal.aborted ? signal.reason : asTypeError(error)),
      )
      .finally(() => signal.removeEventListener("abort", onAbort));
  });
}

const asTypeError = (error: unknown): unknown =>
  error instanceof TypeError || error instanceof DOMException ? error : networkError(error);

const kKeepaliveBytes = 64 * 1024;

class Exchange {
  #environment: Environment;
  #outgoing: Outgoing;
  #hooks: FetchHooks;

  constructor(environment: Environment, outgoing: Outgoing, hooks: FetchHooks) {
    this.#environment = environment;
    this.#outgoing = outgoing;
    this.#hooks = hooks;
  }

  async run(): Promise<Response> {
    const body = await bodyOf(this.#outgoing);
    const size = body.kind === "bytes" ? body.blob.size : 0;
    if (this.#outgoing.request.keepalive && (body.kind === "stream" || size > kKeepaliveBytes))
      throw networkError(new Error("A keepalive request has a body of at most 64 KiB."));
    const { connection } = this.#environment;
    const isLong = body.kind === "stream" || size > connection.facts.inlineMax;
    if (isLong && connection.hasStreams) {
      const response = await this.#uploaded(body);
      if (response !== undefined) return response;
    }
    return this.#inline(body);
  }

  #arguments(): Record<string, unknown> {
    const { request, url } = this.#outgoing;
    const { options, place } = this.#environment;
    return {
      ...commonArguments(this.#environment),
      method: request.method,
      url: wireUrl(place, url),
      headers: headersOf(request),
      credentials: request.credentials,
      redirect: request.redirect,
      cache: request.cache,
      timeoutMs: options.timeoutMs,
    };
  }

  async #inline(body: RequestBody): Promise<Response> {
    const { connection } = this.#environment;
    const { request } = this.#outgoing;
    const { signal } = request;
    const args = this.#arguments();
    let size = 0;
    if (body.kind !== "none") {
      const blob = body.kind === "bytes" ? body.blob : await new Response(body.stream).blob();
      Object.assign(args, await inlineBody(blob, request.headers.get("content-type")));
      size = blob.size;
    }
    const call = connection.gateway.call("http_request", args, { signal });
    const answer = await connection.streams.opening(call);
    if (size > 0) this.#hooks.onUploaded?.(size, size);
    return this.#answered(answer, this.#bodyOf(answer));
  }

  /** Nothing, where the server has no such tool and the body is still there. */
  async #uploaded(body: RequestBody): Promise<Response | undefined> {
    const { connection } = this.#environment;
    const { gateway, streams } = connection;
    const { signal } = this.#outgoing.request;
    const total = body.kind === "bytes" ? body.blob.size : undefined;
    const args = { ...this.#arguments(), upload: total === undefined ? true : { length: total } };
    let opened: Answer;
    try {
      opened = await streams.opening(gateway.call("http_request_stream", args, { signal }));
    } catch (error) {
      if (!(error instanceof McpFetchError) || error.code !== "unavailable") throw error;
      connection.hasStreams = false;
      return undefined;
    }
    const facts = streamFactsOf(opened.stream);
    if (facts === undefined) throw new McpFetchError("bad_answer", "The upload has no stream.");
    const incoming = new IncomingBody(signal);
    incoming.comeFrom(streams.attach(facts, incoming));
    const handle = { view: streams.view, id: facts.id };
    const uplink = new Uplink(gateway, "stream_push", handle, facts.credit);
    const stream =
      body.kind === "bytes" ? body.blob.stream() : (body as { stream: ReadableStream }).stream;
    let sent = 0;
    const onSent = (bytes: number): void => this.#hooks.onUploaded?.((sent += bytes), total);
    // An answer may come before the body is all sent, and then it counts.
    const sending = upload(stream, uplink, { signal, onSent }).then(() => incoming.head);
    const head = await Promise.race([incoming.head, sending]).catch((error: unknown) => {
      incoming.stream.cancel().catch(() => {});
      throw error instanceof TypeError && error.message === "network error"
        ? networkError(error.cause)
        : networkError(error);
    });
    return this.#answered(head, incoming.stream);
  }

  #bodyOf(answer: Answer): ReadableStream {
    const { signal } = this.#outgoing.request;
    const { body, bodyType } = answer;
    const facts = streamFactsOf(answer.stream);
    if (facts !== undefined) {
      const incoming = new IncomingBody(signal);
      incoming.comeFrom(this.#environment.connection.streams.attach(facts, incoming));
      return incoming.stream;
    }
    return bodyOfBytes(bytesOfBody(body, bodyType), signal);
  }

  async #answered(answer: Answer, body: ReadableStream): Promise<Response> {
    const { request, url } = this.#outgoing;
    const { place } = this.#environment;
    const discard = (): void => void body.cancel().catch(() => {});
    if (answer.type === "opaqueredirect") {
      discard();
      return makeFilteredResponse("opaqueredirect", withoutFragment(url));
    }
    const finalUrl =
      typeof answer.url === "string" ? fromWire(answer.url, url) : withoutFragment(url);
    const isBasic = isOwn(place, url) && isOwn(place, new URL(finalUrl));
    if (request.mode === "same-origin" && !isBasic) {
      discard();
      throw networkError(new Error("Not the same origin."));
    }
    if (request.mode === "no-cors" && !isBasic) {
      discard();
      return makeFilteredResponse("opaque", "");
    }
    const status = Number(answer.status);
    const facts = {
      status,
      statusText: typeof answer.statusText === "string" ? answer.statusText : "",
      headers: pairsOf(answer),
      url: finalUrl,
      redirected: answer.redirected === true,
      type: isBasic ? ("basic" as const) : ("cors" as const),
    };
    if (hasNoBody(request.method, status)) {
      discard();
      return makeResponse(facts, null);
    }
    if (!request.integrity) return makeResponse(facts, body);
    const bytes = new Uint8Array(await new Response(body).arrayBuffer());
    if (!(await matches(bytes, request.integrity)))
      throw networkError(new Error("The integrity does not match."));
    return makeResponse(facts, bodyOfBytes(bytes, request.signal));
  }
}

function pairsOf({ headerPairs, headers }: Answer): [string, string][] {
  if (Array.isArray(headerPairs)) return headerPairs as [string, string][];
  return Object.entries((headers ?? {}) as Record<string, string>);
}

function bytesOfBody(body: unknown, bodyType: unknown): Uint8Array<ArrayBuffer> {
  if (body === null || body === undefined || bodyType === "none") return new Uint8Array();
  if (bodyType === "base64") return fromBase64(String(body));
  // Other servers with this tool parse JSON; its bytes are then lost, its meaning is not.
  const text = typeof body === "string" && bodyType !== "json" ? body : JSON.stringify(body);
  return new TextEncoder().encode(text) as Uint8Array<ArrayBuffer>;
}

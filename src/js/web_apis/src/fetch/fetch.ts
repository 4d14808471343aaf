import { type Place, currentPlace, movedTo } from "../base/place.js";
import { whenSettled } from "../base/intrinsics.js";
import { defineGlobal, needArguments } from "../base/webidl.js";
import { type AbortSignal, abortInside } from "../events/abort.js";
import { bytesOfBlob } from "../files/blob.js";
import { type Answer, Call, type CallError, type Ending, errorOf, needApi } from "../run/calls.js";
import { hasBadPort } from "../text/url.js";
import { Body } from "./body.js";
import { parseDataUrl } from "./data-url.js";
import { type HeaderPair } from "./headers.js";
import { IncomingBody } from "./incoming.js";
import { parseMimeType } from "./mime-type.js";
import { matchesIntegrity } from "./integrity.js";
import { OutgoingBody } from "./outgoing.js";
import { Request, requestInside } from "./request.js";
import { type Response, type ResponseType, isNullBodyStatus, responseOf } from "./response.js";

interface ResponseHead {
  status: number;
  reason?: string;
  headers?: HeaderPair[];
  url?: string;
  redirected?: boolean;
  type?: ResponseType;
  body?: boolean;
}

// What scripts get when there is no response: a TypeError, as everywhere; why is in its cause.
export function networkError(error: CallError | undefined): TypeError {
  const cause = errorOf(error);
  const failure = new TypeError(`fetch failed: ${cause.message}`);
  Object.defineProperty(failure, "cause", { value: cause, writable: true, configurable: true });
  return failure;
}

const withoutFragment = (url: string): string => url.replace(/#.*$/s, "");

// Values of one name go as one header, under its first spelling.
function combined(pairs: HeaderPair[]): HeaderPair[] {
  const known = new Map<string, HeaderPair>();
  for (const [name, value] of pairs) {
    const first = known.get(name.toLowerCase());
    if (first === undefined) known.set(name.toLowerCase(), [name, value]);
    else first[1] += `, ${value}`;
  }
  if (!known.has("accept")) known.set("accept", ["accept", "*/*"]);
  return [...known.values()];
}

// One request to the gateway, from the call to the end of both bodies.
class Exchange {
  readonly #request: Request;
  readonly #resolve: (response: Response) => void;
  readonly #reject: (reason: unknown) => void;
  readonly #signal: AbortSignal;
  #call!: Call;
  #upload: OutgoingBody | undefined;
  #download: IncomingBody | undefined;
  #answered = false;
  #forgetSignal: () => void = () => {};
  readonly #place: Place;

  constructor(
    request: Request,
    place: Place,
    resolve: (response: Response) => void,
    reject: (reason: unknown) => void,
  ) {
    this.#place = place;
    this.#request = request;
    this.#resolve = resolve;
    this.#reject = reject;
    this.#signal = requestInside.signalOf(request);
  }

  start(): void {
    const { method, url, redirect } = requestInside.partsOf(this.#request);
    const body = requestInside.bodyOf(this.#request);
    const headers = combined(requestInside.headersOf(this.#request));
    const length = body === null || body.length === null ? {} : { length: body.length };
    this.#call = new Call(
      {
        operation: "fetch",
        method,
        url: withoutFragment(url),
        headers,
        redirect,
        body: body !== null,
        ...length,
      },
      {
        onAnswer: (answer) => this.#onAnswer(answer),
        onChunk: (bytes) => this.#download?.onChunk(bytes),
        onEnd: (ending) => this.#onEnd(ending),
        onCredit: () => this.#upload?.onCredit(),
        onCancel: () =>
          this.#upload?.stop(new TypeError("The server wants no more of the request's body")),
      },
    );
    this.#call.hold();
    const forget = abortInside.add(this.#signal, () =>
      this.#giveUp(abortInside.reasonOf(this.#signal)),
    );
    // The request is our own copy: nobody else waits for its signal.
    this.#forgetSignal = () => {
      forget();
      abortInside.detach(this.#signal);
    };
    if (body === null) return;
    this.#upload = new OutgoingBody(this.#call, (reason) => this.#uploadFailed(reason));
    this.#upload.start(body);
  }

  #uploadFailed(reason: unknown): void {
    const failure = networkError({ message: "the request's body could not be read" });
    Object.defineProperty(failure, "cause", { value: reason, writable: true, configurable: true });
    this.#giveUp(failure);
  }

  // The script, or its body, ends the exchange: `reason` goes to everybody who waits.
  #giveUp(reason: unknown): void {
    this.#call.cancel();
    this.#forgetSignal();
    this.#upload?.stop(reason);
    this.#download?.fail(reason);
    if (!this.#answered) this.#reject(reason);
    this.#answered = true;
  }

  #onAnswer(answer: Answer): void {
    if (this.#answered) return;
    this.#answered = true;
    this.#call.release();
    if (answer.error !== undefined || answer.value === undefined) {
      const failure = movedTo(networkError(answer.error), this.#place);
      this.#upload?.stop(failure);
      this.#close();
      this.#reject(failure);
      return;
    }
    this.#respond(answer.value as ResponseHead);
  }

  #respond(head: ResponseHead): void {
    const { method, url } = requestInside.partsOf(this.#request);
    const hasBody = head.body !== false && method !== "HEAD" && !isNullBodyStatus(head.status);
    const opaque = head.type === "opaqueredirect";
    if (hasBody && !opaque) {
      this.#download = new IncomingBody(
        () => this.#call,
        (reason) => this.#giveUp(reason),
        () => {
          if (!this.#call.isOpen) this.#forgetSignal();
        },
      );
    } else if (opaque) {
      this.#upload?.stop(undefined);
      this.#call.cancel();
    }
    const body = this.#download === undefined ? null : new Body(this.#download);
    // Without a body there is no end to wait for, unless something is still to be sent.
    if (body === null && (this.#upload === undefined || this.#upload.isDone)) this.#close();
    this.#resolve(
      responseOf({
        type: head.type ?? "basic",
        status: opaque ? 0 : head.status,
        statusText: opaque ? "" : (head.reason ?? ""),
        headers: opaque ? [] : (head.headers ?? []),
        guard: "immutable",
        url: withoutFragment(head.url ?? url),
        redirected: head.redirected ?? false,
        body,
      }),
    );
  }

  #onEnd(ending: Ending): void {
    this.#download?.onEnd(ending.error, (error) => movedTo(networkError(error), this.#place));
    // Whoever has answered in full wants no more of the request.
    this.#upload?.stop(new TypeError("The response has ended before the request's body"));
    this.#close();
  }

  #close(): void {
    // An abort does nothing to what has arrived, except to what nobody has read yet.
    if (this.#download === undefined || this.#download.isDone) this.#forgetSignal();
    this.#call.close();
  }
}

function localResponse(
  request: Request,
  type: string,
  bytes: Uint8Array,
  extra?: HeaderPair[],
): Response {
  return responseOf({
    type: "basic",
    status: 200,
    statusText: "OK",
    headers: [["content-type", type], ...(extra ?? [])],
    guard: "immutable",
    url: withoutFragment(request.url),
    redirected: false,
    body: request.method === "HEAD" ? null : new Body(bytes),
  });
}

// data: and blob: need no gateway.
function fetchLocally(request: Request): Response | undefined {
  const { url, method } = request;
  if (url.startsWith("data:")) {
    const data = parseDataUrl(url);
    if (data === undefined) throw networkError({ message: "the data: URL is not valid" });
    return localResponse(request, data.type, data.bytes);
  }
  if (!url.startsWith("blob:")) return undefined;
  const { blob } = requestInside.partsOf(request);
  if (blob === undefined || method !== "GET")
    throw networkError({ message: "the blob: URL is not known" });
  const type = parseMimeType(blob.type) === undefined ? "" : blob.type;
  return localResponse(request, type, bytesOfBlob(blob), [["content-length", String(blob.size)]]);
}

async function checked(response: Response, integrity: string): Promise<Response> {
  const bytes = await response.clone().bytes();
  if (!matchesIntegrity(bytes, integrity)) {
    void response.body?.cancel().catch(() => {});
    throw networkError({ message: "the response does not match the given integrity" });
  }
  return response;
}

function dropBody(request: Request, reason: unknown): void {
  const body = requestInside.bodyOf(request);
  if (body !== null && !body.isUnusable) void body.stream.cancel(reason).catch(() => {});
}

// Also used by EventSource, which scripts cannot get between.
export function perform(request: Request, place: Place = currentPlace(perform)): Promise<Response> {
  return new Promise((resolve, reject) => {
    const signal = requestInside.signalOf(request);
    if (abortInside.isAborted(signal)) throw abortInside.reasonOf(signal);
    const scheme = request.url.slice(0, request.url.indexOf(":"));
    if (scheme !== "http" && scheme !== "https") {
      const local = fetchLocally(request);
      if (local === undefined)
        throw networkError({ message: `the scheme '${scheme}' cannot be fetched` });
      resolve(local);
      return;
    }
    needApi("fetch");
    if (hasBadPort(request.url))
      throw networkError({ message: "the port is one that the Fetch Standard blocks" });
    new Exchange(request, place, resolve, reject).start();
  });
}

function fetch(input: unknown, init: unknown = {}): Promise<Response> {
  return new Promise((resolve, reject) => {
    needArguments(arguments.length, 1, "fetch");
    const request = new Request(input, init);
    const { integrity } = requestInside.partsOf(request);
    const signal = requestInside.signalOf(request);
    if (abortInside.isAborted(signal)) {
      // Known at once, so it rejects at once.
      dropBody(request, abortInside.reasonOf(signal));
      throw abortInside.reasonOf(signal);
    }
    const response = perform(request, currentPlace(fetch));
    const done = (value: Response) => resolve(integrity === "" ? value : checked(value, integrity));
    void whenSettled(response, done, reject);
  });
}
defineGlobal("fetch", fetch, true);

// A request as fetch() reads it: by the browser's own Request, from an address that need not be its
// document's.
import { networkError } from "../base/errors.ts";
import type { Place } from "../base/place.ts";

export interface Outgoing {
  request: Request;
  url: URL;
  /** A body that is to be sent while it is being made. */
  stream: ReadableStream<Uint8Array> | undefined;
}

const isRequest = (input: unknown): input is Request =>
  typeof Request === "function" && input instanceof Request;

export function prepare(place: Place, input: RequestInfo | URL, init?: RequestInit): Outgoing {
  const stream = init?.body instanceof ReadableStream ? init.body : undefined;
  const target = isRequest(input) ? input : resolve(String(input), place.base);
  let request: Request;
  if (stream !== undefined && !takesStreams()) {
    const { body: _, ...rest } = init as RequestInit;
    if (stream.locked) throw new TypeError("The body is locked.");
    request = new Request(target, rest);
  } else {
    request = new Request(target, init);
  }
  const url = new URL(request.url);
  return { request, url, stream: stream === undefined ? undefined : (request.body ?? stream) };
}

function resolve(text: string, base: string): string {
  if (!URL.canParse(text, base)) throw new TypeError(`Failed to parse URL from ${text}`);
  return new URL(text, base).href;
}

let knownToTakeStreams: boolean | undefined;

// Engines without streaming uploads would send "[object ReadableStream]".
function takesStreams(): boolean {
  if (knownToTakeStreams !== undefined) return knownToTakeStreams;
  let isAsked = false;
  const { headers } = new Request("https://app.invalid/", {
    method: "POST",
    body: new ReadableStream(),
    get duplex() {
      isAsked = true;
      return "half" as const;
    },
  } as RequestInit);
  return (knownToTakeStreams = isAsked && !headers.has("content-type"));
}

/** Headers as the browser would send them: those of the app, and those it says without being asked. */
export function headersOf({ headers }: Request): Record<string, string> {
  const all = new Headers(headers);
  if (!all.has("accept")) all.set("accept", "*/*");
  if (!all.has("accept-language")) {
    const languages = globalThis.navigator?.languages?.join(",");
    if (languages) all.set("accept-language", languages);
  }
  return Object.fromEntries(all);
}

/** What fetch() refuses before anything is sent. */
export function refuse({ request, url }: Outgoing, isOwn: boolean, hasBadPort: boolean): void {
  if (hasBadPort) throw networkError(new Error(`Port ${url.port} is blocked.`));
  if (request.mode === "same-origin" && !isOwn)
    throw networkError(new Error("Not the same origin."));
}

// navigator.sendBeacon(): a keepalive POST whose answer nobody waits for.
import type { AppLike } from "../calls/tool-caller.ts";
import { type Environment, environmentOf, type McpFetchOptions } from "../environment.ts";
import { performFetch } from "./perform.ts";

export type SendBeacon = (url: string | URL, data?: BodyInit | null) => boolean;

const kMostBytes = 64 * 1024;

function sizeOf(data: BodyInit | null | undefined): number {
  if (data === null || data === undefined) return 0;
  if (typeof data === "string") return new TextEncoder().encode(data).length;
  if (data instanceof Blob) return data.size;
  if (data instanceof ArrayBuffer || ArrayBuffer.isView(data)) return data.byteLength;
  if (data instanceof URLSearchParams) return String(data).length;
  return 0; // a form: counted when it is sent
}

export function createMcpSendBeacon(app: AppLike, options?: McpFetchOptions): SendBeacon {
  return sendBeaconFor(environmentOf(app, options));
}

export function sendBeaconFor(environment: Environment): SendBeacon {
  return (url, data) => {
    if (data instanceof ReadableStream) throw new TypeError("A beacon has no stream.");
    const { base } = environment.place;
    if (!URL.canParse(String(url), base) || !/^https?:/.test(new URL(String(url), base).protocol))
      throw new TypeError(`Not a URL for a beacon: ${url}`);
    if (sizeOf(data) > kMostBytes) return false;
    performFetch(environment, url, {
      method: "POST",
      body: data ?? null,
      keepalive: true,
      credentials: "include",
    }).then(
      (response) => response.body?.cancel(),
      () => {},
    );
    return true;
  };
}

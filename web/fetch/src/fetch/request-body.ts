// The body of a request: its very bytes, in the call or in pieces.
import { toBase64 } from "../base/base64.ts";
import type { Outgoing } from "./request.ts";

export type RequestBody =
  | { kind: "none" }
  | { kind: "bytes"; blob: Blob }
  | { kind: "stream"; stream: ReadableStream<Uint8Array> };

export async function bodyOf({ request, stream }: Outgoing): Promise<RequestBody> {
  if (stream !== undefined) return { kind: "stream", stream };
  if (request.body === null || request.method === "GET" || request.method === "HEAD")
    return { kind: "none" };
  // A form with files becomes bytes once, with one boundary; the browser may keep them on disk.
  return { kind: "bytes", blob: await request.blob() };
}

const kTextual = /^(text\/|application\/(json|x-www-form-urlencoded|xml|[^;]*\+(json|xml)))/i;

/**
 * Text stays readable for whoever reads the audit log; both forms give back every byte. Without a
 * Content-Type it is base64, for which the gateway makes none up.
 */
export async function inlineBody(
  blob: Blob,
  contentType: string | null,
): Promise<{ body: string; bodyType: "text" | "base64" }> {
  const bytes = new Uint8Array(await blob.arrayBuffer());
  if (contentType !== null && kTextual.test(contentType)) {
    try {
      const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
      return { body: decoder.decode(bytes), bodyType: "text" };
    } catch {
      // not UTF-8
    }
  }
  return { body: toBase64(bytes), bodyType: "base64" };
}

// The body of a request, in pieces. Reads ahead while a piece is under way, so that small chunks
// of a stream share a call.
import { toBase64 } from "../base/base64.ts";
import type { Uplink } from "./uplink.ts";

const kLargestPiece = 512 * 1024;
// The answer to a piece is all that tells of new credit, so that there is always a next piece.
const kSmallestPiece = 64 * 1024;

export interface UploadOptions {
  signal: AbortSignal;
  onSent?: ((bytes: number) => void) | undefined;
}

export async function upload(
  body: ReadableStream<Uint8Array>,
  uplink: Uplink,
  { signal, onSent }: UploadOptions,
): Promise<void> {
  const reader = body.getReader();
  const pending = new Pending();
  let failure: { error: unknown } | undefined;
  let sending: Promise<void> | undefined;
  const sendSome = async (): Promise<void> => {
    while (pending.size > 0) {
      const piece = pending.take(Math.min(kLargestPiece, Math.max(uplink.credit, kSmallestPiece)));
      await uplink.send({ b64: toBase64(piece) }, signal);
      onSent?.(piece.length);
    }
  };
  const start = (): void => {
    sending ??= sendSome()
      .catch((error: unknown) => {
        failure = { error };
      })
      .finally(() => {
        sending = undefined;
      });
  };
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      if (!(value instanceof Uint8Array))
        throw new TypeError("A chunk of the request's body is not a Uint8Array.");
      pending.add(value);
      start();
      while (sending !== undefined && pending.size >= kLargestPiece) await sending;
      if (failure !== undefined) throw failure.error;
    }
    while (sending !== undefined) await sending;
    if (failure !== undefined) throw (failure as { error: unknown }).error;
    await uplink.send({ b64: "", fin: true }, signal);
  } catch (error) {
    await reader.cancel(signal.aborted ? signal.reason : error).catch(() => {});
    // The origin must not take half of a body for all of it.
    if (!signal.aborted) await uplink.send({ abort: true }).catch(() => {});
    throw error;
  }
}

class Pending {
  size = 0;
  #chunks: Uint8Array[] = [];

  add(chunk: Uint8Array): void {
    if (chunk.length === 0) return;
    this.#chunks.push(chunk);
    this.size += chunk.length;
  }

  take(most: number): Uint8Array {
    const piece = new Uint8Array(Math.min(most, this.size));
    let filled = 0;
    while (filled < piece.length) {
      const chunk = this.#chunks[0]!;
      const part = chunk.subarray(0, piece.length - filled);
      piece.set(part, filled);
      filled += part.length;
      if (part.length === chunk.length) this.#chunks.shift();
      else this.#chunks[0] = chunk.subarray(part.length);
    }
    this.size -= filled;
    return piece;
  }
}

// The body of an answer as a stream of bytes, which is read from the origin no faster than the app reads it.
import { McpFetchError, networkError } from "../base/errors.ts";
import { bytesOf, type Frame } from "../streams/frames.ts";
import type { Subscription } from "../streams/hub.ts";
import type { StreamReader } from "../streams/inbox.ts";

/** A stream of what is here already. It breaks, too, when the request is aborted before it is read. */
export function bodyOfBytes(bytes: Uint8Array<ArrayBuffer>, signal?: AbortSignal): ReadableStream {
  let onAbort: (() => void) | undefined;
  const release = (): void => {
    if (onAbort !== undefined) signal?.removeEventListener("abort", onAbort);
  };
  return byteStream({
    start(controller) {
      onAbort = () => controller.error(signal?.reason);
      if (signal?.aborted) onAbort();
      else signal?.addEventListener("abort", onAbort, { once: true });
    },
    pull(controller) {
      release();
      if (bytes.length > 0) controller.enqueue(bytes);
      close(controller);
    },
    cancel: release,
  });
}

type ByteSource = Omit<UnderlyingByteSource, "type">;

// Nothing is read ahead. What a page puts on Object.prototype is not taken for an option.
function byteStream(source: ByteSource): ReadableStream<Uint8Array<ArrayBuffer>> {
  const alone = <T extends object>(members: T): T =>
    Object.assign(Object.create(null), members) as T;
  return new ReadableStream(
    alone({ ...source, type: "bytes" as const }),
    alone({ highWaterMark: 0 }),
  );
}

function close(controller: ReadableByteStreamController): void {
  controller.close();
  controller.byobRequest?.respond(0);
}

/** What the frames of one answer become: a head, for an upload, and a body. */
export class IncomingBody implements StreamReader {
  readonly stream: ReadableStream<Uint8Array>;
  readonly head: Promise<Frame>;
  #settleHead!: { resolve: (head: Frame) => void; reject: (error: unknown) => void };
  #controller!: ReadableByteStreamController;
  #subscription: Subscription | undefined;
  #queue: Uint8Array<ArrayBuffer>[] = [];
  #held = 0;
  #ending: (() => void) | undefined; // comes after everything that is queued
  #isDone = false; // closed, cancelled or broken: nothing may touch the controller
  #wanted: (() => void) | undefined;
  #signal: AbortSignal | undefined;
  #onAbort = (): void => {
    this.#subscription?.close();
    this.#break(this.#signal?.reason);
  };

  constructor(signal?: AbortSignal) {
    this.#signal = signal;
    this.head = new Promise((resolve, reject) => {
      this.#settleHead = { resolve, reject };
    });
    this.head.catch(() => {});
    this.stream = byteStream({
      start: (controller) => {
        this.#controller = controller;
      },
      pull: () => this.#feed(),
      cancel: () => {
        this.#done();
        this.#subscription?.close();
      },
    });
    if (signal?.aborted) this.#onAbort();
    else signal?.addEventListener("abort", this.#onAbort, { once: true });
  }

  comeFrom(subscription: Subscription): void {
    this.#subscription = subscription;
    if (this.#isDone) subscription.close();
  }

  held(): number {
    return this.#held;
  }

  frame(frame: Frame): void {
    switch (frame.kind) {
      case "head":
        return this.#settleHead.resolve(frame);
      case "data": {
        const bytes = bytesOf(frame);
        if (this.#isDone || bytes.length === 0) return;
        this.#queue.push(bytes);
        this.#held += bytes.length;
        return this.#wanted?.();
      }
      case "end":
        return this.#endBy(() => {
          this.#done();
          close(this.#controller);
        });
      case "error":
        return this.lost(new McpFetchError(String(frame.code), String(frame.message)));
    }
  }

  lost(error: McpFetchError): void {
    const failure = networkError(error, "network error");
    this.#settleHead.reject(failure);
    this.#endBy(() => this.#break(failure));
  }

  #endBy(ending: () => void): void {
    this.#ending = ending;
    if (this.#queue.length === 0 && !this.#isDone) ending();
  }

  async #feed(): Promise<void> {
    if (this.#queue.length === 0) {
      if (this.#ending !== undefined) return this.#ending();
      await new Promise<void>((resolve) => {
        this.#wanted = resolve;
      });
    }
    this.#wanted = undefined;
    const bytes = this.#queue.shift();
    if (bytes === undefined) return; // it ended while this waited
    this.#held -= bytes.length;
    this.#controller.enqueue(bytes);
    this.#subscription?.consumed();
  }

  #break(error: unknown): void {
    this.#settleHead.reject(error);
    if (this.#isDone) return;
    this.#done();
    this.#controller.error(error);
  }

  #done(): void {
    this.#isDone = true;
    this.#queue = [];
    this.#held = 0;
    this.#signal?.removeEventListener("abort", this.#onAbort);
    this.#wanted?.();
  }
}

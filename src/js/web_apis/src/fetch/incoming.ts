// The body of a response: chunks of the gateway become a byte stream. The gateway sends no faster
// than the script reads, because credit is given for what has been read.
import { type Call, type CallError } from "../run/calls.js";
import { ReadableStream } from "../streams/streams.js";

interface Controller {
  enqueue(chunk: Uint8Array): void;
  close(): void;
  error(reason: unknown): void;
  byobRequest: { respond(count: number): void } | null;
}

export class IncomingBody {
  readonly stream: ReadableStream;
  readonly #call: () => Call;
  #controller!: Controller;
  #waiting: Uint8Array[] = [];
  #first = 0;
  #ended = false;
  #done = false;
  #pull: (() => void) | undefined;

  constructor(call: () => Call, onCancel: (reason: unknown) => void) {
    this.#call = call;
    this.stream = new ReadableStream(
      {
        type: "bytes",
        start: (controller: Controller) => {
          this.#controller = controller;
        },
        pull: () => this.#onPull(),
        cancel: (reason: unknown) => {
          this.#finish();
          onCancel(reason);
        },
      },
      { highWaterMark: 0 },
    );
  }

  get isDone(): boolean {
    return this.#done;
  }

  #onPull(): Promise<void> | undefined {
    if (this.#deliver()) return undefined;
    // Somebody waits for the next chunk: that keeps the run alive.
    this.#call().hold();
    return new Promise((resolve) => {
      this.#pull = () => {
        this.#pull = undefined;
        this.#call().release();
        resolve();
      };
    });
  }

  // Hands one chunk, or the end, to the stream. False: there is nothing yet.
  #deliver(): boolean {
    if (this.#done) return true;
    if (this.#first < this.#waiting.length) {
      const chunk = this.#waiting[this.#first]!;
      this.#waiting[this.#first++] = undefined as never;
      if (this.#first === this.#waiting.length) {
        this.#waiting = [];
        this.#first = 0;
      }
      const size = chunk.byteLength;
      this.#controller.enqueue(chunk);
      this.#call().grant(size);
      if (this.#ended && this.#waiting.length === 0) this.#close();
      return true;
    }
    if (!this.#ended) return false;
    this.#close();
    return true;
  }

  #close(): void {
    this.#finish();
    this.#controller.close();
    this.#controller.byobRequest?.respond(0);
  }

  #finish(): void {
    this.#done = true;
    this.#waiting = [];
    this.#pull?.();
  }

  onChunk(bytes: Uint8Array): void {
    if (this.#done || this.#ended || bytes.byteLength === 0) return;
    this.#waiting[this.#waiting.length] = bytes;
    if (this.#pull !== undefined) {
      this.#deliver();
      this.#pull?.();
    }
  }

  onEnd(error: CallError | undefined, toReason: (error: CallError) => unknown): void {
    if (this.#done) return;
    if (error !== undefined) {
      this.fail(toReason(error));
      return;
    }
    this.#ended = true;
    // Without chunks left the stream closes at once, so that `closed` of a reader settles.
    if (this.#waiting.length === 0) this.#close();
  }

  fail(reason: unknown): void {
    if (this.#done) return;
    this.#finish();
    this.#controller.error(reason);
  }
}

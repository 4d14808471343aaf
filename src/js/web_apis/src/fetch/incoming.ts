// The body of a response: chunks of the gateway, read by a stream or all at once. The gateway sends no
// faster than the script reads, because credit is given for what has been read.
import { type Call, type CallError } from "../run/calls.js";
import { ReadableStream } from "../streams/streams.js";

interface Controller {
  enqueue(chunk: Uint8Array): void;
  close(): void;
  error(reason: unknown): void;
  byobRequest: { respond(count: number): void } | null;
}

// Who gets what arrives, once somebody reads.
interface Reader {
  // There is something to take. False: not wanted now.
  wake(): void;
  end(): void;
  fail(reason: unknown): void;
}

// Has no prototype: a script cannot make a thenable of it.
export interface Collected {
  readonly chunks: Uint8Array[];
}

export class IncomingBody {
  readonly #call: () => Call;
  readonly #onCancel: (reason: unknown) => void;
  readonly #onDone: () => void;
  #waiting: Uint8Array[] = [];
  #first = 0;
  #ended = false;
  #failure: [unknown] | undefined;
  #done = false;
  #reader: Reader | undefined;

  constructor(call: () => Call, onCancel: (reason: unknown) => void, onDone: () => void) {
    this.#call = call;
    this.#onCancel = onCancel;
    this.#onDone = onDone;
  }

  // Everything has been taken, or nothing will be.
  get isDone(): boolean {
    return this.#done;
  }
  get failure(): [unknown] | undefined {
    return this.#failure;
  }

  // ---- From the gateway ----

  onChunk(bytes: Uint8Array): void {
    if (this.#done || this.#ended || bytes.byteLength === 0) return;
    this.#waiting[this.#waiting.length] = bytes;
    this.#reader?.wake();
  }

  onEnd(error: CallError | undefined, toReason: (error: CallError) => unknown): void {
    if (this.#done) return;
    if (error !== undefined) {
      this.fail(toReason(error));
      return;
    }
    this.#ended = true;
    this.#reader?.wake();
  }

  fail(reason: unknown): void {
    if (this.#done) return;
    this.#failure = [reason];
    this.#finish();
    this.#reader?.fail(reason);
  }

  // ---- To the script ----

  #take(): Uint8Array | undefined {
    if (this.#first === this.#waiting.length) return undefined;
    const chunk = this.#waiting[this.#first]!;
    this.#waiting[this.#first++] = undefined as never;
    if (this.#first === this.#waiting.length) {
      this.#waiting = [];
      this.#first = 0;
    }
    this.#call().grant(chunk.byteLength);
    return chunk;
  }

  get #isEmpty(): boolean {
    return this.#first === this.#waiting.length;
  }

  #finish(): void {
    this.#done = true;
    this.#waiting = [];
    this.#first = 0;
    this.#onDone();
  }

  // All chunks, without the cost of a stream. Only while nobody else reads.
  collect(): Promise<Collected> {
    return new Promise((resolve, reject) => {
      if (this.#failure !== undefined) {
        reject(this.#failure[0]);
        return;
      }
      const chunks: Uint8Array[] = [];
      this.#call().hold();
      this.#reader = {
        wake: () => {
          for (let chunk = this.#take(); chunk !== undefined; chunk = this.#take())
            chunks.push(chunk);
          if (this.#ended && !this.#done) this.#reader!.end();
        },
        end: () => {
          this.#finish();
          this.#call().release();
          resolve({ __proto__: null, chunks } as Collected);
        },
        fail: (reason) => {
          this.#call().release();
          reject(reason);
        },
      };
      this.#reader.wake();
    });
  }

  // The stream of what comes; made when a script asks for it.
  toStream(): ReadableStream {
    let controller!: Controller;
    let pulled: (() => void) | undefined;
    const settlePull = () => {
      if (pulled === undefined) return;
      const resolve = pulled;
      pulled = undefined;
      this.#call().release();
      resolve();
    };
    const reader: Reader = {
      wake: () => {
        if (this.#isEmpty && this.#ended) reader.end();
        else if (pulled !== undefined && deliver()) settlePull();
      },
      end: () => {
        this.#finish();
        controller.close();
        controller.byobRequest?.respond(0);
        settlePull();
      },
      fail: (reason) => {
        controller.error(reason);
        settlePull();
      },
    };
    // Hands over one chunk, and the end when it was the last.
    const deliver = (): boolean => {
      const chunk = this.#take();
      if (chunk === undefined) return this.#done;
      controller.enqueue(chunk);
      if (this.#isEmpty && this.#ended) reader.end();
      return true;
    };
    const stream = new ReadableStream(
      {
        // Nothing is to be found on Object.prototype instead.
        __proto__: null,
        type: "bytes",
        start: (given: Controller) => {
          controller = given;
        },
        pull: () => {
          if (deliver()) return undefined;
          // Somebody waits for the next chunk: that keeps the run alive.
          this.#call().hold();
          return new Promise<void>((resolve) => {
            pulled = resolve;
          });
        },
        cancel: (reason: unknown) => {
          this.#finish();
          settlePull();
          this.#onCancel(reason);
        },
      },
      { __proto__: null, highWaterMark: 0 },
    );
    this.#reader = reader;
    if (this.#failure !== undefined) controller.error(this.#failure[0]);
    else reader.wake();
    return stream;
  }
}

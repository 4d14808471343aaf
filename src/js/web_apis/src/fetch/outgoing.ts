// The body of a request on its way to the gateway, as fast as the gateway gives credit for it.
import { bytesOf } from "../base/intrinsics.js";
import { type Call } from "../run/calls.js";
import { type ReadableStream, type StreamReader } from "../streams/streams.js";
import { type Body } from "./body.js";

export class OutgoingBody {
  readonly #call: Call;
  readonly #fail: (reason: unknown) => void;
  #reader: StreamReader | undefined;
  #bytes: Uint8Array | undefined;
  #sent = 0;
  #continue: (() => void) | undefined;
  #done = false;

  constructor(call: Call, fail: (reason: unknown) => void) {
    this.#call = call;
    this.#fail = fail;
  }

  get isDone(): boolean {
    return this.#done;
  }

  start(body: Body): void {
    this.#call.hold();
    const bytes = body.takeBytes();
    if (bytes === undefined) {
      void this.#pump(body.stream);
    } else {
      this.#bytes = bytes;
      this.#continue = () => this.#finish();
      this.onCredit();
    }
  }

  async #pump(stream: ReadableStream): Promise<void> {
    try {
      const reader = (this.#reader = stream.getReader());
      for (;;) {
        const { value, done } = await reader.read();
        if (this.#done) return;
        if (done) break;
        if (Object.prototype.toString.call(value) !== "[object Uint8Array]") {
          throw new TypeError("A chunk of the request's body is not an Uint8Array");
        }
        await this.#sendAll(bytesOf(value as Uint8Array));
      }
      this.#finish();
    } catch (error) {
      if (this.#done) return;
      this.stop(error);
      this.#fail(error);
    }
  }

  #sendAll(bytes: Uint8Array): Promise<void> {
    return new Promise((resolve) => {
      this.#bytes = bytes;
      this.#sent = 0;
      this.#continue = resolve;
      this.onCredit();
    });
  }

  onCredit(): void {
    if (this.#done || this.#bytes === undefined) return;
    this.#sent += this.#call.sendBytes(this.#bytes, this.#sent);
    if (this.#sent < this.#bytes.byteLength) return;
    this.#bytes = undefined;
    this.#continue?.();
  }

  #finish(): void {
    if (this.#done) return;
    this.#done = true;
    this.#call.sendEnd();
    this.#call.release();
  }

  // Nothing more is sent; a stream that is being read is told why.
  stop(reason: unknown): void {
    if (this.#done) return;
    this.#done = true;
    this.#call.release();
    this.#bytes = undefined;
    this.#continue?.();
    if (this.#reader !== undefined) void this.#reader.cancel(reason).catch(() => {});
  }
}

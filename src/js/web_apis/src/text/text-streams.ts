import { bytesOf } from "../base/intrinsics.js";
import { expose, toText } from "../base/webidl.js";
import { TransformStream, type ReadableStream, type WritableStream } from "../streams/streams.js";
import { decodeStreamsBy } from "../files/blob.js";
import { TextDecoder, toSharedBytesSource, toUtf8 } from "./encoding.js";

interface Enqueues {
  enqueue(chunk: unknown): void;
}

export class TextDecoderStream {
  readonly #decoder: TextDecoder;
  readonly #transform: TransformStream;

  constructor(label: unknown = "utf-8", options: unknown = {}) {
    const decoder = new TextDecoder(label, options);
    this.#decoder = decoder;
    const pass = (text: string, controller: Enqueues) => {
      if (text !== "") controller.enqueue(text);
    };
    this.#transform = new TransformStream({
      __proto__: null,
      transform(chunk: unknown, controller: Enqueues) {
        pass(
          decoder.decode(bytesOf(toSharedBytesSource(chunk, "A chunk")), { stream: true }),
          controller,
        );
      },
      flush(controller: Enqueues) {
        pass(decoder.decode(), controller);
      },
    });
  }
  get encoding(): string {
    return this.#decoder.encoding;
  }
  get fatal(): boolean {
    return this.#decoder.fatal;
  }
  get ignoreBOM(): boolean {
    return this.#decoder.ignoreBOM;
  }
  get readable(): ReadableStream {
    return this.#transform.readable;
  }
  get writable(): WritableStream {
    return this.#transform.writable;
  }
}
expose(TextDecoderStream, "TextDecoderStream");
decodeStreamsBy((stream) => stream.pipeThrough(new TextDecoderStream()));

export class TextEncoderStream {
  readonly #transform: TransformStream;

  constructor() {
    // The first half of a surrogate pair waits for the second.
    let waiting = "";
    this.#transform = new TransformStream({
      __proto__: null,
      transform(chunk: unknown, controller: Enqueues) {
        let text = waiting + toText(chunk);
        waiting = "";
        const last = text.charCodeAt(text.length - 1);
        if (last >= 0xd800 && last <= 0xdbff) {
          waiting = text.slice(-1);
          text = text.slice(0, -1);
        }
        if (text !== "") controller.enqueue(toUtf8(text));
      },
      flush(controller: Enqueues) {
        if (waiting !== "") controller.enqueue(new Uint8Array([0xef, 0xbf, 0xbd]));
      },
    });
  }
  get encoding(): string {
    void this.#transform;
    return "utf-8";
  }
  get readable(): ReadableStream {
    return this.#transform.readable;
  }
  get writable(): WritableStream {
    return this.#transform.writable;
  }
}
expose(TextEncoderStream, "TextEncoderStream");

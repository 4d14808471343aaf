// CompressionStream and DecompressionStream over pako, a port of zlib.
import { Deflate, Inflate } from "pako";
import { copyOf } from "../base/intrinsics.js";
import { expose, needArguments, toChoice } from "../base/webidl.js";
import { toBytesSource } from "../text/encoding.js";
import { TransformStream, type ReadableStream, type WritableStream } from "./streams.js";

const kFormats = ["deflate", "deflate-raw", "gzip"] as const;

// What both machines of pako have in common.
interface Machine {
  push(bytes: Uint8Array, last: boolean): boolean;
  onData: (bytes: Uint8Array) => void;
  onEnd: (status: number) => void;
  err: number;
  msg: string;
  ended: boolean;
  strm: { avail_in: number };
}
interface Enqueues {
  enqueue(chunk: unknown): void;
}

function transformBy(machine: Machine, decompresses: boolean): TransformStream {
  let controller: Enqueues;
  const fail = (what: string) => {
    throw new TypeError(`The compressed data is not valid: ${what}`);
  };
  machine.onData = (bytes) => controller.enqueue(bytes);
  machine.onEnd = () => {};
  const push = (bytes: Uint8Array, last: boolean) => {
    if (decompresses && machine.ended) {
      if (bytes.length > 0) fail("something follows its end");
      return;
    }
    machine.push(bytes, last);
    if (machine.err !== 0) fail(machine.msg || `error ${machine.err}`);
    if (decompresses && machine.ended && machine.strm.avail_in > 0)
      fail("something follows its end");
  };
  return new TransformStream({
    __proto__: null,
    transform(chunk: unknown, given: Enqueues) {
      controller = given;
      const bytes = copyOf(toBytesSource(chunk, "A chunk"));
      if (bytes.length > 0) push(bytes, false);
    },
    flush(given: Enqueues) {
      controller = given;
      if (!decompresses) push(new Uint8Array(), true);
      else if (!machine.ended) fail("it ends too early");
    },
  });
}

export class CompressionStream {
  readonly #transform: TransformStream;

  constructor(format: unknown) {
    needArguments(arguments.length, 1, "new CompressionStream");
    const kind = toChoice(format, kFormats, "format");
    const machine = new Deflate({ raw: kind === "deflate-raw", gzip: kind === "gzip" });
    this.#transform = transformBy(machine as unknown as Machine, false);
  }
  get readable(): ReadableStream {
    return this.#transform.readable;
  }
  get writable(): WritableStream {
    return this.#transform.writable;
  }
}
expose(CompressionStream, "CompressionStream");

export class DecompressionStream {
  readonly #transform: TransformStream;

  constructor(format: unknown) {
    needArguments(arguments.length, 1, "new DecompressionStream");
    const windowBits = { deflate: 15, "deflate-raw": -15, gzip: 31 }[
      toChoice(format, kFormats, "format")
    ];
    this.#transform = transformBy(new Inflate({ windowBits }) as unknown as Machine, true);
  }
  get readable(): ReadableStream {
    return this.#transform.readable;
  }
  get writable(): WritableStream {
    return this.#transform.writable;
  }
}
expose(DecompressionStream, "DecompressionStream");

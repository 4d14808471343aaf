import { copyOf, exactBuffer, isBytesSource, joinBytes, partOf } from "../base/intrinsics.js";
import {
  expose,
  isObject,
  needArguments,
  toChoice,
  toClampedInteger,
  toDictionary,
  toSequence,
  toUsvText,
} from "../base/webidl.js";
import { ReadableStream } from "../streams/streams.js";
import { fromUtf8, toUtf8 } from "../text/encoding.js";

const kChunk = 64 * 1024;

// TextDecoderStream needs streams, which this file is loaded with: it is given later.
let decodedStream: (stream: ReadableStream) => ReadableStream;
export function decodeStreamsBy(given: typeof decodedStream): void {
  decodedStream = given;
}

export let isBlob: (value: unknown) => value is Blob;
export let bytesOfBlob: (blob: Blob) => Uint8Array;
// A blob over bytes that nobody else will change.
export let blobOf: (bytes: Uint8Array, type: string) => Blob;

function toType(value: unknown): string {
  const text = value === undefined ? "" : toUsvText(value);
  return /[^\x20-\x7e]/.test(text) ? "" : text.toLowerCase();
}

function partBytes(part: unknown, endings: string): Uint8Array {
  if (isBytesSource(part)) return copyOf(part);
  if (isBlob(part)) return bytesOfBlob(part);
  const text = toUsvText(part);
  return toUtf8(endings === "native" ? text.replace(/\r\n?|\n/g, "\n") : text);
}

export class Blob {
  #bytes: Uint8Array;
  #type: string;

  constructor(parts: unknown = undefined, options: unknown = {}) {
    const items = parts === undefined ? [] : Blob.#itemsOf(parts);
    // Conversions happen in the order in which the standard lists the members.
    const given = toDictionary(options, "The options of a Blob");
    const endings = toChoice(
      given["endings"] === undefined ? "transparent" : given["endings"],
      ["transparent", "native"],
      "endings",
    );
    this.#type = toType(given["type"]);
    this.#bytes = joinBytes(items.map((item) => partBytes(item, endings)));
  }

  static #itemsOf(parts: unknown): unknown[] {
    if (!isObject(parts)) throw new TypeError("The parts of a Blob are not a sequence");
    // What is not made of bytes becomes text at once, before the next part is looked at.
    return toSequence(parts, "The parts of a Blob", undefined, (item) =>
      isBytesSource(item) || isBlob(item) ? item : toUsvText(item),
    );
  }

  static {
    isBlob = (value): value is Blob => isObject(value) && #bytes in value;
    bytesOfBlob = (blob) => blob.#bytes;
    blobOf = (bytes, type) => {
      const blob = new Blob();
      blob.#bytes = bytes;
      blob.#type = toType(type);
      return blob;
    };
  }

  get size(): number {
    return this.#bytes.byteLength;
  }
  get type(): string {
    return this.#type;
  }
  slice(start: unknown = 0, end: unknown = undefined, contentType: unknown = undefined): Blob {
    const size = this.#bytes.byteLength;
    const place = (value: unknown) => {
      const number = toClampedInteger(value);
      return number < 0 ? Math.max(size + number, 0) : Math.min(number, size);
    };
    const begin = place(start);
    const stop = end === undefined ? size : place(end);
    return blobOf(partOf(this.#bytes, begin, Math.max(begin, stop)), contentType as string);
  }
  stream(): ReadableStream {
    const bytes = this.#bytes;
    let at = 0;
    return new ReadableStream({
      __proto__: null,
      type: "bytes",
      pull(controller: {
        enqueue(chunk: Uint8Array): void;
        close(): void;
        byobRequest: { respond(n: number): void } | null;
      }) {
        if (at >= bytes.byteLength) {
          controller.close();
          controller.byobRequest?.respond(0);
          return;
        }
        const end = Math.min(at + kChunk, bytes.byteLength);
        controller.enqueue(copyOf(partOf(bytes, at, end)));
        at = end;
      },
    });
  }
  textStream(): ReadableStream {
    return decodedStream(this.stream());
  }
  async text(): Promise<string> {
    return fromUtf8(this.#bytes);
  }
  async arrayBuffer(): Promise<ArrayBuffer> {
    return exactBuffer(copyOf(this.#bytes));
  }
  async bytes(): Promise<Uint8Array> {
    return copyOf(this.#bytes);
  }
}
expose(Blob, "Blob");

export let isFile: (value: unknown) => value is File;

export class File extends Blob {
  readonly #name: string;
  readonly #lastModified: number;

  constructor(parts: unknown, name: unknown, options: unknown = {}) {
    needArguments(arguments.length, 2, "new File");
    if (!isObject(parts)) throw new TypeError("The parts of a File are not a sequence");
    super(parts, options);
    this.#name = toUsvText(name);
    const { lastModified } = toDictionary(options, "The options of a File") as {
      lastModified?: unknown;
    };
    const time = lastModified === undefined ? Date.now() : Math.trunc(Number(lastModified));
    this.#lastModified = Number.isFinite(time) ? time : 0;
  }
  static {
    isFile = (value): value is File => isObject(value) && #name in value;
  }
  get name(): string {
    return this.#name;
  }
  get lastModified(): number {
    return this.#lastModified;
  }
}
expose(File, "File");

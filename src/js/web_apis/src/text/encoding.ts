// TextEncoder and TextDecoder. The tables and state machines of all encodings of the standard are
// those of @exodus/bytes; the classes here have the shape that scripts expect.
import * as bytes from "@exodus/bytes/encoding.js";
import { bytesOf, isBytesSource, isSharedArrayBuffer, isView } from "../base/intrinsics.js";
import { type BytesSource } from "../base/intrinsics.js";
import { expose, needArguments, toDictionary, toText, toUsvText } from "../base/webidl.js";
import { Utf8Decoder } from "./utf8-decoder.js";
import { fromUtf8, toUtf8 } from "./utf8.js";

export { fromUtf8, toUtf8 };

// "UTF-8 decode" of the Encoding Standard: a BOM is taken off.
export function decodeUtf8(source: Uint8Array): string {
  const hasBom =
    source.length >= 3 && source[0] === 0xef && source[1] === 0xbb && source[2] === 0xbf;
  return fromUtf8(hasBom ? source.subarray(3) : source);
}

// Memory that others may change meanwhile is for decoders only.
export function toSharedBytesSource(value: unknown, what: string): BytesSource {
  if (isBytesSource(value) || isSharedArrayBuffer(value)) return value as BytesSource;
  throw new TypeError(`${what} is neither an ArrayBuffer nor a view of one`);
}

export function toBytesSource(value: unknown, what: string): BytesSource {
  const source = toSharedBytesSource(value, what);
  if (isSharedArrayBuffer(isView(source) ? bytesOf(source).buffer : source)) {
    throw new TypeError(`${what} must not be shared memory`);
  }
  return source;
}

export class TextEncoder {
  readonly #brand = true;

  get encoding(): string {
    void this.#brand;
    return "utf-8";
  }
  encode(input: unknown = ""): Uint8Array {
    void this.#brand;
    return toUtf8(toText(input));
  }
  encodeInto(source: unknown, destination: unknown): { read: number; written: number } {
    void this.#brand;
    needArguments(arguments.length, 2, "encodeInto");
    const text = toUsvText(source);
    if (
      !isView(destination) ||
      Object.prototype.toString.call(destination) !== "[object Uint8Array]"
    ) {
      throw new TypeError("encodeInto needs an Uint8Array as its second argument");
    }
    return encodeInto(text, bytesOf(destination));
  }
}
expose(TextEncoder, "TextEncoder");

function encodeInto(text: string, target: Uint8Array): { read: number; written: number } {
  let read = 0;
  let written = 0;
  const room = target.length;
  while (read < text.length) {
    const code = text.codePointAt(read)!;
    const size = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    if (written + size > room) break;
    if (size === 1) {
      target[written] = code;
    } else {
      for (let i = size - 1; i > 0; --i)
        target[written + i] = 0x80 | ((code >> (6 * (size - 1 - i))) & 0x3f);
      target[written] = [0, 0, 0xc0, 0xe0, 0xf0][size]! | (code >> (6 * (size - 1)));
    }
    written += size;
    read += code > 0xffff ? 2 : 1;
  }
  return { read, written };
}

interface Decoder {
  decode(source: Uint8Array | undefined, stream: boolean): string;
}

export class TextDecoder {
  #inner: Decoder;
  readonly #encoding: string;
  readonly #fatal: boolean;
  readonly #ignoreBOM: boolean;

  constructor(label: unknown = "utf-8", options: unknown = {}) {
    const name = toText(label);
    const given = toDictionary(options, "The options of a TextDecoder");
    this.#fatal = Boolean(given["fatal"]);
    this.#ignoreBOM = Boolean(given["ignoreBOM"]);
    const encoding = bytes.normalizeEncoding(name);
    if (encoding === null || encoding === "replacement") {
      throw new RangeError(`The encoding label '${name}' is not known`);
    }
    this.#encoding = encoding;
    this.#inner = this.#fresh();
  }

  #fresh(): Decoder {
    if (this.#encoding === "utf-8") return new Utf8Decoder(this.#fatal, this.#ignoreBOM);
    const machine = new bytes.TextDecoder(this.#encoding, {
      fatal: this.#fatal,
      ignoreBOM: this.#ignoreBOM,
    });
    return { decode: (source, stream) => machine.decode(source, { stream }) };
  }

  get encoding(): string {
    return this.#encoding;
  }
  get fatal(): boolean {
    return this.#fatal;
  }
  get ignoreBOM(): boolean {
    return this.#ignoreBOM;
  }
  decode(input: unknown = undefined, options: unknown = {}): string {
    void this.#encoding;
    const source =
      input === undefined ? undefined : bytesOf(toSharedBytesSource(input, "The input of decode"));
    const stream = Boolean(toDictionary(options, "The options of decode")["stream"]);
    try {
      return this.#inner.decode(source, stream);
    } catch (error) {
      // The standard forgets everything about a stream that broke.
      this.#inner = this.#fresh();
      throw error;
    }
  }
}
expose(TextDecoder, "TextDecoder");

// Streams are those of web-streams-polyfill, the reference implementation's closest relative.
import * as streams from "web-streams-polyfill";
import { apply, defineProperty, getPrototypeOf, setPrototypeOf } from "../base/intrinsics.js";
import { exposeAsIs, isObject } from "../base/webidl.js";

// Two things in which the library differs from the standard.
const { from } = streams.ReadableStream as unknown as { from(iterable: unknown): unknown };
const statics = {
  from(this: unknown, iterable: unknown): unknown {
    if (!isObject(iterable))
      throw new TypeError("ReadableStream.from needs an object that can be iterated");
    return apply(from, this, [iterable]);
  },
};
defineProperty(streams.ReadableStream, "from", {
  value: statics.from,
  writable: true,
  configurable: true,
  enumerable: true,
});
const someIterator = (new streams.ReadableStream() as unknown as { values(): object }).values();
const iteratorPrototype = getPrototypeOf(someIterator) as object;
const AsyncGeneratorPrototype = getPrototypeOf(async function* () {}.prototype) as object;
setPrototypeOf(iteratorPrototype, getPrototypeOf(AsyncGeneratorPrototype) as object);
Reflect.deleteProperty(iteratorPrototype, Symbol.asyncIterator);

for (const [name, value] of Object.entries(streams)) exposeAsIs(value as never, name);

export interface StreamReader {
  read(): Promise<{ value?: unknown; done: boolean }>;
  cancel(reason?: unknown): Promise<void>;
  releaseLock(): void;
  readonly closed: Promise<void>;
}
export interface ReadableStream {
  readonly locked: boolean;
  getReader(): StreamReader;
  cancel(reason?: unknown): Promise<void>;
  tee(): [ReadableStream, ReadableStream];
  pipeThrough(transform: unknown, options?: unknown): ReadableStream;
}
export interface WritableStream {
  readonly locked: boolean;
}
export interface TransformStream {
  readonly readable: ReadableStream;
  readonly writable: WritableStream;
}

export const ReadableStream = streams.ReadableStream as unknown as new (
  source?: object,
  strategy?: object,
) => ReadableStream;
export const WritableStream = streams.WritableStream as unknown as new (
  sink?: object,
  strategy?: object,
) => WritableStream;
export const TransformStream = streams.TransformStream as unknown as new (
  transformer?: object,
  writable?: object,
  readable?: object,
) => TransformStream;

const PolyfillStream = streams.ReadableStream;
const hasInstance = Function.prototype[Symbol.hasInstance];

export function isReadableStream(value: unknown): value is ReadableStream {
  return (
    apply(hasInstance, PolyfillStream, [value]) && Object.hasOwn(value as object, "_disturbed")
  );
}

// Not part of the API, but other standards ask for it.
export function isDisturbed(stream: ReadableStream): boolean {
  return (stream as unknown as { _disturbed: boolean })._disturbed;
}

export function hasByteController(stream: ReadableStream): boolean {
  const { _readableStreamController: controller } = stream as unknown as {
    _readableStreamController: object;
  };
  return controller instanceof streams.ReadableByteStreamController;
}

export function storedError(stream: ReadableStream): unknown {
  return (stream as unknown as { _storedError: unknown })._storedError;
}

export function isErrored(stream: ReadableStream): boolean {
  return (stream as unknown as { _state: string })._state === "errored";
}

// "Read all bytes". Chunks that are not bytes are an error of whoever made the stream.
export async function readAll(stream: ReadableStream): Promise<Uint8Array[]> {
  const reader = stream.getReader();
  const chunks: Uint8Array[] = [];
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return chunks;
    if (Object.prototype.toString.call(value) !== "[object Uint8Array]") {
      const error = new TypeError("A chunk of the body is not an Uint8Array");
      void reader.cancel(error).catch(() => {});
      throw error;
    }
    chunks[chunks.length] = value as Uint8Array;
  }
}

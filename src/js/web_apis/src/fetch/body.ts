// What Request and Response have in common: a body that can be read once.
import {
  bytesOf,
  copyOf,
  defineProperty,
  exactBuffer,
  fromJson,
  isBytesSource,
  joinBytes,
  whenSettled,
} from "../base/intrinsics.js";
import { toUsvText } from "../base/webidl.js";
import { type Blob, blobOf, bytesOfBlob, isBlob } from "../files/blob.js";
import { FormData, isFormData } from "../files/form-data.js";
import { decodeForm, encodeForm } from "../files/multipart.js";
import { structuredClone } from "../run/structured-clone.js";
import {
  ReadableStream,
  TransformStream,
  isDisturbed,
  hasByteController,
  isErrored,
  isReadableStream,
  readAll,
  storedError,
} from "../streams/streams.js";
import { decodeUtf8, fromUtf8, toUtf8 } from "../text/encoding.js";
import { TextDecoderStream } from "../text/text-streams.js";
import { URLSearchParams, isSearchParams } from "../text/url.js";
import { IncomingBody } from "./incoming.js";
import { type MimeType, serializeMimeType } from "./mime-type.js";

const kChunk = 64 * 1024;

// Without a prototype, so that a promise of it finds no `then` that a script put there.
interface Boxed {
  readonly bytes: Uint8Array;
}
const boxed = (bytes: Uint8Array): Boxed => ({ __proto__: null, bytes }) as Boxed;

// Bytes that are at hand, or on their way, are made a stream only when a script asks for it.
export class Body {
  #bytes: Uint8Array | undefined;
  #incoming: IncomingBody | undefined;
  #stream: ReadableStream | undefined;
  #used = false;
  readonly length: number | null = null;

  constructor(content: Uint8Array | IncomingBody | ReadableStream) {
    if (isReadableStream(content)) {
      this.#stream = content;
    } else if (content instanceof IncomingBody) {
      this.#incoming = content;
    } else {
      this.#bytes = content;
      this.length = content.byteLength;
    }
  }

  get isUsed(): boolean {
    return this.#used || (this.#stream !== undefined && isDisturbed(this.#stream));
  }
  get isUnusable(): boolean {
    return this.isUsed || (this.#stream !== undefined && this.#stream.locked);
  }

  get stream(): ReadableStream {
    if (this.#stream === undefined) {
      const isNew = this.#incoming !== undefined && !this.#used;
      this.#stream = isNew ? this.#incoming!.toStream() : streamOf(this.#bytes ?? new Uint8Array());
      this.#bytes = undefined;
      this.#incoming = undefined;
      // Whoever read it holds it for good.
      if (this.#used)
        void this.#stream
          .getReader()
          .cancel()
          .catch(() => {});
    }
    return this.#stream;
  }

  // Why it cannot be read, known at once; boxed, since a reason may be anything.
  get failure(): [unknown] | undefined {
    if (this.#stream !== undefined && isErrored(this.#stream)) return [storedError(this.#stream)];
    if (this.#incoming?.failure !== undefined) return this.#incoming.failure;
    return this.isUnusable ? [unusable()] : undefined;
  }

  // All of it; the body is used from now on.
  async consume(): Promise<Boxed> {
    if (this.#bytes !== undefined) {
      this.#used = true;
      return boxed(copyOf(this.#bytes));
    }
    if (this.#incoming !== undefined) {
      this.#used = true;
      return boxed(joinBytes((await this.#incoming.collect()).chunks));
    }
    return boxed(joinBytes(await readAll(this.#stream!)));
  }

  // Bytes at hand, if it is them; the body is used then.
  takeBytes(): Uint8Array | undefined {
    if (this.#bytes !== undefined) this.#used = true;
    return this.#bytes;
  }

  // The body moves to another owner; this one counts as used.
  moveOut(): Body {
    if (this.#bytes !== undefined) {
      this.#used = true;
      return new Body(this.#bytes);
    }
    return new Body(this.stream.pipeThrough(new TransformStream()));
  }

  clone(): Body {
    if (this.#bytes !== undefined) return new Body(this.#bytes);
    const isBytes = hasByteController(this.stream);
    const [mine, other] = this.stream.tee();
    this.#stream = mine;
    if (isBytes) return new Body(other);
    // The chunks of a script's own stream are shared by both branches; each reader gets its own.
    const copies = {
      __proto__: null,
      transform(chunk: unknown, controller: { enqueue(chunk: unknown): void }) {
        controller.enqueue(structuredClone(chunk));
      },
    };
    return new Body(
      other.pipeThrough(new TransformStream(copies, { highWaterMark: 1 }, { highWaterMark: 0 })),
    );
  }
}

export function streamOf(bytes: Uint8Array): ReadableStream {
  let at = 0;
  return new ReadableStream({
    __proto__: null,
    type: "bytes",
    pull(controller: {
      enqueue(chunk: Uint8Array): void;
      close(): void;
      byobRequest: { respond(n: number): void } | null;
    }) {
      if (at < bytes.byteLength) {
        const end = Math.min(at + kChunk, bytes.byteLength);
        controller.enqueue(copyOf(bytes.subarray(at, end)));
        at = end;
      }
      if (at < bytes.byteLength) return;
      controller.close();
      controller.byobRequest?.respond(0);
    },
  });
}

// https://fetch.spec.whatwg.org/#concept-bodyinit-extract
export function extractBody(
  value: unknown,
  keepalive = false,
): { body: Body; type: string | undefined } {
  if (isReadableStream(value)) {
    if (keepalive) throw new TypeError("A stream cannot be the body of a keepalive request");
    if (value.locked || isDisturbed(value))
      throw new TypeError("The stream is locked or has been read from");
    return { body: new Body(value), type: undefined };
  }
  if (isBlob(value)) return { body: new Body(bytesOfBlob(value)), type: value.type || undefined };
  if (isBytesSource(value)) return { body: new Body(copyOf(bytesOf(value))), type: undefined };
  if (isFormData(value)) {
    const { bytes, type } = encodeForm(value);
    return { body: new Body(bytes), type };
  }
  if (isSearchParams(value)) {
    return {
      body: new Body(toUtf8(value.toString())),
      type: "application/x-www-form-urlencoded;charset=UTF-8",
    };
  }
  return { body: new Body(toUtf8(toUsvText(value))), type: "text/plain;charset=UTF-8" };
}

export interface BodyOwner {
  body: Body | null;
  mimeType(): MimeType | undefined;
}

export function unusable(): TypeError {
  return new TypeError("The body has already been read, or is locked by a reader");
}

function toFormData(bytes: Uint8Array, type: MimeType | undefined): FormData {
  if (type?.essence === "multipart/form-data") {
    const boundary = type.parameters.get("boundary");
    const data = boundary === undefined ? undefined : decodeForm(bytes, boundary);
    if (data === undefined)
      throw new TypeError("The body is not a form of its content type's boundary");
    return data;
  }
  if (type?.essence === "application/x-www-form-urlencoded") {
    const data = new FormData();
    for (const [name, value] of new URLSearchParams(fromUtf8(bytes))) data.append(name, value);
    return data;
  }
  throw new TypeError(
    "The content type is neither multipart/form-data nor application/x-www-form-urlencoded",
  );
}

// What addBodyMembers adds.
export interface BodyMembers {
  readonly body: ReadableStream | null;
  readonly bodyUsed: boolean;
  arrayBuffer(): Promise<ArrayBuffer>;
  blob(): Promise<Blob>;
  bytes(): Promise<Uint8Array>;
  formData(): Promise<FormData>;
  json(): Promise<unknown>;
  text(): Promise<string>;
  textStream(): ReadableStream;
}

// Adds body, bodyUsed, arrayBuffer(), … to a class. `ownerOf` throws for objects of another class.
export function addBodyMembers(prototype: object, ownerOf: (self: unknown) => BodyOwner): void {
  // A failure that is known at once rejects at once, not some microtasks later.
  const consume = <Result>(
    self: unknown,
    convert: (bytes: Uint8Array, owner: BodyOwner) => Result,
  ): Promise<Result> => {
    let owner: BodyOwner;
    try {
      owner = ownerOf(self);
    } catch (error) {
      return Promise.reject(error);
    }
    const failure = owner.body?.failure;
    if (failure !== undefined) return Promise.reject(failure[0]);
    const whole =
      owner.body === null ? Promise.resolve(boxed(new Uint8Array())) : owner.body.consume();
    return whenSettled(whole, ({ bytes }) => convert(bytes, owner)) as Promise<Result>;
  };
  const members = {
    get body(): ReadableStream | null {
      return ownerOf(this).body?.stream ?? null;
    },
    get bodyUsed(): boolean {
      return ownerOf(this).body?.isUsed ?? false;
    },
    arrayBuffer() {
      return consume(this, exactBuffer);
    },
    blob() {
      return consume(this, (bytes, owner) => {
        const type = owner.mimeType();
        return blobOf(bytes, type === undefined ? "" : serializeMimeType(type));
      });
    },
    bytes() {
      return consume(this, (bytes) => bytes);
    },
    formData() {
      return consume(this, (bytes, owner) => toFormData(bytes, owner.mimeType()));
    },
    json() {
      return consume(this, (bytes) => fromJson(decodeUtf8(bytes)) as unknown);
    },
    text() {
      return consume(this, decodeUtf8);
    },
    textStream() {
      const { body } = ownerOf(this);
      if (body?.isUnusable) throw unusable();
      return (body?.stream ?? streamOf(new Uint8Array())).pipeThrough(new TextDecoderStream());
    },
  };
  for (const key of Reflect.ownKeys(members)) {
    const descriptor = Object.getOwnPropertyDescriptor(members, key)!;
    defineProperty(prototype, key, { ...descriptor, enumerable: true });
  }
}

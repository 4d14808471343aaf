// What Request and Response have in common: a body that can be read once.
import { bytesOf, copyOf, defineProperty, exactBuffer, fromJson, isBytesSource, joinBytes } from "../base/intrinsics.js";
import { toUsvText } from "../base/webidl.js";
import { type Blob, blobOf, bytesOfBlob, isBlob } from "../files/blob.js";
import { FormData, isFormData } from "../files/form-data.js";
import { decodeForm, encodeForm } from "../files/multipart.js";
import { ReadableStream, TransformStream, isDisturbed, isReadableStream, readAll } from "../streams/streams.js";
import { decodeUtf8, fromUtf8, toUtf8 } from "../text/encoding.js";
import { URLSearchParams, isSearchParams } from "../text/url.js";
import { type MimeType, serializeMimeType } from "./mime-type.js";

const kChunk = 64 * 1024;

// Bytes that are at hand stay bytes until a script asks for the stream.
export class Body {
  #bytes: Uint8Array | undefined;
  #stream: ReadableStream | undefined;
  #used = false;
  readonly length: number | null;

  constructor(content: Uint8Array | ReadableStream) {
    if (isReadableStream(content)) {
      this.#stream = content;
      this.length = null;
    } else {
      this.#bytes = content;
      this.length = content.byteLength;
    }
  }

  get isStreamOnly(): boolean {
    return this.#bytes === undefined && this.length === null;
  }
  get isUsed(): boolean {
    return this.#used || (this.#stream !== undefined && isDisturbed(this.#stream));
  }
  get isUnusable(): boolean {
    return this.isUsed || (this.#stream !== undefined && this.#stream.locked);
  }

  get stream(): ReadableStream {
    if (this.#stream === undefined) {
      this.#stream = streamOf(this.#bytes!);
      this.#bytes = undefined;
      if (this.#used) void this.#stream.cancel().catch(() => {});
    }
    return this.#stream;
  }

  // All of it; the body is used from now on.
  async consume(): Promise<Uint8Array> {
    if (this.isUnusable) throw new TypeError("The body has already been read, or is locked by a reader");
    if (this.#bytes !== undefined) {
      this.#used = true;
      return copyOf(this.#bytes);
    }
    return joinBytes(await readAll(this.#stream!));
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
    return new Body(this.#stream!.pipeThrough(new TransformStream()));
  }

  clone(): Body {
    if (this.#bytes !== undefined) return new Body(this.#bytes);
    const [mine, other] = this.#stream!.tee();
    this.#stream = mine;
    return new Body(other);
  }
}

export function streamOf(bytes: Uint8Array): ReadableStream {
  let at = 0;
  return new ReadableStream({
    type: "bytes",
    pull(controller: { enqueue(chunk: Uint8Array): void; close(): void; byobRequest: { respond(n: number): void } | null }) {
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
export function extractBody(value: unknown, keepalive = false): { body: Body; type: string | undefined } {
  if (isReadableStream(value)) {
    if (keepalive) throw new TypeError("A stream cannot be the body of a keepalive request");
    if (value.locked || isDisturbed(value)) throw new TypeError("The stream is locked or has been read from");
    return { body: new Body(value), type: undefined };
  }
  if (isBlob(value)) return { body: new Body(bytesOfBlob(value)), type: value.type || undefined };
  if (isBytesSource(value)) return { body: new Body(copyOf(bytesOf(value))), type: undefined };
  if (isFormData(value)) {
    const { bytes, type } = encodeForm(value);
    return { body: new Body(bytes), type };
  }
  if (isSearchParams(value)) {
    return { body: new Body(toUtf8(value.toString())), type: "application/x-www-form-urlencoded;charset=UTF-8" };
  }
  return { body: new Body(toUtf8(toUsvText(value))), type: "text/plain;charset=UTF-8" };
}

export interface BodyOwner {
  body: Body | null;
  mimeType(): MimeType | undefined;
}

function toFormData(bytes: Uint8Array, type: MimeType | undefined): FormData {
  if (type?.essence === "multipart/form-data") {
    const boundary = type.parameters.get("boundary");
    const data = boundary === undefined ? undefined : decodeForm(bytes, boundary);
    if (data === undefined) throw new TypeError("The body is not a form of its content type's boundary");
    return data;
  }
  if (type?.essence === "application/x-www-form-urlencoded") {
    const data = new FormData();
    for (const [name, value] of new URLSearchParams(fromUtf8(bytes))) data.append(name, value);
    return data;
  }
  throw new TypeError("The content type is neither multipart/form-data nor application/x-www-form-urlencoded");
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
}

// Adds body, bodyUsed, arrayBuffer(), … to a class. `ownerOf` throws for objects of another class.
export function addBodyMembers(prototype: object, ownerOf: (self: unknown) => BodyOwner): void {
  const kEmpty = new Uint8Array();
  const consume = async (owner: BodyOwner): Promise<Uint8Array> =>
    owner.body === null ? kEmpty.slice() : owner.body.consume();
  const members = {
    get body(): ReadableStream | null {
      return ownerOf(this).body?.stream ?? null;
    },
    get bodyUsed(): boolean {
      return ownerOf(this).body?.isUsed ?? false;
    },
    async arrayBuffer() {
      return exactBuffer(await consume(ownerOf(this)));
    },
    async blob() {
      const owner = ownerOf(this);
      const bytes = await consume(owner);
      const type = owner.mimeType();
      return blobOf(bytes, type === undefined ? "" : serializeMimeType(type));
    },
    async bytes() {
      return consume(ownerOf(this));
    },
    async formData() {
      const owner = ownerOf(this);
      const bytes = await consume(owner);
      return toFormData(bytes, owner.mimeType());
    },
    async json() {
      return fromJson(decodeUtf8(await consume(ownerOf(this)))) as unknown;
    },
    async text() {
      return decodeUtf8(await consume(ownerOf(this)));
    },
  };
  for (const key of Reflect.ownKeys(members)) {
    const descriptor = Object.getOwnPropertyDescriptor(members, key)!;
    defineProperty(prototype, key, { ...descriptor, enumerable: true });
  }
}

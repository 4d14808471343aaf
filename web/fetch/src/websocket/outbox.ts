// What a socket is to send: in order, many small messages in one call, large ones in pieces.
import { toBase64 } from "../base/base64.ts";
import type { Uplink } from "../streams/uplink.ts";

export type Message = string | Blob | Uint8Array;

const kLargestCall = 256 * 1024;
const kMostMessages = 1000;

interface WireMessage {
  text?: string;
  b64?: string;
  more?: true;
}

interface Queued {
  message: Message;
  size: number;
}

export class Outbox {
  /** Bytes that the server has not taken yet. */
  bufferedAmount = 0;
  #queue: Queued[] = [];
  #uplink: Uplink | undefined;
  #sending: Promise<void> | undefined;
  #onFailure: (error: unknown) => void;

  constructor(onFailure: (error: unknown) => void) {
    this.#onFailure = onFailure;
  }

  open(uplink: Uplink): void {
    this.#uplink = uplink;
  }

  add(message: Message, size: number): void {
    this.bufferedAmount += size;
    this.#queue.push({ message, size });
    this.#sending ??= Promise.resolve()
      .then(() => this.#sendAll())
      .catch(this.#onFailure)
      .finally(() => {
        this.#sending = undefined;
      });
  }

  async flushed(): Promise<void> {
    await this.#sending;
  }

  clear(): void {
    this.#queue = [];
  }

  async #sendAll(): Promise<void> {
    while (this.#queue.length > 0) {
      const { messages, sizes } = await this.#nextCall();
      await this.#uplink?.send({ messages });
      this.bufferedAmount -= sizes;
    }
  }

  async #nextCall(): Promise<{ messages: WireMessage[]; sizes: number }> {
    const messages: WireMessage[] = [];
    let sizes = 0;
    let pieces = 0;
    while (messages.length < kMostMessages) {
      const next = this.#queue[0];
      if (next === undefined || (messages.length > 0 && sizes + next.size > kLargestCall)) break;
      if (next.size > kLargestCall) {
        pieces = next.size;
        break;
      }
      this.#queue.shift();
      messages.push(await wireForm(next.message));
      sizes += next.size;
    }
    if (pieces > 0 && messages.length === 0) return this.#firstPieces();
    return { messages, sizes };
  }

  // All but the last piece of a long message go out here, its last one with whatever follows.
  async #firstPieces(): Promise<{ messages: WireMessage[]; sizes: number }> {
    const { message, size } = this.#queue.shift()!;
    const whole = typeof message === "string" ? message : await bytesOf(message);
    let at = 0;
    let sent = 0;
    for (;;) {
      let end = at + kLargestCall;
      if (end >= whole.length) break;
      // Never between the halves of a character.
      if (typeof whole === "string" && isHighSurrogate(whole.charCodeAt(end - 1))) end -= 1;
      const piece = whole.slice(at, end);
      await this.#uplink?.send({ messages: [{ ...form(piece), more: true }] });
      const share = typeof piece === "string" ? utf8Length(piece) : piece.length;
      this.bufferedAmount -= share;
      sent += share;
      at = end;
    }
    return { messages: [form(whole.slice(at))], sizes: size - sent };
  }
}

const isHighSurrogate = (unit: number): boolean => unit >= 0xd800 && unit <= 0xdbff;

export const utf8Length = (text: string): number => new TextEncoder().encode(text).length;

const form = (whole: string | Uint8Array): WireMessage =>
  typeof whole === "string" ? { text: whole } : { b64: toBase64(whole) };

async function bytesOf(message: Blob | Uint8Array): Promise<Uint8Array> {
  return message instanceof Blob ? new Uint8Array(await message.arrayBuffer()) : message;
}

async function wireForm(message: Message): Promise<WireMessage> {
  return form(typeof message === "string" ? message : await bytesOf(message));
}

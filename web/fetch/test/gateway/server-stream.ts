// One stream at the server: frames that the view has not acknowledged, and how many more it takes.
import { randomBytes } from "node:crypto";
import { ToolFailure } from "./results.ts";

export const kWindow = 1024 * 1024;
export const kFrameBytes = 256 * 1024;

export interface WireFrame {
  id: string;
  seq: number;
  kind: string;
  [member: string]: unknown;
}

interface Kept {
  frame: WireFrame;
  start: number; // bytes of the stream before it
  size: number;
}

export class ServerStream {
  readonly id = randomBytes(16).toString("base64url");
  onChange: () => void = () => {};
  /** Ends what feeds the stream. */
  onClose: () => void = () => {};
  isOver = false;
  #kept: Kept[] = [];
  #nextSeq = 0;
  #offset = 0;
  #acknowledged = 0;
  #limit: number;
  #roomy: (() => void)[] = [];
  // What is sent to the stream: numbered pieces.
  #nextPush = 0;
  #lastAnswer: object | undefined;
  #pushing: Promise<object> | undefined;
  take: (piece: Record<string, unknown>) => Promise<object> = () =>
    Promise.reject(new ToolFailure("invalid_input", "Nothing can be sent to this stream."));
  readonly window: number;

  constructor(window = kWindow) {
    this.window = window;
    this.#limit = window;
  }

  add(kind: string, members: object, size: number): void {
    if (this.isOver) return;
    const frame = { id: this.id, seq: this.#nextSeq++, kind, ...members };
    this.#kept.push({ frame, start: this.#offset, size });
    this.#offset += size;
    this.isOver = kind === "end" || kind === "close" || kind === "error";
    this.onChange();
  }

  addData(bytes: Uint8Array): void {
    for (let at = 0; at < bytes.length; at += kFrameBytes) {
      const part = Buffer.from(bytes.subarray(at, at + kFrameBytes));
      this.add("data", { b64: part.toString("base64") }, part.length);
    }
  }

  fail(error: ToolFailure): void {
    this.add("error", { code: error.code, message: error.message }, 0);
  }

  get isFull(): boolean {
    return this.#offset - this.#acknowledged >= this.window;
  }

  /** Until the view has acknowledged enough for more to be read. */
  async room(): Promise<void> {
    while (this.isFull) await new Promise<void>((resolve) => this.#roomy.push(resolve));
  }

  acknowledge(next: number): void {
    while (this.#kept[0] !== undefined && this.#kept[0].frame.seq < next) {
      const { start, size } = this.#kept.shift()!;
      this.#acknowledged = start + size;
    }
    for (const resolve of this.#roomy.splice(0)) resolve();
  }

  grant(credit: number): void {
    this.#limit = this.#acknowledged + credit;
  }

  /** Frames that may be sent, from the first one that is not acknowledged, or from `seq`. */
  sendable(seq = 0): { frame: WireFrame; size: number }[] {
    const frames: Kept[] = [];
    for (const kept of this.#kept) {
      if (kept.size > 0 && kept.start >= this.#limit) break;
      if (kept.frame.seq >= seq) frames.push(kept);
    }
    return frames;
  }

  get hasCredit(): boolean {
    return this.#offset < this.#limit;
  }

  /** The last frame was acknowledged. */
  get isForgotten(): boolean {
    return this.isOver && this.#kept.length === 0;
  }

  async push(seq: number, piece: Record<string, unknown>): Promise<object> {
    if (seq === this.#nextPush - 1) return this.#pushing ?? this.#lastAnswer!;
    if (seq !== this.#nextPush)
      throw new ToolFailure("invalid_input", `seq is ${seq}, expected ${this.#nextPush}.`);
    if (this.#pushing !== undefined)
      throw new ToolFailure("invalid_input", "One push at a time for a stream.");
    this.#nextPush += 1;
    this.#pushing = this.take(piece);
    try {
      this.#lastAnswer = { ack: this.#nextPush, ...(await this.#pushing) };
      return this.#lastAnswer;
    } finally {
      this.#pushing = undefined;
    }
  }
}

// One stream of the view: which frames came, and how many more its reader can take.
import type { McpFetchError } from "../base/errors.ts";
import { type Frame, sizeOf } from "./frames.ts";

/** Who reads a stream. */
export interface StreamReader {
  frame(frame: Frame): void;
  /** The stream is gone without a last frame. */
  lost(error: McpFetchError): void;
  /** Bytes that came and were not read yet; nothing, where everything is taken at once. */
  held?(): number;
}

// Servers count more than the payload against what is not acknowledged: many small messages must be
// acknowledged in time, too.
const kFrameCost = 128;

export class Inbox {
  window: number;
  reader: StreamReader;
  /** The first frame that is not here yet. */
  next = 0;
  // What the server may still send, as it was told, without what came since.
  #announced: number;

  constructor(window: number, reader: StreamReader) {
    this.window = window;
    this.reader = reader;
    this.#announced = window;
  }

  /** Hands the frame on if it is the next one. Others are repeated by the server, or were here. */
  accept(frame: Frame): boolean {
    if (frame.seq !== this.next) return false;
    this.next += 1;
    this.#announced -= sizeOf(frame) + kFrameCost;
    this.reader.frame(frame);
    return true;
  }

  get credit(): number {
    return Math.max(0, this.window - (this.reader.held?.() ?? 0));
  }

  announce(most: number): number {
    return (this.#announced = Math.min(this.credit, most));
  }

  /** The reader took enough for the server to be told before the call at hand ends. */
  get isWorthAnnouncing(): boolean {
    const half = this.window / 2;
    return this.#announced < half / 2 && this.credit >= half;
  }
}

/** Keeps frames that came before the answer which says whose they are. */
export class Waiting implements StreamReader {
  readonly frames: Frame[] = [];
  frame(frame: Frame): void {
    this.frames.push(frame);
  }
  lost(): void {}
}

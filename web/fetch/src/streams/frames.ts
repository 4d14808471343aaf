// The frames of docs/streams.md.
import { fromBase64 } from "../base/base64.ts";

export interface Frame {
  id: string;
  seq: number;
  kind: string;
  b64?: string;
  text?: string;
  more?: boolean;
  // Over a MessagePort, bytes need no base64.
  bytes?: Uint8Array<ArrayBuffer>;
  [member: string]: unknown;
}

export function isFrame(value: unknown): value is Frame {
  const { id, seq, kind } = (value ?? {}) as Partial<Frame>;
  return typeof id === "string" && typeof seq === "number" && typeof kind === "string";
}

const kLast = new Set(["end", "close", "error"]);
export const isLast = (frame: Frame): boolean => kLast.has(frame.kind);

export const bytesOf = (frame: Frame): Uint8Array<ArrayBuffer> =>
  frame.bytes ?? fromBase64(frame.b64 ?? "");

/** How much of a stream's credit a frame takes: its payload, as the server counts it. */
export function sizeOf(frame: Frame): number {
  if (frame.bytes !== undefined) return frame.bytes.length;
  const { b64, text, data } = frame;
  if (typeof b64 === "string") return Math.floor((b64.length * 3) / 4);
  return (typeof text === "string" ? text : typeof data === "string" ? data : "").length;
}

/** Handle and limits of a stream, as an opening tool says them. */
export interface StreamFacts {
  id: string;
  window: number;
  credit: number;
}

const kDefaultWindow = 1024 * 1024;

export function streamFactsOf(value: unknown): StreamFacts | undefined {
  const said = (value ?? {}) as Record<string, unknown>;
  if (typeof said.id !== "string") return undefined;
  const number = (name: string) => {
    const found = said[name];
    return typeof found === "number" && found >= 0 ? found : undefined;
  };
  return {
    id: said.id,
    window: number("window") ?? kDefaultWindow,
    credit: number("credit") ?? kDefaultWindow,
  };
}

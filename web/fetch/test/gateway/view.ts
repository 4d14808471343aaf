// The streams of one view, and stream_pull.
import type { Progress } from "../../src/calls/tool-caller.ts";
import { ToolFailure } from "./results.ts";
import type { ServerStream, WireFrame } from "./server-stream.ts";

const kMostStreams = 64;
const kMostBytes = 4 * 1024 * 1024;
const kLongestWait = 25_000;
const kBeatMs = 15_000;

interface PullArguments {
  acks?: Record<string, number>;
  credit?: Record<string, number>;
  waitMs?: number;
  maxBytes?: number;
  push?: boolean;
}

export class View {
  readonly streams = new Map<string, ServerStream>();
  lastPull = Date.now();
  #changed: (() => void)[] = [];
  #current = 0;

  open(stream: ServerStream): void {
    if (this.streams.size >= kMostStreams)
      throw new ToolFailure("limit_exceeded", `A view has at most ${kMostStreams} streams.`);
    this.streams.set(stream.id, stream);
    stream.onChange = () => this.#wake();
    this.#wake();
  }

  at(id: unknown): ServerStream {
    const stream = this.streams.get(String(id));
    if (stream === undefined) throw new ToolFailure("not_found", "There is no such stream.");
    return stream;
  }

  close(ids: string[]): string[] {
    const closed = ids.filter((id) => this.streams.has(id));
    for (const id of closed) {
      const stream = this.streams.get(id)!;
      this.streams.delete(id);
      stream.isOver = true;
      stream.onClose();
      stream.acknowledge(Infinity);
    }
    this.#wake();
    return closed;
  }

  async pull(args: PullArguments, onprogress?: (progress: Progress) => void): Promise<object> {
    this.lastPull = Date.now();
    const turn = ++this.#current;
    this.#wake(); // ends the one before
    const closed = this.#apply(args);
    const until = Date.now() + Math.min(args.waitMs ?? kLongestWait, kLongestWait);
    const maxBytes = Math.min(args.maxBytes ?? kMostBytes / 4, kMostBytes);
    const push =
      args.push === true && onprogress !== undefined ? new Pusher(onprogress) : undefined;
    for (;;) {
      const frames = this.#sendable(maxBytes, push);
      const base = { closed, open: this.streams.size };
      const isSuperseded = turn !== this.#current ? { superseded: true } : {};
      const isIdle = this.streams.size === 0 || Date.now() >= until;
      if (push !== undefined) {
        for (const frame of frames) push.send(frame);
        const isOver = [...this.streams.values()].every((each) => each.isOver || !each.hasCredit);
        if (isIdle || isOver || turn !== this.#current)
          return { frames: [], sent: push.sent, ...base, ...isSuperseded };
        if (frames.length > 0) continue;
      } else if (frames.length > 0 || isIdle || turn !== this.#current) {
        return { frames, ...base, ...isSuperseded };
      }
      const isBeat = await this.#change(Math.min(until - Date.now(), kBeatMs));
      if (isBeat) push?.beat();
    }
  }

  #apply({ acks = {}, credit = {} }: PullArguments): string[] {
    const closed: string[] = [];
    for (const [id, next] of Object.entries(acks)) {
      const stream = this.streams.get(id);
      if (stream === undefined) closed.push(id);
      else stream.acknowledge(next);
      if (stream?.isForgotten) this.streams.delete(id);
    }
    for (const [id, bytes] of Object.entries(credit)) this.streams.get(id)?.grant(bytes);
    return closed;
  }

  #sendable(maxBytes: number, push: Pusher | undefined): WireFrame[] {
    const frames: WireFrame[] = [];
    let total = 0;
    for (const stream of this.streams.values())
      for (const { frame, size } of stream.sendable(push?.sent[stream.id])) {
        if (total > 0 && total + size > maxBytes) return frames;
        frames.push(frame);
        total += size;
      }
    return frames;
  }

  #wake(): void {
    for (const resolve of this.#changed.splice(0)) resolve();
  }

  /** Whether nothing happened for so long. */
  async #change(mostMs: number): Promise<boolean> {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const isSilent = await new Promise<boolean>((resolve) => {
      this.#changed.push(() => resolve(false));
      timer = setTimeout(() => resolve(true), Math.max(0, mostMs));
    });
    clearTimeout(timer);
    return isSilent;
  }
}

class Pusher {
  readonly sent: Record<string, number> = {};
  #onprogress: (progress: Progress) => void;
  #count = 0;

  constructor(onprogress: (progress: Progress) => void) {
    this.#onprogress = onprogress;
  }

  beat(): void {
    this.#onprogress({ progress: ++this.#count });
  }

  send(frame: WireFrame): void {
    this.sent[frame.id] = frame.seq + 1;
    this.#onprogress({ progress: ++this.#count, _meta: { "sallyport/frame": frame } });
  }
}

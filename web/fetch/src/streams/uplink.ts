// What a stream is sent: numbered, one piece under way at a time, a lost piece again.
import { isWorthRetrying } from "../base/errors.ts";
import type { Gateway } from "../calls/gateway.ts";
import { sleep } from "../base/tasks.ts";

const kTries = 6;
const kFirstRetryMs = 100;

export class Uplink {
  /** How many bytes the server takes now. */
  credit: number;
  #gateway: Gateway;
  #tool: string;
  #handle: Record<string, unknown>;
  #seq = 0;

  constructor(
    gateway: Gateway,
    tool: "stream_push" | "ws_send",
    handle: Record<string, unknown>,
    credit: number,
  ) {
    this.#gateway = gateway;
    this.#tool = tool;
    this.#handle = handle;
    this.credit = credit;
  }

  async send(piece: Record<string, unknown>, signal?: AbortSignal): Promise<void> {
    const seq = this.#seq++;
    const args = { ...this.#handle, seq, ...piece };
    for (let tried = 1; ; ++tried) {
      try {
        const { credit } = await this.#gateway.call(this.#tool, args, { signal });
        if (typeof credit === "number") this.credit = credit;
        return;
      } catch (error) {
        if (signal?.aborted || tried === kTries || !isWorthRetrying(error)) throw error;
        await sleep(kFirstRetryMs * 2 ** (tried - 1));
      }
    }
  }
}

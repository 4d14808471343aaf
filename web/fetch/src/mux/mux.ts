// Several protocols in one frame. The App protocol is plain JSON-RPC on `message`; everything else is in an
// envelope that names its channel, `{channel, type, payload}`, which the App protocol does not look at.
// @mcp-b/transports uses the same form. Nobody has to know who else is there.

export interface Envelope {
  channel: string;
  type: string;
  payload?: unknown;
}

/** A message of the App protocol. */
export const isAppMessage = (data: unknown): boolean =>
  typeof data === "object" && data !== null && (data as { jsonrpc?: unknown }).jsonrpc === "2.0";

/** The envelope, if it is one: a proxy between frames hands it on untouched, with its ports. */
export function envelopeOf(data: unknown): Envelope | undefined {
  if (typeof data !== "object" || data === null || isAppMessage(data)) return undefined;
  const { channel, type } = data as Partial<Envelope>;
  return typeof channel === "string" && typeof type === "string" ? (data as Envelope) : undefined;
}

/** A window to listen in, and the one to talk to. */
export interface MuxEnds {
  here: Pick<Window, "addEventListener" | "removeEventListener">;
  there: { postMessage(message: unknown, origin: string, transfer?: Transferable[]): void };
  /** Whom to talk to; what does not come from `there` is not heard anyway. Default: `*`. */
  origin?: string;
}

export type ChannelHandler = (envelope: Envelope, ports: readonly MessagePort[]) => void;

/** One listener for all channels of a window. */
export class Mux {
  #ends: MuxEnds;
  #handlers = new Map<string, Set<ChannelHandler>>();
  #onMessage = (event: MessageEvent): void => {
    if (event.source !== (this.#ends.there as unknown)) return;
    if (this.#ends.origin !== undefined && event.origin !== this.#ends.origin) return;
    const envelope = envelopeOf(event.data);
    if (envelope === undefined) return;
    for (const handler of this.#handlers.get(envelope.channel) ?? [])
      handler(envelope, event.ports);
  };

  constructor(ends: MuxEnds) {
    this.#ends = ends;
    ends.here.addEventListener("message", this.#onMessage as EventListener);
  }

  /** Returns what ends it. */
  on(channel: string, handler: ChannelHandler): () => void {
    const handlers = this.#handlers.get(channel) ?? new Set();
    this.#handlers.set(channel, handlers.add(handler));
    return () => void handlers.delete(handler);
  }

  send(channel: string, type: string, payload?: unknown, transfer: Transferable[] = []): void {
    const { there, origin } = this.#ends;
    there.postMessage({ channel, type, payload }, origin ?? "*", transfer);
  }

  close(): void {
    this.#ends.here.removeEventListener("message", this.#onMessage as EventListener);
    this.#handlers.clear();
  }
}

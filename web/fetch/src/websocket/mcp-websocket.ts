// WebSocket over ws_connect, ws_send and ws_close. https://websockets.spec.whatwg.org/
import { joined } from "../base/bytes.ts";
import { McpFetchError } from "../base/errors.ts";
import { closeEvent, domClass, errorEvent } from "../base/events.ts";
import { wireUrl } from "../base/place.ts";
import { queueTask } from "../base/tasks.ts";
import type { AppLike } from "../calls/tool-caller.ts";
import {
  commonArguments,
  type Environment,
  environmentOf,
  type McpFetchOptions,
  goesNative,
  routeOf,
} from "../environment.ts";
import { hasBadPort } from "../fetch/bad-ports.ts";
import { bytesOf, type Frame, streamFactsOf } from "../streams/frames.ts";
import { StreamTarget } from "../streams/stream-target.ts";
import { Uplink } from "../streams/uplink.ts";
import {
  closeArguments,
  type CloseArguments,
  socketUrl,
  subprotocols,
  wellFormed,
} from "./arguments.ts";
import { type Message, Outbox, utf8Length } from "./outbox.ts";

const kConnecting = 0;
const kOpen = 1;
const kClosing = 2;
const kClosed = 3;
const kCloseMs = 1_000;
const kAbnormal = { code: 1006, reason: "", wasClean: false };

class SocketBase extends StreamTarget {
  #environment: Environment;
  #url: URL;
  #readyState = kConnecting;
  #binaryType: BinaryType = "blob";
  #protocol = "";
  #extensions = "";
  #connectionId: string | undefined;
  #outbox = new Outbox((error) => this.#failSoon(error));
  #pieces: (string | Uint8Array<ArrayBuffer>)[] = [];

  constructor(environment: Environment, url: string | URL, protocols: string | string[] = []) {
    super();
    this.#environment = environment;
    this.#url = socketUrl(url, environment.place);
    const wanted = subprotocols(protocols);
    this.#connect(wanted).catch((error: unknown) => this.#fail(error));
  }

  get url(): string {
    return this.#url.href;
  }
  get readyState(): number {
    return this.#readyState;
  }
  get bufferedAmount(): number {
    return this.#outbox.bufferedAmount;
  }
  get extensions(): string {
    return this.#extensions;
  }
  get protocol(): string {
    return this.#protocol;
  }
  get binaryType(): BinaryType {
    return this.#binaryType;
  }
  set binaryType(value: BinaryType) {
    if (value === "blob" || value === "arraybuffer") this.#binaryType = value;
  }

  send(data: string | Blob | BufferSource): void {
    if (arguments.length === 0) throw new TypeError("1 argument required.");
    if (this.#readyState === kConnecting)
      throw new DOMException("Still in CONNECTING state.", "InvalidStateError");
    const { message, size } = messageOf(data);
    // After the end it counts, and goes nowhere.
    if (this.#readyState !== kOpen) this.#outbox.bufferedAmount += size;
    else this.#outbox.add(message, size);
  }

  close(code?: number, reason?: string): void {
    const checked = closeArguments(code, reason);
    if (this.#readyState >= kClosing) return;
    const wasConnecting = this.#readyState === kConnecting;
    this.#readyState = kClosing;
    // A call that is cancelled could leave a socket behind that nobody knows: it is closed when it is open.
    if (wasConnecting) this.#fail(new Error("closed before it was open"));
    else this.#sayClose(checked).catch((error: unknown) => this.#failSoon(error));
  }

  protected override lost(error: McpFetchError): void {
    this.#fail(error);
  }

  async #connect(protocols: string[]): Promise<void> {
    const { connection, place } = this.#environment;
    routeOf(this.#environment, this.#url);
    if (hasBadPort(this.#url)) throw new Error(`Port ${this.#url.port} is blocked.`);
    const args = {
      ...commonArguments(this.#environment),
      view: connection.streams.view,
      url: wireUrl(place, this.#url),
      protocols: protocols.length > 0 ? protocols : undefined,
    };
    const call = connection.gateway.call("ws_connect", args);
    const answer = await connection.streams.opening(call);
    const facts = streamFactsOf(answer.stream);
    if (facts === undefined) throw new McpFetchError("bad_answer", "The socket has no stream.");
    if (this.#readyState !== kConnecting) {
      this.readFrom(connection.streams, facts);
      return this.leave();
    }
    const connectionId = String(answer.connectionId ?? facts.id);
    this.#connectionId = connectionId;
    this.#protocol = String(answer.protocol ?? "");
    this.#extensions = String(answer.extensions ?? "");
    const handle = { view: connection.streams.view, connectionId };
    this.#outbox.open(new Uplink(connection.gateway, "ws_send", handle, facts.credit));
    this.#readyState = kOpen;
    // Messages are dispatched in turns of their own, so that none comes before this one.
    queueTask(() => this.dispatchEvent(new Event("open")));
    this.readFrom(connection.streams, facts);
  }

  protected override take(frame: Frame): void {
    switch (frame.kind) {
      case "text":
      case "binary":
        this.#pieces.push(frame.kind === "text" ? (frame.text ?? "") : bytesOf(frame));
        if (frame.more !== true) this.#message(frame.kind === "text");
        return;
      case "close":
        return this.#finish({
          code: Number(frame.code ?? 1005),
          reason: String(frame.reason ?? ""),
          wasClean: frame.wasClean !== false,
        });
      case "error":
        return this.#fail(new McpFetchError(String(frame.code), String(frame.message)));
      case "end":
        return this.#finish(kAbnormal);
    }
  }

  #message(isText: boolean): void {
    const pieces = this.#pieces.splice(0);
    if (this.#readyState !== kOpen) return;
    const data = isText ? pieces.join("") : this.#binary(pieces as Uint8Array<ArrayBuffer>[]);
    this.dispatchEvent(new MessageEvent("message", { data, origin: this.#url.origin }));
  }

  #binary(pieces: Uint8Array<ArrayBuffer>[]): Blob | ArrayBuffer {
    if (this.#binaryType === "blob") return new Blob(pieces);
    return joined(pieces).buffer;
  }

  async #sayClose({ code, reason }: CloseArguments): Promise<void> {
    await this.#outbox.flushed();
    if (this.#readyState === kClosed) return;
    const { connection } = this.#environment;
    await connection.gateway.call("ws_close", {
      view: connection.streams.view,
      connectionId: this.#connectionId,
      code,
      reason,
    });
  }

  // What cannot be sent is often the first sign of a close whose frame is under way.
  #failSoon(error: unknown): void {
    setTimeout(() => this.#fail(error), kCloseMs);
  }

  #fail(cause: unknown): void {
    if (this.#readyState === kClosed) return;
    this.#readyState = kClosing;
    this.leave();
    queueTask(() => {
      if (this.#readyState === kClosed) return;
      this.#readyState = kClosed;
      this.#outbox.clear();
      this.dispatchEvent(errorEvent(cause));
      this.dispatchEvent(closeEvent(kAbnormal));
    });
  }

  #finish(how: CloseEventInit): void {
    if (this.#readyState === kClosed) return;
    this.#readyState = kClosed;
    this.#outbox.clear();
    this.dispatchEvent(closeEvent(how));
  }
}

function messageOf(data: unknown): { message: Message; size: number } {
  if (data instanceof Blob) return { message: data, size: data.size };
  if (data instanceof ArrayBuffer || isShared(data)) return copied(new Uint8Array(data));
  if (ArrayBuffer.isView(data))
    return copied(new Uint8Array(data.buffer, data.byteOffset, data.byteLength));
  const text = wellFormed(String(data));
  return { message: text, size: utf8Length(text) };
}

const isShared = (data: unknown): data is ArrayBuffer =>
  typeof SharedArrayBuffer === "function" && data instanceof SharedArrayBuffer;

// It may be changed before it is sent.
const copied = (bytes: Uint8Array) => ({ message: bytes.slice(), size: bytes.length });

const McpWebSocket = /* @__PURE__ */ domClass(SocketBase, ["open", "error", "close", "message"], {
  CONNECTING: kConnecting,
  OPEN: kOpen,
  CLOSING: kClosing,
  CLOSED: kClosed,
});

/** A class to use as `WebSocket`. */
export function createMcpWebSocket(app: AppLike, options?: McpFetchOptions): typeof WebSocket {
  return webSocketFor(environmentOf(app, options));
}

export function webSocketFor(environment: Environment): typeof WebSocket {
  const Native = globalThis.WebSocket;
  const Bound = class WebSocket extends McpWebSocket {
    constructor(url: string | URL, protocols?: string | string[]) {
      const target = socketUrl(url, environment.place);
      if (Native !== undefined && goesNative(environment, target))
        return new Native(target, protocols) as unknown as WebSocket;
      super(environment, url, protocols);
    }
  };
  return Bound as unknown as typeof WebSocket;
}

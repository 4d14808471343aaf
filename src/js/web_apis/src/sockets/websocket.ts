import { DOMException } from "../base/dom-exception.js";
import {
  bytesOf,
  exactBuffer,
  isBytesSource,
  joinBytes,
  partOf,
  copyOf,
} from "../base/intrinsics.js";
import {
  defineConstants,
  expose,
  isObject,
  needArguments,
  toChoice,
  toClampedUint16,
  toSequence,
  toText,
  toUsvText,
} from "../base/webidl.js";
import { CloseEvent, ErrorEvent, MessageEvent } from "../events/event-kinds.js";
import { Event } from "../events/event.js";
import { EventTarget, defineHandler, fire } from "../events/event-target.js";
import { blobOf, bytesOfBlob, isBlob } from "../files/blob.js";
import { type Answer, Call, type Ending, errorOf, needApi } from "../run/calls.js";
import { addTimer } from "../run/timers.js";
import { fromUtf8, toUtf8 } from "../text/encoding.js";
import { hasBadPort, parseUrl, syntaxError } from "../text/url.js";

const kState = { CONNECTING: 0, OPEN: 1, CLOSING: 2, CLOSED: 3 };
const kToken = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const kLargestMessage = 16 * 1024 * 1024 - 1;
const kText = 0x74; // 't'
const kBinary = 0x62; // 'b'

function toSocketUrl(value: unknown): string {
  const url = parseUrl(toUsvText(value));
  if (url === undefined)
    throw syntaxError(`'${toUsvText(value)}' is not a valid URL of a WebSocket`);
  if (url.protocol === "http:") url.protocol = "ws:";
  else if (url.protocol === "https:") url.protocol = "wss:";
  if (url.protocol !== "ws:" && url.protocol !== "wss:") {
    throw syntaxError(`The scheme of a WebSocket is ws or wss, not ${url.protocol.slice(0, -1)}`);
  }
  // A fragment, even an empty one.
  if (url.href.includes("#")) throw syntaxError("The URL of a WebSocket has no fragment");
  return url.href;
}

function toProtocols(value: unknown): string[] {
  const given =
    isObject(value) && !(Symbol.iterator in value)
      ? ((value as { protocols?: unknown }).protocols ?? [])
      : value;
  const list = isObject(given) ? toSequence(given, "protocols").map(toText) : [toText(given)];
  for (const [index, protocol] of list.entries()) {
    if (!kToken.test(protocol)) throw syntaxError(`'${protocol}' is not a valid subprotocol`);
    if (list.findIndex((other) => other.toLowerCase() === protocol.toLowerCase()) < index) {
      throw syntaxError(`The subprotocol '${protocol}' is given twice`);
    }
  }
  return list;
}

export class WebSocket extends EventTarget {
  readonly #url: string;
  readonly #protocols: string[];
  #state = kState.CONNECTING;
  #protocol = "";
  #extensions = "";
  #binaryType: "blob" | "arraybuffer" = "blob";
  #buffered = 0;
  #sent = 0; // of #buffered, already gone
  readonly #queue: { frame: Uint8Array; size: number }[] = [];
  #ending: { code?: number; reason?: string } | undefined;
  #endSent = false;
  readonly #call: Call;

  constructor(url: unknown, protocols: unknown = []) {
    needArguments(arguments.length, 1, "new WebSocket");
    needApi("websocket");
    super();
    this.#url = toSocketUrl(url);
    this.#protocols = toProtocols(protocols);
    const problem = hasBadPort(this.#url)
      ? "The port is one that the Fetch Standard blocks"
      : undefined;
    if (problem !== undefined) addTimer(() => this.#failed(problem), 0);
    this.#call =
      problem !== undefined
        ? Call.closed()
        : new Call(
            { operation: "websocket", url: this.#url, protocols: this.#protocols },
            {
              onAnswer: (answer) => this.#onAnswer(answer),
              onChunk: (bytes) => this.#onMessage(bytes),
              onEnd: (ending) => this.#onEnd(ending),
              onCredit: () => this.#flush(),
            },
          );
    // A socket that is not closed keeps the run alive.
    this.#call.hold();
  }

  get url(): string {
    return this.#url;
  }
  get readyState(): number {
    return this.#state;
  }
  get bufferedAmount(): number {
    return this.#buffered;
  }
  get extensions(): string {
    return this.#extensions;
  }
  get protocol(): string {
    return this.#protocol;
  }
  get binaryType(): string {
    return this.#binaryType;
  }
  set binaryType(value: unknown) {
    void this.#state;
    const text = toText(value);
    if (text === "blob" || text === "arraybuffer")
      this.#binaryType = toChoice(text, ["blob", "arraybuffer"], "binaryType");
  }

  close(code: unknown = undefined, reason: unknown = undefined): void {
    void this.#state;
    const ending: { code?: number; reason?: string } = {};
    if (code !== undefined) {
      ending.code = toClampedUint16(code);
      if (ending.code !== 1000 && (ending.code < 3000 || ending.code > 4999)) {
        throw new DOMException(
          `The close code must be 1000 or from 3000 to 4999, not ${ending.code}`,
          "InvalidAccessError",
        );
      }
    }
    if (reason !== undefined) {
      ending.reason = toUsvText(reason);
      if (toUtf8(ending.reason).byteLength > 123)
        throw syntaxError("The reason of a close has at most 123 bytes");
    }
    if (this.#state >= kState.CLOSING) return;
    if (this.#state === kState.CONNECTING) {
      this.#state = kState.CLOSING;
      this.#call.cancel();
      // Events come later, never out of close() itself.
      addTimer(() => this.#failed("The WebSocket was closed before it was open"), 0);
      return;
    }
    this.#state = kState.CLOSING;
    this.#ending = ending;
    this.#flush();
  }

  send(data: unknown): void {
    needArguments(arguments.length, 1, "WebSocket.send");
    void this.#state;
    let bytes: Uint8Array;
    let kind = kBinary;
    if (isBlob(data)) bytes = bytesOfBlob(data);
    else if (isBytesSource(data)) bytes = bytesOf(data);
    else {
      bytes = toUtf8(toUsvText(data));
      kind = kText;
    }
    if (this.#state === kState.CONNECTING) {
      throw new DOMException("The WebSocket is still connecting", "InvalidStateError");
    }
    this.#buffered += bytes.byteLength;
    if (this.#state !== kState.OPEN) return;
    if (bytes.byteLength > kLargestMessage) {
      throw new RangeError(
        `A message has at most ${kLargestMessage} bytes here, this one has ${bytes.byteLength}`,
      );
    }
    this.#queue.push({ frame: joinBytes([new Uint8Array([kind]), bytes]), size: bytes.byteLength });
    this.#flush();
  }

  #flush(): void {
    while (this.#queue.length > 0) {
      const { frame, size } = this.#queue[0]!;
      if (!this.#call.sendMessage(frame)) return;
      this.#queue.shift();
      this.#forgetSoon(size);
    }
    if (this.#ending === undefined || this.#endSent) return;
    this.#endSent = true;
    this.#call.sendEnd(this.#ending);
  }

  // What has been sent counts as buffered until the current task is over.
  #forgetSoon(size: number): void {
    if (this.#sent === 0) {
      const forget = () => {
        this.#buffered -= this.#sent;
        this.#sent = 0;
      };
      addTimer(forget, 0, { keepsRunAlive: false });
    }
    this.#sent += size;
  }

  #onAnswer(answer: Answer): void {
    if (this.#state !== kState.CONNECTING) return;
    if (answer.error !== undefined) {
      this.#call.close();
      this.#failed(`WebSocket failed: ${errorOf(answer.error).message}`, errorOf(answer.error));
      return;
    }
    const { protocol, extensions } = (answer.value ?? {}) as {
      protocol?: string;
      extensions?: string;
    };
    this.#protocol = protocol ?? "";
    this.#extensions = extensions ?? "";
    this.#state = kState.OPEN;
    fire(this, new Event("open"));
  }

  #onMessage(frame: Uint8Array): void {
    this.#call.grant(frame.byteLength);
    if (this.#state !== kState.OPEN || frame.byteLength === 0) return;
    const bytes = partOf(frame, 1, frame.byteLength);
    const origin = this.#url.replace(/^(wss?:\/\/[^/]*).*$/s, "$1");
    fire(this, new MessageEvent("message", { data: this.#dataOf(frame[0]!, bytes), origin }));
  }

  #dataOf(kind: number, bytes: Uint8Array): unknown {
    if (kind === kText) return fromUtf8(bytes);
    return this.#binaryType === "blob" ? blobOf(bytes, "") : exactBuffer(copyOf(bytes));
  }

  #onEnd(ending: Ending): void {
    if (this.#state === kState.CLOSED) return;
    this.#call.close();
    if (ending.error !== undefined) {
      const error = errorOf(ending.error);
      this.#failed(`WebSocket failed: ${error.message}`, error, ending.code);
      return;
    }
    this.#state = kState.CLOSED;
    const code = ending.code ?? 1005;
    if (code === 1006) fire(this, new ErrorEvent("error", { message: "The connection was lost" }));
    fire(
      this,
      new CloseEvent("close", { wasClean: code !== 1006, code, reason: ending.reason ?? "" }),
    );
  }

  #failed(message: string, error: Error = new Error(message), code = 1006): void {
    this.#state = kState.CLOSED;
    fire(this, new ErrorEvent("error", { message, error }));
    // Why it failed is no secret to the script: it is not a page of another origin.
    const reason = error.message.length > 123 ? `${error.message.slice(0, 120)}...` : error.message;
    fire(this, new CloseEvent("close", { wasClean: false, code, reason }));
  }
}
for (const type of ["open", "error", "close", "message"]) defineHandler(WebSocket.prototype, type);
defineConstants(WebSocket, kState);
expose(WebSocket, "WebSocket");

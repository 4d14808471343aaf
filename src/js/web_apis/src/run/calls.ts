// Calls to the gateway: numbered from 1, answered once, with bodies beside them in both directions.
// See src/js/frame.hpp for the frames.
import { send } from "../base/host.js";
import { fromJson, isArray, objectKeys, partOf, toJson } from "../base/intrinsics.js";

const Kind = {
  Answer: 2,
  Console: 16,
  Call: 17,
  Chunk: 32,
  End: 33,
  Credit: 34,
  Cancel: 35,
} as const;

// As in frame.hpp.
const kFirstCredit = 256 * 1024;
const kLargestPayload = 16 * 1024 * 1024;
const kLargestChunk = 64 * 1024;

// JSON that has been made already, by the rules of JSON.stringify.
export class RawJson {
  constructor(readonly text: string) {}
}

// Our own requests, written without the help of anything that a script may have changed: a toJSON on
// Object.prototype would make other frames of them.
function encode(value: unknown): string {
  if (value instanceof RawJson) return value.text;
  if (typeof value !== "object" || value === null) return toJson(value);
  let text = "";
  if (isArray(value)) {
    for (let i = 0; i < value.length; ++i) text += (i === 0 ? "" : ",") + encode(value[i]);
    return `[${text}]`;
  }
  const keys = objectKeys(value);
  for (let i = 0; i < keys.length; ++i) {
    text += `${i === 0 ? "" : ","}${toJson(keys[i])}:${encode((value as Record<string, unknown>)[keys[i]!])}`;
  }
  return `{${text}}`;
}

export interface CallError {
  name?: string;
  message?: string;
  code?: string;
  cause?: unknown;
}
export interface Answer {
  value?: unknown;
  error?: CallError;
}
export interface Ending {
  error?: CallError;
  code?: number;
  reason?: string;
}

export interface CallHandler {
  onAnswer(answer: Answer): void;
  onChunk?(bytes: Uint8Array): void;
  onEnd?(ending: Ending): void;
  onCredit?(): void;
  // The gateway wants no more of what we send.
  onCancel?(): void;
}

let calls = new Map<number, Call>();
let lastCall = 0;
let waitingCalls = 0;
// Before the first run nobody listens: what is done then is done to warm up.
let isRehearsal = false;

function transmit(kind: number, call: number, payload?: string | Uint8Array): void {
  if (!isRehearsal) send(kind, call, payload);
}

export function startRehearsal(): void {
  isRehearsal = true;
}
export function endRehearsal(): void {
  if (!isRehearsal) return;
  isRehearsal = false;
  lastCall = 0;
}
export const latestCall = (): number => lastCall;

export const callsAreBusy = (): boolean => waitingCalls > 0;

export class Call {
  readonly #id: number;
  readonly #handler: CallHandler;
  #credit = kFirstCredit;
  #toGrant = 0;
  #holds = 0;
  #open = true;

  constructor(request: object | undefined, handler: CallHandler) {
    if (request === undefined) {
      this.#id = 0;
      this.#handler = handler;
      this.#open = false;
      return;
    }
    const text = encode(request);
    if (text.length > kLargestPayload / 4) {
      throw new RangeError("The arguments of this call are too large (4 MiB at most)");
    }
    this.#id = ++lastCall;
    this.#handler = handler;
    calls.set(this.#id, this);
    transmit(Kind.Call, this.#id, text);
  }

  // One that was never made.
  static closed(): Call {
    return new Call(undefined, { onAnswer() {} });
  }

  static {
    deliver = (kind, id, payload) => {
      const call = calls.get(id);
      if (call !== undefined) call.#deliver(kind, payload);
    };
    dropCalls = () => {
      for (const call of calls.values()) call.cancel();
      calls = new Map();
      waitingCalls = 0;
    };
  }

  #deliver(kind: number, payload: unknown): void {
    const handler = this.#handler;
    if (kind === Kind.Answer) handler.onAnswer(fromJson(payload as string) as Answer);
    else if (kind === Kind.Chunk) handler.onChunk?.(payload as Uint8Array);
    else if (kind === Kind.End)
      handler.onEnd?.(payload ? (fromJson(payload as string) as Ending) : {});
    else if (kind === Kind.Cancel) handler.onCancel?.();
    else if (kind === Kind.Credit) {
      this.#credit += payload as number;
      handler.onCredit?.();
    }
  }

  get isOpen(): boolean {
    return this.#open;
  }

  // Until release(), the run does not end: somebody waits for this call.
  hold(): void {
    if (this.#open && this.#holds++ === 0) ++waitingCalls;
  }
  release(): void {
    if (this.#holds > 0 && --this.#holds === 0) --waitingCalls;
  }

  // Sends as much as the gateway takes now; returns how much that was.
  sendBytes(bytes: Uint8Array, from: number): number {
    let at = from;
    while (this.#open && at < bytes.byteLength && this.#credit > 0) {
      const end = Math.min(bytes.byteLength, at + kLargestChunk, at + this.#credit);
      transmit(Kind.Chunk, this.#id, partOf(bytes, at, end));
      this.#credit -= end - at;
      at = end;
    }
    return at - from;
  }

  // A message is one chunk, whatever its size; it goes out as soon as there is any credit.
  sendMessage(bytes: Uint8Array): boolean {
    if (!this.#open || this.#credit <= 0) return false;
    transmit(Kind.Chunk, this.#id, bytes);
    this.#credit -= bytes.byteLength;
    return true;
  }

  sendEnd(ending?: object): void {
    if (this.#open) transmit(Kind.End, this.#id, ending === undefined ? undefined : encode(ending));
  }

  // Tells the gateway that `count` bytes have been taken, in steps that are worth a frame.
  grant(count: number): void {
    this.#toGrant += count;
    if (!this.#open || this.#toGrant < kFirstCredit / 4) return;
    const credit = new Uint8Array(4);
    for (let i = 0; i < 4; ++i) credit[i] = (this.#toGrant >>> (8 * i)) & 255;
    this.#toGrant = 0;
    transmit(Kind.Credit, this.#id, credit);
  }

  // Nothing more is expected or sent.
  close(): void {
    if (!this.#open) return;
    this.#open = false;
    calls.delete(this.#id);
    if (this.#holds > 0) --waitingCalls;
    this.#holds = 0;
  }

  cancel(): void {
    if (!this.#open) return;
    transmit(Kind.Cancel, this.#id);
    this.close();
  }
}

export var deliver: (kind: number, id: number, payload: unknown) => void;
export var dropCalls: () => void;

export function sendConsole(level: string, text: string): void {
  transmit(Kind.Console, 0, encode({ level, text }));
}

// ---- Switches ----

let apis: Record<string, unknown> = {};
export function setApis(given: object | undefined): void {
  apis = (given ?? {}) as Record<string, unknown>;
}

// Throws the sentence that says why an API is off.
export function needApi(name: "fetch" | "websocket" | "mcp"): void {
  const state = apis[name];
  if (state === true) return;
  throw new Error(
    typeof state === "string" && state !== "" ? state : `${name} is not available in this run`,
  );
}

// An error of the gateway as an object of this world. What else it says (code, reasons, …) is kept.
export function errorOf(error: CallError | undefined, Kind: ErrorConstructor = Error): Error {
  const { name, message, ...rest } = error ?? {};
  const result = new Kind(typeof message === "string" ? message : "The gateway gave no reason");
  if (typeof name === "string" && name !== result.name) {
    Object.defineProperty(result, "name", { value: name, writable: true, configurable: true });
  }
  for (const [key, value] of Object.entries(rest)) {
    const isCause =
      key === "cause" && typeof value === "object" && value !== null && "message" in value;
    Object.defineProperty(result, key, {
      value: isCause ? errorOf(value as CallError) : value,
      writable: true,
      configurable: true,
      enumerable: key !== "cause",
    });
  }
  return result;
}

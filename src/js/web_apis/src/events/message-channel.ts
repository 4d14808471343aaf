// MessageChannel, within one world: a message is cloned and arrives in a task of its own.
import { apply } from "../base/intrinsics.js";
import {
  expose,
  isObject,
  kInternal,
  needArguments,
  refuseScripts,
  toSequence,
} from "../base/webidl.js";
import { cloneWith, transferBy } from "../run/structured-clone.js";
import { addTimer } from "../run/timers.js";
import { MessageEvent } from "./event-kinds.js";
import { EventTarget, defineHandler, fire } from "./event-target.js";

let isPort: (value: unknown) => value is MessagePort;

function toTransfer(options: unknown): unknown[] {
  if (options === undefined || options === null) return [];
  if (!isObject(options))
    throw new TypeError("The second argument of postMessage is a list or options");
  const { transfer } = options as { transfer?: unknown };
  if (Symbol.iterator in options) return toSequence(options, "transfer");
  return isObject(transfer) ? toSequence(transfer, "transfer") : [];
}

export class MessagePort extends EventTarget {
  #other: MessagePort | undefined;
  #waiting: { data: unknown; ports: unknown[] }[] = [];
  #started = false;
  #detached = false;

  constructor(token: unknown = undefined) {
    refuseScripts(token);
    super();
  }
  static {
    isPort = (value): value is MessagePort => isObject(value) && #waiting in value;
    transferBy((value) => {
      if (!isPort(value) || value.#detached) return undefined;
      const moved = new MessagePort(kInternal);
      moved.#other = value.#other;
      if (moved.#other !== undefined) moved.#other.#other = moved;
      moved.#waiting = value.#waiting;
      value.#detached = true;
      value.#other = undefined;
      return moved;
    });
  }
  static pair(): [MessagePort, MessagePort] {
    const first = new MessagePort(kInternal);
    const second = new MessagePort(kInternal);
    first.#other = second;
    second.#other = first;
    return [first, second];
  }

  postMessage(message: unknown, options: unknown = undefined): void {
    needArguments(arguments.length, 1, "postMessage");
    const other = this.#other;
    const transfer = toTransfer(options);
    // Ports that go along are found in the copy by their place in the list.
    const { data, ports } = cloneWith(
      { data: message, ports: transfer.filter(isPort) },
      transfer,
    ) as { data: unknown; ports: unknown[] };
    if (other === undefined) return;
    other.#waiting.push({ data, ports });
    MessagePort.#deliver(other);
  }
  start(): void {
    if (this.#started) return;
    this.#started = true;
    for (let i = 0; i < this.#waiting.length; ++i) MessagePort.#deliver(this);
  }
  close(): void {
    const other = this.#other;
    this.#other = undefined;
    this.#detached = true;
    if (other !== undefined) other.#other = undefined;
  }

  static #deliver(port: MessagePort): void {
    if (!port.#started) return;
    addTimer(() => {
      const next = port.#detached ? undefined : port.#waiting.shift();
      if (next !== undefined) fire(port, new MessageEvent("message", next));
    }, 0);
  }
}
const makePair = MessagePort.pair;
delete (MessagePort as Partial<typeof MessagePort>).pair;
defineHandler(MessagePort.prototype, "message");
defineHandler(MessagePort.prototype, "messageerror");
expose(MessagePort, "MessagePort");

// Setting the handler starts the port.
const onmessage = Object.getOwnPropertyDescriptor(MessagePort.prototype, "onmessage")!;
Object.defineProperty(MessagePort.prototype, "onmessage", {
  ...onmessage,
  set(this: MessagePort, value: unknown) {
    apply(onmessage.set!, this, [value]);
    this.start();
  },
});

export class MessageChannel {
  readonly #ports = makePair();

  get port1(): MessagePort {
    return this.#ports[0];
  }
  get port2(): MessagePort {
    return this.#ports[1];
  }
}
expose(MessageChannel, "MessageChannel");

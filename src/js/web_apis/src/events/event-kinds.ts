// The events that carry something.
import { freeze } from "../base/intrinsics.js";
import {
  expose,
  isObject,
  needArguments,
  toDictionary,
  toSequence,
  toText,
  toUint16,
  toUsvText,
} from "../base/webidl.js";
import { Event, inside } from "./event.js";

export class CustomEvent extends Event {
  #detail: unknown;

  constructor(type: unknown, init: unknown = undefined) {
    needArguments(arguments.length, 1, "new CustomEvent");
    super(type, init);
    const detail = toDictionary(init, "The options of an event")["detail"];
    this.#detail = detail === undefined ? null : detail;
  }
  get detail(): unknown {
    return this.#detail;
  }
  initCustomEvent(
    type: unknown,
    bubbles: unknown = false,
    cancelable: unknown = false,
    detail: unknown = null,
  ): void {
    needArguments(arguments.length, 1, "initCustomEvent");
    if (inside.isDispatching(this)) return;
    this.initEvent(type, bubbles, cancelable);
    this.#detail = detail;
  }
}
expose(CustomEvent, "CustomEvent");

function toUint32(value: unknown): number {
  return Number(value) >>> 0;
}

export class ErrorEvent extends Event {
  readonly #message: string;
  readonly #filename: string;
  readonly #lineno: number;
  readonly #colno: number;
  readonly #error: unknown;

  constructor(type: unknown, init: unknown = undefined) {
    needArguments(arguments.length, 1, "new ErrorEvent");
    super(type, init);
    const options = toDictionary(init, "The options of an event");
    this.#message = options["message"] === undefined ? "" : toText(options["message"]);
    this.#filename = options["filename"] === undefined ? "" : toUsvText(options["filename"]);
    this.#lineno = toUint32(options["lineno"] ?? 0);
    this.#colno = toUint32(options["colno"] ?? 0);
    this.#error = options["error"];
  }
  get message(): string {
    return this.#message;
  }
  get filename(): string {
    return this.#filename;
  }
  get lineno(): number {
    return this.#lineno;
  }
  get colno(): number {
    return this.#colno;
  }
  get error(): unknown {
    return this.#error;
  }
}
expose(ErrorEvent, "ErrorEvent");

export class MessageEvent extends Event {
  #data: unknown;
  #origin: string;
  #lastEventId: string;
  #source: unknown;
  #ports: readonly unknown[];

  constructor(type: unknown, init: unknown = undefined) {
    needArguments(arguments.length, 1, "new MessageEvent");
    super(type, init);
    const options = toDictionary(init, "The options of an event");
    this.#data = options["data"] === undefined ? null : options["data"];
    this.#origin = options["origin"] === undefined ? "" : toUsvText(options["origin"]);
    this.#lastEventId = options["lastEventId"] === undefined ? "" : toText(options["lastEventId"]);
    this.#source = options["source"] ?? null;
    this.#ports = freeze(MessageEvent.#portsOf(options["ports"]));
  }

  static #portsOf(ports: unknown): unknown[] {
    if (ports === undefined) return [];
    if (!isObject(ports)) throw new TypeError("The ports of a message event are not a sequence");
    return toSequence(ports, "ports");
  }

  get data(): unknown {
    return this.#data;
  }
  get origin(): string {
    return this.#origin;
  }
  get lastEventId(): string {
    return this.#lastEventId;
  }
  get source(): unknown {
    return this.#source;
  }
  get ports(): readonly unknown[] {
    return this.#ports;
  }
  initMessageEvent(
    type: unknown,
    bubbles: unknown = false,
    cancelable: unknown = false,
    data: unknown = null,
    origin: unknown = "",
    lastEventId: unknown = "",
    source: unknown = null,
    ports: unknown = [],
  ): void {
    needArguments(arguments.length, 1, "initMessageEvent");
    if (inside.isDispatching(this)) return;
    this.initEvent(type, bubbles, cancelable);
    this.#data = data;
    this.#origin = toUsvText(origin);
    this.#lastEventId = toText(lastEventId);
    this.#source = source;
    this.#ports = freeze(MessageEvent.#portsOf(ports));
  }
}
expose(MessageEvent, "MessageEvent");

export class CloseEvent extends Event {
  readonly #wasClean: boolean;
  readonly #code: number;
  readonly #reason: string;

  constructor(type: unknown, init: unknown = undefined) {
    needArguments(arguments.length, 1, "new CloseEvent");
    super(type, init);
    const options = toDictionary(init, "The options of an event");
    this.#wasClean = Boolean(options["wasClean"]);
    this.#code = toUint16(options["code"] ?? 0);
    this.#reason = options["reason"] === undefined ? "" : toUsvText(options["reason"]);
  }
  get wasClean(): boolean {
    return this.#wasClean;
  }
  get code(): number {
    return this.#code;
  }
  get reason(): string {
    return this.#reason;
  }
}
expose(CloseEvent, "CloseEvent");

export class PromiseRejectionEvent extends Event {
  readonly #promise: object;
  readonly #reason: unknown;

  constructor(type: unknown, init: unknown) {
    needArguments(arguments.length, 2, "new PromiseRejectionEvent");
    super(type, init);
    const options = toDictionary(init, "The options of an event");
    if (!isObject(options["promise"]))
      throw new TypeError("A PromiseRejectionEvent needs its promise");
    this.#promise = options["promise"];
    this.#reason = options["reason"];
  }
  get promise(): object {
    return this.#promise;
  }
  get reason(): unknown {
    return this.#reason;
  }
}
expose(PromiseRejectionEvent, "PromiseRejectionEvent");

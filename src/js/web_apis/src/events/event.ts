import { defineProperty, getOwnPropertyDescriptor } from "../base/intrinsics.js";
import { now } from "../base/host.js";
import { defineConstants, expose, needArguments, toDictionary, toText } from "../base/webidl.js";
import { originTime } from "../run/clock.js";

const kPhase = { NONE: 0, CAPTURING_PHASE: 1, AT_TARGET: 2, BUBBLING_PHASE: 3 };

// How EventTarget works on an event; scripts cannot reach this.
export interface EventInside {
  isDispatching(event: Event): boolean;
  isInitialized(event: Event): boolean;
  begin(event: Event, target: object): void;
  end(event: Event): void;
  isStopped(event: Event): boolean;
  setPassive(event: Event, passive: boolean): void;
  trust<Kind extends Event>(event: Kind): Kind;
  isEvent(value: unknown): value is Event;
}
export let inside: EventInside;

export class Event {
  #type: string;
  #bubbles: boolean;
  #cancelable: boolean;
  readonly #composed: boolean;
  readonly #timeStamp = now() - originTime();
  #target: object | null = null;
  #currentTarget: object | null = null;
  #phase = kPhase.NONE;
  #dispatching = false;
  #initialized = true;
  #propagationStopped = false;
  #stopped = false;
  #canceled = false;
  #passive = false;
  #trusted = false;

  constructor(type: unknown, init: unknown = undefined) {
    needArguments(arguments.length, 1, "new Event");
    this.#type = toText(type);
    const options = toDictionary(init, "The options of an event");
    this.#bubbles = Boolean(options["bubbles"]);
    this.#cancelable = Boolean(options["cancelable"]);
    this.#composed = Boolean(options["composed"]);
    defineProperty(this, "isTrusted", kIsTrusted);
  }

  static {
    const isTrusted = {
      get isTrusted(): boolean {
        return (this as unknown as Event).#trusted;
      },
    };
    kIsTrusted = {
      ...getOwnPropertyDescriptor(isTrusted, "isTrusted")!,
      enumerable: true,
      configurable: false,
    };
    inside = {
      isDispatching: (event) => event.#dispatching,
      isInitialized: (event) => event.#initialized,
      begin(event, target) {
        event.#dispatching = true;
        event.#target = target;
        event.#currentTarget = target;
        event.#phase = kPhase.AT_TARGET;
      },
      end(event) {
        event.#dispatching = false;
        event.#currentTarget = null;
        event.#phase = kPhase.NONE;
        event.#propagationStopped = false;
        event.#stopped = false;
      },
      isStopped: (event) => event.#stopped,
      setPassive(event, passive) {
        event.#passive = passive;
      },
      trust(event) {
        event.#trusted = true;
        return event;
      },
      isEvent: (value): value is Event =>
        typeof value === "object" && value !== null && #type in value,
    };
  }

  get type(): string {
    return this.#type;
  }
  get target(): object | null {
    return this.#target;
  }
  get srcElement(): object | null {
    return this.#target;
  }
  get currentTarget(): object | null {
    return this.#currentTarget;
  }
  composedPath(): object[] {
    return this.#currentTarget === null ? [] : [this.#currentTarget];
  }
  get eventPhase(): number {
    return this.#phase;
  }
  stopPropagation(): void {
    this.#propagationStopped = true;
  }
  get cancelBubble(): boolean {
    return this.#propagationStopped;
  }
  set cancelBubble(value: unknown) {
    if (value) this.#propagationStopped = true;
  }
  stopImmediatePropagation(): void {
    this.#propagationStopped = true;
    this.#stopped = true;
  }
  get bubbles(): boolean {
    return this.#bubbles;
  }
  get cancelable(): boolean {
    return this.#cancelable;
  }
  get returnValue(): boolean {
    return !this.#canceled;
  }
  set returnValue(value: unknown) {
    if (!value) this.preventDefault();
  }
  preventDefault(): void {
    if (this.#cancelable && !this.#passive) this.#canceled = true;
  }
  get defaultPrevented(): boolean {
    return this.#canceled;
  }
  get composed(): boolean {
    return this.#composed;
  }
  get timeStamp(): number {
    return this.#timeStamp;
  }
  initEvent(type: unknown, bubbles: unknown = false, cancelable: unknown = false): void {
    needArguments(arguments.length, 1, "initEvent");
    if (this.#dispatching) return;
    this.#type = toText(type);
    this.#bubbles = Boolean(bubbles);
    this.#cancelable = Boolean(cancelable);
    this.#initialized = true;
    this.#propagationStopped = false;
    this.#stopped = false;
    this.#canceled = false;
    this.#target = null;
  }
}

var kIsTrusted: PropertyDescriptor;
defineConstants(Event, kPhase);
expose(Event, "Event");

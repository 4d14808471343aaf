import { DOMException } from "../base/dom-exception.js";
import { apply, defineProperty } from "../base/intrinsics.js";
import { expose, isObject, needArguments, toDictionary, toText } from "../base/webidl.js";
import { reportException } from "../run/failures.js";
import { Event, inside } from "./event.js";

type Callback = ((event: Event) => unknown) | { handleEvent(event: Event): unknown };

interface Listener {
  callback: Callback | null;
  capture: boolean;
  once: boolean;
  passive: boolean;
  removed: boolean;
}

// AbortSignal uses EventTarget, and EventTarget takes a signal; it says here how.
export interface SignalInside {
  isSignal(value: unknown): boolean;
  isAborted(signal: object): boolean;
  whenAborted(signal: object, action: () => void): void;
}
let signals: SignalInside | undefined;
export function useSignals(given: SignalInside): void {
  signals = given;
}

interface ListenerOptions {
  capture: boolean;
  once: boolean;
  passive: boolean;
  signal: object | undefined;
}

function toListenerOptions(value: unknown): ListenerOptions {
  if (!isObject(value))
    return { capture: Boolean(value), once: false, passive: false, signal: undefined };
  const options = toDictionary(value, "options");
  const capture = Boolean(options["capture"]);
  const once = Boolean(options["once"]);
  const passive = Boolean(options["passive"]);
  const signal = options["signal"];
  if (signal !== undefined && !signals!.isSignal(signal)) {
    throw new TypeError("The option signal is not an AbortSignal");
  }
  return { capture, once, passive, signal: signal as object | undefined };
}

export let listenerCount: (target: EventTarget, type: string) => number;
// Dispatches an event of ours: it is trusted, and nothing a script did to dispatchEvent matters.
export let fire: (target: EventTarget, event: Event, seenAs?: object) => boolean;

export class EventTarget {
  readonly #listeners = new Map<string, Listener[]>();

  static {
    listenerCount = (target, type) => target.#listeners.get(type)?.length ?? 0;
    fire = (target, event, seenAs = target) =>
      EventTarget.#dispatch(target, inside.trust(event), seenAs);
  }

  addEventListener(type: unknown, callback: unknown, options: unknown = undefined): void {
    needArguments(arguments.length, 2, "addEventListener");
    const name = toText(type);
    const { capture, once, passive, signal } = toListenerOptions(options);
    const target = targetOf(this);
    const listeners = target.#listeners;
    if (callback !== null && callback !== undefined && !isObject(callback)) {
      throw new TypeError("The listener is neither a function nor an object");
    }
    if (signal !== undefined && signals!.isAborted(signal)) return;
    if (callback === null || callback === undefined) return;
    let list = listeners.get(name);
    if (list === undefined) listeners.set(name, (list = []));
    if (list.some((known) => known.callback === callback && known.capture === capture)) return;
    const listener = { callback: callback as Callback, capture, once, passive, removed: false };
    list.push(listener);
    if (signal !== undefined)
      signals!.whenAborted(signal, () => EventTarget.#remove(target, name, listener));
  }

  removeEventListener(type: unknown, callback: unknown, options: unknown = undefined): void {
    needArguments(arguments.length, 2, "removeEventListener");
    const name = toText(type);
    const capture = isObject(options)
      ? Boolean((options as { capture?: unknown }).capture)
      : Boolean(options);
    const target = targetOf(this);
    if (callback !== null && callback !== undefined && !isObject(callback)) {
      throw new TypeError("The listener is neither a function nor an object");
    }
    const found = target.#listeners
      .get(name)
      ?.find((known) => known.callback === callback && known.capture === capture);
    if (found !== undefined) EventTarget.#remove(target, name, found);
  }

  dispatchEvent(event: unknown): boolean {
    needArguments(arguments.length, 1, "dispatchEvent");
    const target = targetOf(this);
    void target.#listeners;
    if (!inside.isEvent(event)) throw new TypeError("dispatchEvent needs an Event");
    if (inside.isDispatching(event) || !inside.isInitialized(event)) {
      throw new DOMException("The event is already being dispatched", "InvalidStateError");
    }
    return EventTarget.#dispatch(target, event, this ?? globalThis);
  }

  static #remove(target: EventTarget, type: string, listener: Listener): void {
    listener.removed = true;
    const list = target.#listeners.get(type);
    const index = list?.indexOf(listener) ?? -1;
    if (index >= 0) list!.splice(index, 1);
    if (list?.length === 0) target.#listeners.delete(type);
  }

  static #dispatch(target: EventTarget, event: Event, seenAs: object): boolean {
    inside.begin(event, seenAs);
    const { type } = event;
    const list = target.#listeners.get(type);
    if (list !== undefined) {
      const ordered = [...list.filter((l) => l.capture), ...list.filter((l) => !l.capture)];
      for (const listener of ordered) {
        if (inside.isStopped(event)) break;
        if (listener.removed) continue;
        if (listener.once) EventTarget.#remove(target, type, listener);
        inside.setPassive(event, listener.passive);
        EventTarget.#call(listener, event, seenAs);
        inside.setPassive(event, false);
      }
    }
    inside.end(event);
    return !event.defaultPrevented;
  }

  static #call(listener: Listener, event: Event, seenAs: object): void {
    try {
      const { callback } = listener;
      if (typeof callback === "function") {
        apply(callback, seenAs, [event]);
        return;
      }
      const handle = callback!.handleEvent;
      if (typeof handle !== "function")
        throw new TypeError("The listener has no method handleEvent");
      apply(handle, callback, [event]);
    } catch (error) {
      reportException(error);
    }
  }
}
expose(EventTarget, "EventTarget");

// The global object is an event target too, though not an instance of the class.
const globalTarget = new EventTarget();
function targetOf(self: unknown): EventTarget {
  return self === undefined || self === null || self === globalThis
    ? globalTarget
    : (self as EventTarget);
}
export function fireGlobal(event: Event): boolean {
  return fire(globalTarget, event, globalThis);
}
export function hasGlobalListener(type: string): boolean {
  return listenerCount(globalTarget, type) > 0;
}
for (const name of ["addEventListener", "removeEventListener", "dispatchEvent"] as const) {
  defineProperty(globalThis, name, {
    value: EventTarget.prototype[name],
    writable: true,
    configurable: true,
    enumerable: true,
  });
}

// `target.onname = function`: one listener, at the place where it was first set.
export function defineHandler(
  prototype: object,
  type: string,
  targetFor?: (self: unknown) => EventTarget,
): void {
  interface Slot {
    handler: unknown;
    listener: ((event: Event) => void) | undefined;
  }
  const slots = new WeakMap<object, Slot>();
  const ownerOf =
    targetFor ??
    ((self: unknown) => (listenerCount(self as EventTarget, type), self as EventTarget));
  const accessor = {
    get [`on${type}`](): unknown {
      return slots.get(ownerOf(this))?.handler ?? null;
    },
    set [`on${type}`](value: unknown) {
      const target = ownerOf(this);
      let slot = slots.get(target);
      if (slot === undefined) slots.set(target, (slot = { handler: null, listener: undefined }));
      slot.handler = isObject(value) ? value : null;
      if (slot.handler === null) {
        if (slot.listener !== undefined) target.removeEventListener(type, slot.listener);
        slot.listener = undefined;
        return;
      }
      if (slot.listener !== undefined) return;
      const owner = slot;
      slot.listener = (event) => {
        if (typeof owner.handler !== "function") return;
        const answer: unknown = apply(owner.handler, event.currentTarget, [event]);
        if (answer === false) event.preventDefault();
      };
      target.addEventListener(type, slot.listener);
    },
  };
  const descriptor = Object.getOwnPropertyDescriptor(accessor, `on${type}`)!;
  defineProperty(prototype, `on${type}`, { ...descriptor, enumerable: true, configurable: true });
}
for (const type of ["error", "unhandledrejection", "rejectionhandled"]) {
  defineHandler(globalThis, type, () => globalTarget);
}

import { DOMException } from "../base/dom-exception.js";
import {
  expose,
  isObject,
  kInternal,
  needArguments,
  refuseScripts,
  toEnforcedLength,
  toSequence,
} from "../base/webidl.js";
import { addTimer } from "../run/timers.js";
import { Event } from "./event.js";
import { EventTarget, defineHandler, fire, useSignals } from "./event-target.js";

// What the rest of the bundle may do with a signal.
export interface AbortInside {
  isSignal(value: unknown): value is AbortSignal;
  // Runs `action` when the signal is aborted, before its listeners. Returns how to take it back.
  add(signal: AbortSignal, action: () => void): () => void;
  abort(signal: AbortSignal, reason: unknown): void;
  // The signal follows no other any longer, so that a long-lived one does not remember it.
  detach(signal: AbortSignal): void;
  isAborted(signal: AbortSignal): boolean;
  reasonOf(signal: AbortSignal): unknown;
}
export let abortInside: AbortInside;

export class AbortSignal extends EventTarget {
  #aborted = false;
  #reason: unknown = undefined;
  readonly #actions = new Set<() => void>();
  #dependent = false;
  #sources: AbortSignal[] = [];
  readonly #dependents = new Set<AbortSignal>();

  constructor(token: unknown = undefined) {
    refuseScripts(token);
    super();
  }

  static {
    const isSignal = (value: unknown): value is AbortSignal => isObject(value) && #aborted in value;
    abortInside = {
      isSignal,
      add(signal, action) {
        if (signal.#aborted) return () => {};
        signal.#actions.add(action);
        return () => signal.#actions.delete(action);
      },
      detach(signal) {
        for (const source of signal.#sources) source.#dependents.delete(signal);
        signal.#sources = [];
      },
      abort: (signal, reason) => AbortSignal.#abort(signal, reason),
      isAborted: (signal) => signal.#aborted,
      reasonOf: (signal) => signal.#reason,
    };
    useSignals({
      isSignal,
      isAborted: (signal) => (signal as AbortSignal).#aborted,
      whenAborted: (signal, action) => void (signal as AbortSignal).#actions.add(action),
    });
  }

  static abort(reason: unknown = undefined): AbortSignal {
    const signal = new AbortSignal(kInternal);
    signal.#aborted = true;
    signal.#reason = reason === undefined ? abortError() : reason;
    return signal;
  }

  static timeout(milliseconds: unknown): AbortSignal {
    needArguments(arguments.length, 1, "AbortSignal.timeout");
    const delay = toEnforcedLength(milliseconds, "The time of AbortSignal.timeout");
    const signal = new AbortSignal(kInternal);
    const timedOut = () => {
      AbortSignal.#abort(
        signal,
        new DOMException("The operation was aborted due to timeout", "TimeoutError"),
      );
    };
    addTimer(timedOut, delay, { keepsRunAlive: false });
    return signal;
  }

  static any(signals: unknown): AbortSignal {
    needArguments(arguments.length, 1, "AbortSignal.any");
    if (!isObject(signals)) throw new TypeError("AbortSignal.any needs a sequence of signals");
    const given = toSequence(signals, "The argument of AbortSignal.any");
    for (const signal of given) {
      if (!abortInside.isSignal(signal))
        throw new TypeError("AbortSignal.any needs AbortSignals only");
    }
    const result = new AbortSignal(kInternal);
    for (const signal of given as AbortSignal[]) {
      if (!signal.#aborted) continue;
      result.#aborted = true;
      result.#reason = signal.#reason;
      return result;
    }
    result.#dependent = true;
    for (const signal of given as AbortSignal[]) {
      // A dependent signal is followed through to what it depends on.
      const sources = signal.#dependent ? signal.#sources : [signal];
      for (const source of sources) {
        if (result.#sources.includes(source)) continue;
        result.#sources.push(source);
        source.#dependents.add(result);
      }
    }
    return result;
  }

  get aborted(): boolean {
    return this.#aborted;
  }
  get reason(): unknown {
    return this.#reason;
  }
  throwIfAborted(): void {
    if (this.#aborted) throw this.#reason;
  }

  static #abort(signal: AbortSignal, reason: unknown): void {
    if (signal.#aborted) return;
    const all = [signal];
    AbortSignal.#mark(signal, reason === undefined ? abortError() : reason);
    for (const dependent of signal.#dependents) {
      if (dependent.#aborted) continue;
      AbortSignal.#mark(dependent, signal.#reason);
      all.push(dependent);
    }
    signal.#dependents.clear();
    for (const aborted of all) AbortSignal.#run(aborted);
  }

  static #mark(signal: AbortSignal, reason: unknown): void {
    signal.#aborted = true;
    signal.#reason = reason;
    for (const source of signal.#sources) source.#dependents.delete(signal);
    signal.#sources = [];
  }

  static #run(signal: AbortSignal): void {
    for (const action of signal.#actions) action();
    signal.#actions.clear();
    fire(signal, new Event("abort"));
  }
}
defineHandler(AbortSignal.prototype, "abort");
expose(AbortSignal, "AbortSignal");

export function abortError(): DOMException {
  return new DOMException("This operation was aborted", "AbortError");
}

export class AbortController {
  readonly #signal = new AbortSignal(kInternal);

  get signal(): AbortSignal {
    return this.#signal;
  }
  abort(reason: unknown = undefined): void {
    abortInside.abort(this.#signal, reason);
  }
}
expose(AbortController, "AbortController");

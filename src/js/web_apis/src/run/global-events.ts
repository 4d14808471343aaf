// What a script may hear on the global object: error, unhandledrejection, rejectionhandled.
import { defineGlobal, needArguments } from "../base/webidl.js";
import { ErrorEvent, PromiseRejectionEvent } from "../events/event-kinds.js";
import { fireGlobal, hasGlobalListener } from "../events/event-target.js";
import { announceFailuresBy, announceRejections, reportException } from "./failures.js";
import { addTimer } from "./timers.js";

// A listener that throws is not told of its own exception.
let announcing = false;

function messageOf(error: unknown): string {
  try {
    return `Uncaught ${String(error)}`;
  } catch {
    return "Uncaught exception";
  }
}

function eventOf(
  error: unknown,
  promise: Promise<unknown> | undefined,
): ErrorEvent | PromiseRejectionEvent {
  const cancelable = true;
  if (promise === undefined)
    return new ErrorEvent("error", { cancelable, message: messageOf(error), error });
  return new PromiseRejectionEvent("unhandledrejection", { cancelable, promise, reason: error });
}

announceFailuresBy({
  isHeard: (isRejection) =>
    !announcing && hasGlobalListener(isRejection ? "unhandledrejection" : "error"),
  announce(error, promise) {
    announcing = true;
    try {
      return !fireGlobal(eventOf(error, promise));
    } finally {
      announcing = false;
    }
  },
  announceHandled(promise, reason) {
    if (!hasGlobalListener("rejectionhandled")) return;
    fireGlobal(new PromiseRejectionEvent("rejectionhandled", { promise, reason }));
  },
  later: () => void addTimer(announceRejections, 0),
});

function reportError(error: unknown): void {
  needArguments(arguments.length, 1, "reportError");
  reportException(error);
}
defineGlobal("reportError", reportError, true);

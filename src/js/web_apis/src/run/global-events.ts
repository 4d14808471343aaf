// What a script may hear on the global object: error, unhandledrejection, rejectionhandled.
import { needArguments, defineGlobal } from "../base/webidl.js";
import { fireGlobal, hasGlobalListener } from "../events/event-target.js";
import { ErrorEvent, PromiseRejectionEvent } from "../events/event-kinds.js";
import { announceFailuresBy, announceHandledBy, reportException } from "./failures.js";

let announcing = false;

function messageOf(error: unknown): string {
  try {
    return `Uncaught ${String(error)}`;
  } catch {
    return "Uncaught exception";
  }
}

announceFailuresBy((error, promise) => {
  const type = promise === undefined ? "error" : "unhandledrejection";
  if (announcing || !hasGlobalListener(type)) return false;
  announcing = true;
  const options = { cancelable: true, message: messageOf(error), error, promise, reason: error };
  const event =
    promise === undefined
      ? new ErrorEvent(type, options)
      : new PromiseRejectionEvent(type, options);
  const goesOn = fireGlobal(event);
  announcing = false;
  return !goesOn;
});

announceHandledBy((promise, reason) => {
  if (hasGlobalListener("rejectionhandled")) {
    fireGlobal(new PromiseRejectionEvent("rejectionhandled", { promise, reason }));
  }
});

function reportError(error: unknown): void {
  needArguments(arguments.length, 1, "reportError");
  reportException(error);
}
defineGlobal("reportError", reportError, true);

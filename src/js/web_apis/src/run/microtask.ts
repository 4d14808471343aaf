import { inMicrotask } from "../base/intrinsics.js";
import { defineGlobal, needArguments } from "../base/webidl.js";
import { reportException } from "./failures.js";

function queueMicrotask(callback: unknown): void {
  needArguments(arguments.length, 1, "queueMicrotask");
  if (typeof callback !== "function") throw new TypeError("queueMicrotask needs a function");
  inMicrotask(() => {
    try {
      callback();
    } catch (error) {
      reportException(error);
    }
  });
}

defineGlobal("queueMicrotask", queueMicrotask, true);

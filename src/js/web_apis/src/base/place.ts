// Where in a script something was asked for. What goes wrong later, when an answer comes, has no frame of
// the script on the stack; its error gets these.
import { createObject, defineProperty } from "./intrinsics.js";

export interface Place {
  stack?: string;
}

type CaptureStack = (target: object, below?: Function) => void;
const capture = (Error as unknown as { captureStackTrace: CaptureStack }).captureStackTrace;

// Our own frames are left out when a stack is shown; there should be some of the script beside them.
(Error as unknown as { stackTraceLimit: number }).stackTraceLimit = 30;

export function currentPlace(below: Function): Place {
  const place = createObject(null) as Place;
  capture(place, below);
  return place;
}

export function framesOf({ stack }: Place): string {
  return String(stack).replace(/^[^\n]*/, "");
}

export function movedTo<Kind extends Error>(error: Kind, place: Place): Kind {
  const stack = `${error.name}: ${error.message}${framesOf(place)}`;
  defineProperty(error, "stack", { value: stack, writable: true, configurable: true });
  return error;
}

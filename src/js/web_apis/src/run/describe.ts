// Whatever was thrown, as texts. Nothing here throws.
import { isObject } from "../base/webidl.js";
import { inspectSafely } from "../console/inspect.js";
import { shownStack } from "./stack.js";

export interface Description {
  name: string;
  message: string;
  stack: string;
  cause?: string;
}

const kLongest = 100_000;

function textOf(value: object, key: string): string | undefined {
  try {
    const text = (value as Record<string, unknown>)[key];
    return typeof text === "string"
      ? text.length > kLongest
        ? text.slice(0, kLongest)
        : text
      : undefined;
  } catch {
    return undefined;
  }
}

function isErrorLike(value: unknown): value is object {
  if (!isObject(value)) return false;
  try {
    return (
      value instanceof Error ||
      (textOf(value, "message") !== undefined && textOf(value, "stack") !== undefined)
    );
  } catch {
    return false;
  }
}

function causeOf(error: object): unknown {
  try {
    return (error as { cause?: unknown }).cause;
  } catch {
    return undefined;
  }
}

function stackOf(error: object, head: string): string {
  try {
    return shownStack(textOf(error, "stack") ?? head);
  } catch {
    // A script may have broken what the shortening needs.
    return head;
  }
}

// Of a denial: what the policy said.
function reasonsOf(cause: object): string {
  const { reasons } = cause as { reasons?: unknown };
  if (!Array.isArray(reasons) || reasons.length === 0) return "";
  const texts = reasons.map((reason) =>
    typeof reason === "string" ? reason : inspectSafely(reason),
  );
  return `: ${texts.join("; ")}`.slice(0, kLongest);
}

function describeCause(cause: unknown): string {
  if (!isErrorLike(cause)) return inspectSafely(cause);
  const code = textOf(cause, "code");
  const reasons = reasonsOf(cause);
  const head = `${textOf(cause, "name") ?? "Error"}: ${textOf(cause, "message") ?? ""}`;
  return `${code === undefined ? head : `${head} (${code})`}${reasons}`;
}

export function describe(error: unknown): Description {
  try {
    if (!isErrorLike(error)) {
      const message = `Uncaught ${inspectSafely(error)}`.slice(0, kLongest);
      return { name: "Error", message, stack: message };
    }
    const name = textOf(error, "name") ?? "Error";
    const message = textOf(error, "message") ?? "";
    const stack = stackOf(error, message === "" ? name : `${name}: ${message}`);
    const cause = causeOf(error);
    return cause === undefined
      ? { name, message, stack }
      : { name, message, stack, cause: describeCause(cause) };
  } catch {
    return { name: "Error", message: "Something was thrown that cannot be described", stack: "" };
  }
}

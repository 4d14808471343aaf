import { now } from "../base/host.js";
import { createObject, defineProperty } from "../base/intrinsics.js";
import { defineGlobal, isObject, toText } from "../base/webidl.js";
import { sendConsole } from "../run/calls.js";
import { format, inspect } from "./inspect.js";
import { tableOf } from "./table.js";

type Level = "log" | "info" | "warn" | "error" | "debug" | "trace";

let indentation = "";
let counts = new Map<string, number>();
let timers = new Map<string, number>();

export function resetConsole(): void {
  indentation = "";
  counts = new Map();
  timers = new Map();
}

function print(level: Level, text: string): void {
  const indented =
    indentation === "" ? text : indentation + text.replace(/\n/g, `\n${indentation}`);
  sendConsole(level, indented);
}

function labelOf(label: unknown): string {
  return label === undefined ? "default" : toText(label);
}

function elapsed(milliseconds: number): string {
  return milliseconds < 1000
    ? `${milliseconds.toFixed(3)}ms`
    : `${(milliseconds / 1000).toFixed(3)}s`;
}

function startGroup(args: unknown[]): void {
  if (args.length > 0) print("log", format(args));
  indentation += "  ";
}

function timeSoFar(label: string, rest: unknown[]): void {
  const start = timers.get(label);
  if (start === undefined) {
    print("warn", `There is no timer '${label}'`);
    return;
  }
  print("log", format([`${label}: ${elapsed(now() - start)}`, ...rest]));
}

const methods = {
  assert(condition: unknown = false, ...args: unknown[]): void {
    if (condition) return;
    if (typeof args[0] === "string")
      print("error", format([`Assertion failed: ${args[0]}`, ...args.slice(1)]));
    else
      print(
        "error",
        format([args.length === 0 ? "Assertion failed" : "Assertion failed:", ...args]),
      );
  },
  clear(): void {
    indentation = "";
  },
  debug(...args: unknown[]): void {
    print("debug", format(args));
  },
  error(...args: unknown[]): void {
    print("error", format(args));
  },
  info(...args: unknown[]): void {
    print("info", format(args));
  },
  log(...args: unknown[]): void {
    print("log", format(args));
  },
  table(data: unknown = undefined, columns: unknown = undefined): void {
    print("log", tableOf(data, columns) ?? format([data]));
  },
  trace(...args: unknown[]): void {
    const holder = new Error(format(args));
    holder.name = "Trace";
    const text = inspect(holder);
    print("trace", text.replace(/^Error/, "Trace"));
  },
  warn(...args: unknown[]): void {
    print("warn", format(args));
  },
  dir(value: unknown = undefined, options: unknown = undefined): void {
    print("log", inspect(value, { customInspect: false, ...(isObject(options) ? options : {}) }));
  },
  dirxml(...args: unknown[]): void {
    print("log", format(args));
  },
  count(label: unknown = "default"): void {
    const name = labelOf(label);
    const count = (counts.get(name) ?? 0) + 1;
    counts.set(name, count);
    print("info", `${name}: ${count}`);
  },
  countReset(label: unknown = "default"): void {
    if (!counts.delete(labelOf(label))) print("warn", `There is no count '${labelOf(label)}'`);
  },
  group(...args: unknown[]): void {
    startGroup(args);
  },
  groupCollapsed(...args: unknown[]): void {
    startGroup(args);
  },
  groupEnd(): void {
    indentation = indentation.slice(2);
  },
  time(label: unknown = "default"): void {
    const name = labelOf(label);
    if (timers.has(name)) print("warn", `There is already a timer '${name}'`);
    else timers.set(name, now());
  },
  timeLog(label: unknown = "default", ...args: unknown[]): void {
    timeSoFar(labelOf(label), args);
  },
  timeEnd(label: unknown = "default"): void {
    timeSoFar(labelOf(label), []);
    timers.delete(labelOf(label));
  },
};

// A namespace object has a prototype of its own, which is empty.
const console = createObject(createObject(Object.prototype) as object) as Record<string, unknown>;
for (const [name, value] of Object.entries(methods)) {
  defineProperty(console, name, { value, writable: true, configurable: true, enumerable: true });
}
defineProperty(console, Symbol.toStringTag, { value: "console", configurable: true });
defineGlobal("console", console);

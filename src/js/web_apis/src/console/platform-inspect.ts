// How objects of our classes look in the console: by what their getters say, as in Node.
import { apply, defineProperty, getPrototypeOf } from "../base/intrinsics.js";
import { platformClasses } from "../base/webidl.js";
import { isHeaders, sortedPairs } from "../fetch/headers.js";
import { formEntries, isFormData } from "../files/form-data.js";
import { isSearchParams } from "../text/url.js";

const kCustom = Symbol.for("nodejs.util.inspect.custom");
// Asking for these makes something, or says nothing.
const kUnsaid = new Set([
  "body",
  "srcElement",
  "returnValue",
  "cancelBubble",
  "isReloadNavigation",
  "isHistoryNavigation",
]);

type Getter = (this: unknown) => unknown;

// Taken now: a script that replaces a getter does not get into the console by that.
function gettersOf(prototype: object): [string, Getter][] {
  const getters: [string, Getter][] = [];
  const seen = new Set<string>();
  for (
    let at: object | null = prototype;
    at !== null && at !== Object.prototype;
    at = getPrototypeOf(at) as object | null
  ) {
    for (const [name, { get }] of Object.entries(Object.getOwnPropertyDescriptors(at))) {
      if (get === undefined || seen.has(name) || kUnsaid.has(name) || /^on[a-z]+$/.test(name))
        continue;
      seen.add(name);
      getters.push([name, get as Getter]);
    }
  }
  return getters;
}

interface Options {
  depth: number | null;
  stylize(text: string, style: string): string;
}
type Inspect = (value: unknown, options: object) => string;

function contentOf(value: object, getters: [string, Getter][]): unknown {
  if (isHeaders(value)) return Object.fromEntries(sortedPairs(value));
  if (isFormData(value)) return new Map(formEntries(value));
  if (isSearchParams(value)) return new Map(value);
  const content: Record<string, unknown> = {};
  for (const [name, getter] of getters) {
    const said: unknown = apply(getter, value, []);
    if (said !== undefined) content[name] = said;
  }
  return content;
}

function nameOf(value: object): string {
  const { constructor } = value as { constructor?: { name?: unknown } };
  return typeof constructor?.name === "string" && constructor.name !== ""
    ? constructor.name
    : "Object";
}

function inspectAs(name: string, getters: [string, Getter][]) {
  return function (this: object, depth: number, options: Options, inspect: Inspect): string {
    let content: unknown;
    try {
      content = contentOf(this, getters);
    } catch {
      // A prototype, not an object of the class.
      return `${name} {}`;
    }
    if (depth < 0) return options.stylize(`[${nameOf(this)}]`, "special");
    const own = Object.keys(this).filter((key) => !key.startsWith("_"));
    for (const key of own) {
      const descriptor = Object.getOwnPropertyDescriptor(this, key)!;
      if (!(content instanceof Map) && "value" in descriptor)
        (content as Record<string, unknown>)[key] = descriptor.value;
    }
    const text = inspect(content, {
      ...options,
      depth: options.depth === null ? null : options.depth - 1,
    });
    return `${nameOf(this)} ${text.replace(/^Map\(\d+\) /, "")}`;
  };
}

for (const { prototype, name } of platformClasses) {
  // An error looks like an error, an URL like itself.
  if (prototype instanceof Error || name === "URL") continue;
  defineProperty(prototype, kCustom, {
    value: inspectAs(name, gettersOf(prototype)),
    writable: true,
    configurable: true,
  });
}

// The value of a script as JSON. JSON says less than JavaScript; for the rest this is the form:
//
//   undefined at the top         no value (inside: left out, in lists null)
//   BigInt                       its digits, as text
//   NaN, Infinity                null, as JSON.stringify has it
//   function, symbol             "[Function: name]", "Symbol(name)"
//   Map                          an object if all keys are texts, else a list of pairs
//   Set, iterators of lists      a list
//   ArrayBuffer, Uint8Array      {"type": "Uint8Array", "base64": "…"}
//   other typed arrays           a list of numbers
//   Error                        {"name", "message", "stack", "cause"?, and its own properties}
//   Headers, URLSearchParams     an object of their entries
//   FormData                     a list of pairs
//   Response                     {"url", "status", …, "headers"}, without its body
//   Promise                      "[Promise]"
//   a cycle                      "[Circular]"
import { apply, bytesOf, isArrayBuffer, toJson, typedArrayName } from "../base/intrinsics.js";
import { isObject } from "../base/webidl.js";
import { inspectSafely } from "../console/inspect.js";
import { isHeaders, sortedPairs } from "../fetch/headers.js";
import { isResponse, partsOfResponse } from "../fetch/response.js";
import { isBlob } from "../files/blob.js";
import { formEntries, isFormData } from "../files/form-data.js";
import { toBase64 } from "../text/base64.js";
import { isSearchParams } from "../text/url.js";
import { describe } from "./describe.js";

const kDeepest = 500;

type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

class Reducer {
  readonly #open = new Set<object>();

  reduce(value: unknown): Json | undefined {
    switch (typeof value) {
      case "undefined":
        return undefined;
      case "boolean":
      case "string":
        return value;
      case "number":
        return Number.isFinite(value) ? value : null;
      case "bigint":
        return value.toString();
      case "symbol":
        return String(value);
      case "function":
        return inspectSafely(value);
    }
    return value === null ? null : this.#object(value as object);
  }

  #object(value: object): Json | undefined {
    if (this.#open.has(value)) return "[Circular]";
    if (this.#open.size >= kDeepest) return "[Too deep]";
    this.#open.add(value);
    try {
      return this.#known(value) ?? this.#plain(value);
    } finally {
      this.#open.delete(value);
    }
  }

  #known(value: object): Json | undefined {
    if (isArrayBuffer(value) || typedArrayName(value) === "Uint8Array") {
      return { type: "Uint8Array", base64: toBase64(bytesOf(value as Uint8Array)) };
    }
    if (ArrayBuffer.isView(value) && typedArrayName(value) !== undefined)
      return this.#list(value as unknown as Iterable<unknown>);
    if (value instanceof Map) return this.#map(value);
    if (value instanceof Set) return this.#list(value);
    if (value instanceof Promise) return "[Promise]";
    if (value instanceof Error) return this.#error(value);
    if (isHeaders(value)) return Object.fromEntries(sortedPairs(value));
    if (isSearchParams(value)) return Object.fromEntries(value);
    if (isFormData(value)) return this.#list(formEntries(value));
    if (isResponse(value)) return this.#properties(partsOfResponse(value));
    if (isBlob(value)) return `[Blob of ${value.size} bytes, ${value.type || "no type"}]`;
    return undefined;
  }

  #plain(value: object): Json | undefined {
    const { toJSON } = value as { toJSON?: unknown };
    if (typeof toJSON === "function") {
      const replaced: unknown = apply(toJSON, value, [""]);
      if (replaced !== value) return this.reduce(replaced);
    }
    if (Array.isArray(value)) return this.#list(value);
    const primitive = [Number, String, Boolean, BigInt].some((Kind) => value instanceof Kind);
    return primitive ? this.reduce(value.valueOf()) : this.#properties(value);
  }

  #list(items: Iterable<unknown>): Json[] {
    const list: Json[] = [];
    for (const item of items) list.push(this.reduce(item) ?? null);
    return list;
  }

  #map(map: Map<unknown, unknown>): Json {
    if (![...map.keys()].every((key) => typeof key === "string")) return this.#list(map);
    return this.#fromEntries(map as Map<string, unknown>);
  }

  #fromEntries(entries: Iterable<[string, unknown]>): Json {
    const result: { [key: string]: Json } = Object.create(null);
    for (const [key, item] of entries) {
      const reduced = this.reduce(item);
      if (reduced !== undefined) result[key] = reduced;
    }
    return result;
  }

  #properties(value: object): Json {
    return this.#fromEntries(Object.entries(value));
  }

  #error(error: Error): Json {
    const { name, message, stack } = describe(error);
    const rest = this.#properties(error) as { [key: string]: Json };
    const cause = error.cause === undefined ? {} : { cause: this.reduce(error.cause) ?? null };
    return { name, message, stack, ...cause, ...rest };
  }
}

// The JSON text; undefined: there is no value.
export function toResult(value: unknown): string | undefined {
  if (value === undefined) return undefined;
  try {
    const reduced = new Reducer().reduce(value);
    return reduced === undefined ? undefined : toJson(reduced);
  } catch {
    // A getter or a toJSON that throws; whatever it is, it can be shown.
    return toJson(isObject(value) ? inspectSafely(value) : String(value));
  }
}

// What Node's inspector asks the engine for.
import { entriesOf, promiseDetails, proxyDetails } from "../base/host.js";
import { getOwnPropertyDescriptor, getPrototypeOf, toStringTagOf } from "../base/intrinsics.js";

const kStates = { pending: 0, fulfilled: 1, rejected: 2 } as const;

export function getPromiseDetails(promise: Promise<unknown>): [number, unknown] | [number] {
  const details = promiseDetails(promise);
  return details.length === 1 ? [kStates[details[0]]] : [kStates[details[0]], details[1]];
}

// A revoked proxy has neither target nor handler.
export function getProxyDetails(value: unknown, both = true): unknown {
  const details = proxyDetails(value);
  if (details === undefined) return undefined;
  return both ? details : details[0];
}

export function previewEntries(value: object, isIterator = false): unknown {
  const entries = entriesOf(value);
  if (!isIterator) return entries;
  const isMapEntries =
    toStringTagOf(value) === "[object Map Iterator]" &&
    entries.some((entry) => Array.isArray(entry));
  return isMapEntries ? [(entries as unknown[][]).flat(), true] : [entries, false];
}

// All keys of a list are listed to find those that are not numbers; not of one with millions.
export function isHuge(value: object): boolean {
  const isList = Array.isArray(value) || ArrayBuffer.isView(value);
  return isList && (value as unknown[]).length > 10_000;
}

// The name without running a getter.
export function getConstructorName(value: object): string {
  for (let at: object | null = value; at !== null; at = getPrototypeOf(at) as object | null) {
    const descriptor = getOwnPropertyDescriptor(at, "constructor");
    if (typeof descriptor?.value === "function" && descriptor.value.name !== "")
      return descriptor.value.name as string;
  }
  return toStringTagOf(value).slice(8, -1);
}

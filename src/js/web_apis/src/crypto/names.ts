import { DOMException } from "../base/dom-exception.js";
import { isObject, toText } from "../base/webidl.js";

export const kHashes = new Set(["SHA-1", "SHA-256", "SHA-384", "SHA-512"]);

export function notSupported(name: string): DOMException {
  return new DOMException(
    `The algorithm '${name}' is not available here; digest and HMAC are`,
    "NotSupportedError",
  );
}

export function toHashName(value: unknown): string {
  if (value === undefined) throw new TypeError("An HMAC key needs a hash");
  const name = toText(isObject(value) ? (value as { name?: unknown }).name : value).toUpperCase();
  if (!kHashes.has(name)) throw notSupported(name);
  return name;
}

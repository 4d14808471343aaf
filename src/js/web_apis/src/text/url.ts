// URL and URLSearchParams are those of whatwg-url.
import { URL as WhatwgUrl, URLSearchParams as WhatwgSearchParams, parseURL } from "whatwg-url";
import { DOMException } from "../base/dom-exception.js";
import { defineProperty } from "../base/intrinsics.js";
import { exposeAsIs, needArguments, toText } from "../base/webidl.js";
import { type Blob, isBlob } from "../files/blob.js";
import { uuid } from "../run/random.js";

export interface URL {
  href: string;
  readonly origin: string;
  protocol: string;
  username: string;
  password: string;
  hash: string;
  pathname: string;
}
export const URL = WhatwgUrl as unknown as new (url: string, base?: string) => URL;
export interface URLSearchParams {
  append(name: string, value: string): void;
  toString(): string;
  [Symbol.iterator](): IterableIterator<[string, string]>;
}
export const URLSearchParams = WhatwgSearchParams as unknown as new (init?: string) => URLSearchParams;

const sizeOf = Object.getOwnPropertyDescriptor(WhatwgSearchParams.prototype, "size")!.get!;
export function isSearchParams(value: unknown): value is URLSearchParams {
  try {
    Reflect.apply(sizeOf, value, []);
    return true;
  } catch {
    return false;
  }
}

exposeAsIs(WhatwgUrl as never, "URL");
exposeAsIs(WhatwgSearchParams as never, "URLSearchParams");

// What relative URLs are relative to, if the run says so.
let base: string | undefined;
export function setBaseUrl(given: string | undefined): void {
  base = given;
}

export function parseUrl(text: string): URL | undefined {
  if (parseURL(text) !== null) return new URL(text);
  if (base === undefined) return undefined;
  try {
    return new URL(text, base);
  } catch {
    return undefined;
  }
}

// ---- blob: URLs ----

const blobs = new Map<string, Blob>();

export function blobOfUrl(href: string): Blob | undefined {
  return blobs.get(href.replace(/#.*$/s, ""));
}
export function forgetBlobUrls(): void {
  blobs.clear();
}

const statics = {
  createObjectURL(blob: unknown): string {
    needArguments(arguments.length, 1, "URL.createObjectURL");
    if (!isBlob(blob)) throw new TypeError("URL.createObjectURL needs a Blob");
    const url = `blob:null/${uuid()}`;
    blobs.set(url, blob);
    return url;
  },
  revokeObjectURL(url: unknown): void {
    needArguments(arguments.length, 1, "URL.revokeObjectURL");
    blobs.delete(toText(url).replace(/#.*$/s, ""));
  },
};
for (const [name, value] of Object.entries(statics)) {
  defineProperty(WhatwgUrl, name, { value, writable: true, configurable: true, enumerable: true });
}

export function syntaxError(message: string): DOMException {
  return new DOMException(message, "SyntaxError");
}

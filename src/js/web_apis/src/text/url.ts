// URL and URLSearchParams are those of whatwg-url.
import { URL as WhatwgUrl, URLSearchParams as WhatwgSearchParams, parseURL } from "whatwg-url";
import { DOMException } from "../base/dom-exception.js";
import { apply, defineProperty } from "../base/intrinsics.js";
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
  readonly port: string;
}
export const URL = WhatwgUrl as unknown as new (url: string, base?: string) => URL;
export interface URLSearchParams {
  append(name: string, value: string): void;
  toString(): string;
  [Symbol.iterator](): IterableIterator<[string, string]>;
}
export const URLSearchParams = WhatwgSearchParams as unknown as new (
  init?: string,
) => URLSearchParams;

const sizeOf = Object.getOwnPropertyDescriptor(WhatwgSearchParams.prototype, "size")!.get!;
export function isSearchParams(value: unknown): value is URLSearchParams {
  try {
    apply(sizeOf, value, []);
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
    const origin = base === undefined ? "null" : new URL(base).origin;
    const url = `blob:${origin}/${uuid()}`;
    blobs.set(url, blob);
    return url;
  },
  revokeObjectURL(url: unknown): void {
    needArguments(arguments.length, 1, "URL.revokeObjectURL");
    blobs.delete(toText(url));
  },
};
for (const [name, value] of Object.entries(statics)) {
  defineProperty(WhatwgUrl, name, { value, writable: true, configurable: true, enumerable: true });
}

// https://fetch.spec.whatwg.org/#port-blocking
const kBadPorts = new Set([
  0, 1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101, 102,
  103, 104, 109, 110, 111, 113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179, 389, 427, 465,
  512, 513, 514, 515, 526, 530, 531, 532, 540, 548, 554, 556, 563, 587, 601, 636, 989, 990, 993,
  995, 1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061, 6000, 6566, 6665, 6666, 6667, 6668,
  6669, 6679, 6697, 10080,
]);
export function hasBadPort(href: string): boolean {
  const { port } = new URL(href);
  return port !== "" && kBadPorts.has(Number(port));
}

export function syntaxError(message: string): DOMException {
  return new DOMException(message, "SyntaxError");
}

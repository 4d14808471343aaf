import {
  defineIterable,
  expose,
  isObject,
  iteratorMethodOf,
  needArguments,
  toByteText,
  toRecord,
  toSequence,
} from "../base/webidl.js";

export type HeaderPair = [string, string];
export type Guard = "none" | "request" | "request-no-cors" | "response" | "immutable";

const kName = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const kNoCorsNames = new Set(["accept", "accept-language", "content-language", "content-type"]);

export let pairsOfHeaders: (headers: Headers) => HeaderPair[];
export let headersOf: (pairs: readonly HeaderPair[], guard: Guard) => Headers;
export let guardOf: (headers: Headers) => Guard;
export let isHeaders: (value: unknown) => value is Headers;
export let replaceHeaders: (headers: Headers, init: unknown) => void;

export function normalizeValue(value: string): string {
  return value.replace(/^[\t\n\r ]+|[\t\n\r ]+$/g, "");
}

function checkName(name: string): void {
  if (!kName.test(name)) throw new TypeError(`'${name}' is not a valid header name`);
}

function checkValue(name: string, value: string): void {
  if (/[\0\r\n]/.test(value)) throw new TypeError(`The value of the header '${name}' is not valid`);
}

function isSafelisted(name: string, value: string): boolean {
  if (!kNoCorsNames.has(name) || value.length > 128) return false;
  const unsafe = /[\x00-\x08\x10-\x1f"():<>?@[\\\]{}\x7f]/;
  if (name === "accept") return !unsafe.test(value);
  if (name === "content-type") {
    const essence = value.split(";")[0]!.trim().toLowerCase();
    const simple = ["application/x-www-form-urlencoded", "multipart/form-data", "text/plain"];
    return !unsafe.test(value) && simple.includes(essence);
  }
  return /^[0-9A-Za-z *,\-.;=]*$/.test(value);
}

interface Item {
  name: string; // as written
  key: string; // in lower case
  value: string;
}

export class Headers {
  #items: Item[] = [];
  #guard: Guard = "none";
  #sorted: HeaderPair[] | undefined;

  constructor(init: unknown = undefined) {
    if (init !== undefined) Headers.#fill(this, init);
  }

  static {
    pairsOfHeaders = (headers) => headers.#items.map((item) => [item.name, item.value]);
    isHeaders = (value): value is Headers => isObject(value) && #items in value;
    guardOf = (headers) => headers.#guard;
    headersOf = (pairs, guard) => {
      const headers = new Headers();
      // A plain loop: these come from the network, and a list of them is no more than that.
      for (let i = 0; i < pairs.length; ++i) {
        const [name, value] = pairs[i]!;
        headers.#items[headers.#items.length] = { name, key: name.toLowerCase(), value };
      }
      headers.#guard = guard;
      return headers;
    };
    replaceHeaders = (headers, init) => {
      headers.#items = [];
      headers.#sorted = undefined;
      Headers.#fill(headers, init);
    };
  }

  static #fill(headers: Headers, init: unknown): void {
    if (!isObject(init))
      throw new TypeError("Headers are made from a sequence of pairs or an object");
    const method = iteratorMethodOf(init, "The init of Headers");
    if (method === undefined) {
      const toName = (key: unknown) => toByteText(key, "A header name");
      for (const [name, value] of toRecord(init, toName, (v) => toByteText(v, "A header value"))) {
        headers.#append(name, value);
      }
      return;
    }
    const pairs = toSequence(init, "The init of Headers", method).map((item) => {
      if (!isObject(item)) throw new TypeError("A header is a pair of name and value");
      const pair = toSequence(item, "A header").map((text) => toByteText(text, "A header"));
      if (pair.length !== 2) throw new TypeError("A header is a pair of name and value");
      return pair as HeaderPair;
    });
    for (const [name, value] of pairs) headers.#append(name, value);
  }

  // Checks that are the same for append and set. False: silently not done.
  #mayWrite(name: string, value: string): boolean {
    checkName(name);
    checkValue(name, value);
    if (this.#guard === "immutable") throw new TypeError("These headers cannot be changed");
    return true;
  }

  #append(name: string, given: string): void {
    const value = normalizeValue(given);
    if (!this.#mayWrite(name, value)) return;
    const key = name.toLowerCase();
    if (this.#guard === "request-no-cors") {
      const known = this.#get(key);
      if (!isSafelisted(key, known === null ? value : `${known}, ${value}`)) return;
    }
    // The first spelling of a name stays.
    const spelling = this.#items.find((item) => item.key === key)?.name ?? name;
    this.#items.push({ name: spelling, key, value });
    this.#sorted = undefined;
  }

  #get(key: string): string | null {
    const values = this.#items.filter((item) => item.key === key).map((item) => item.value);
    return values.length === 0 ? null : values.join(", ");
  }

  append(name: unknown, value: unknown): void {
    needArguments(arguments.length, 2, "Headers.append");
    this.#append(toByteText(name, "A header name"), toByteText(value, "A header value"));
  }
  delete(name: unknown): void {
    needArguments(arguments.length, 1, "Headers.delete");
    const key = toByteText(name, "A header name").toLowerCase();
    if (!this.#mayWrite(key, "")) return;
    if (this.#guard === "request-no-cors" && !kNoCorsNames.has(key)) return;
    this.#items = this.#items.filter((item) => item.key !== key);
    this.#sorted = undefined;
  }
  get(name: unknown): string | null {
    needArguments(arguments.length, 1, "Headers.get");
    const key = toByteText(name, "A header name").toLowerCase();
    checkName(key);
    return this.#get(key);
  }
  getSetCookie(): string[] {
    return this.#items.filter((item) => item.key === "set-cookie").map((item) => item.value);
  }
  has(name: unknown): boolean {
    needArguments(arguments.length, 1, "Headers.has");
    const key = toByteText(name, "A header name").toLowerCase();
    checkName(key);
    return this.#items.some((item) => item.key === key);
  }
  set(name: unknown, value: unknown): void {
    needArguments(arguments.length, 2, "Headers.set");
    const spelling = toByteText(name, "A header name");
    const text = normalizeValue(toByteText(value, "A header value"));
    if (!this.#mayWrite(spelling, text)) return;
    const key = spelling.toLowerCase();
    if (this.#guard === "request-no-cors" && !isSafelisted(key, text)) return;
    this.#sorted = undefined;
    const first = this.#items.findIndex((item) => item.key === key);
    if (first < 0) {
      this.#items.push({ name: spelling, key, value: text });
      return;
    }
    this.#items[first]!.value = text;
    this.#items = this.#items.filter((item, index) => index <= first || item.key !== key);
  }

  // Sorted by name, values combined, each Set-Cookie for itself.
  static sortedPairs(headers: Headers): HeaderPair[] {
    if (headers.#sorted !== undefined) return headers.#sorted;
    const combined = new Map<string, string>();
    const pairs: HeaderPair[] = [];
    for (const { key, value } of headers.#items) {
      if (key === "set-cookie") pairs.push([key, value]);
      else combined.set(key, combined.has(key) ? `${combined.get(key)!}, ${value}` : value);
    }
    pairs.push(...combined);
    pairs.sort((a, b) => (a[0] < b[0] ? -1 : a[0] > b[0] ? 1 : 0));
    headers.#sorted = pairs;
    return pairs;
  }
}
export const sortedPairs = Headers.sortedPairs;
delete (Headers as Partial<typeof Headers>).sortedPairs;
defineIterable(Headers, "Headers", sortedPairs);
expose(Headers, "Headers");

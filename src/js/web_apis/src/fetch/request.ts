import { AbortSignal, abortInside } from "../events/abort.js";
import {
  expose,
  isObject,
  needArguments,
  toByteText,
  toChoice,
  toDictionary,
  toText,
  toUsvText,
  type Dictionary,
} from "../base/webidl.js";
import { type Blob } from "../files/blob.js";
import { blobOfUrl, parseUrl } from "../text/url.js";
import { isReadableStream } from "../streams/streams.js";
import { Body, type BodyMembers, addBodyMembers, extractBody } from "./body.js";
import {
  type Guard,
  Headers,
  type HeaderPair,
  headersOf,
  pairsOfHeaders,
  replaceHeaders,
} from "./headers.js";
import { extractMimeType } from "./mime-type.js";

const kModes = ["navigate", "same-origin", "no-cors", "cors"] as const;
const kCredentials = ["omit", "same-origin", "include"] as const;
const kCaches = [
  "default",
  "no-store",
  "reload",
  "no-cache",
  "force-cache",
  "only-if-cached",
] as const;
const kRedirects = ["follow", "error", "manual"] as const;
const kPolicies = [
  "",
  "no-referrer",
  "no-referrer-when-downgrade",
  "same-origin",
  "origin",
  "strict-origin",
  "origin-when-cross-origin",
  "strict-origin-when-cross-origin",
  "unsafe-url",
] as const;
const kPriorities = ["high", "low", "auto"] as const;

export interface RequestParts {
  method: string;
  url: string;
  mode: string;
  credentials: string;
  cache: string;
  redirect: "follow" | "error" | "manual";
  referrer: string;
  referrerPolicy: string;
  integrity: string;
  keepalive: boolean;
  // What a blob: URL meant when the request was made.
  blob: Blob | undefined;
}

const kToken = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const kUpperCased = ["DELETE", "GET", "HEAD", "OPTIONS", "POST", "PUT"];

function toMethod(value: unknown): string {
  const method = toByteText(value, "method");
  if (!kToken.test(method)) throw new TypeError(`'${method}' is not a valid HTTP method`);
  const upper = method.toUpperCase();
  if (upper === "CONNECT" || upper === "TRACE" || upper === "TRACK") {
    throw new TypeError(`The method ${upper} cannot be used`);
  }
  return kUpperCased.includes(upper) ? upper : method;
}

function toRequestUrl(value: unknown): string {
  const text = toUsvText(value);
  const url = parseUrl(text);
  if (url === undefined) {
    throw new TypeError(`'${text}' is not an absolute URL; there is no base URL for others here`);
  }
  if (url.username !== "" || url.password !== "") {
    throw new TypeError("A request's URL must not contain a user name or password");
  }
  return url.href;
}

function toReferrer(value: unknown): string {
  const text = toUsvText(value);
  if (text === "") return "no-referrer";
  const url = parseUrl(text);
  if (url === undefined) throw new TypeError(`The referrer '${text}' is not a valid URL`);
  // There is no page that a request comes from; every referrer is of another origin.
  return "client";
}

function readOptions(parts: RequestParts, options: Dictionary): void {
  const choose = <Choice extends string>(key: keyof RequestParts, choices: readonly Choice[]) => {
    if (options[key] !== undefined) (parts[key] as string) = toChoice(options[key], choices, key);
  };
  if (options["referrer"] !== undefined) parts.referrer = toReferrer(options["referrer"]);
  choose("referrerPolicy", kPolicies);
  choose("mode", kModes);
  if (parts.mode === "navigate") throw new TypeError("The mode of a request cannot be 'navigate'");
  choose("credentials", kCredentials);
  choose("cache", kCaches);
  if (parts.cache === "only-if-cached" && parts.mode !== "same-origin") {
    throw new TypeError("The cache mode 'only-if-cached' goes with the mode 'same-origin' only");
  }
  choose("redirect", kRedirects);
  if (options["integrity"] !== undefined) parts.integrity = toText(options["integrity"]);
  if (options["keepalive"] !== undefined) parts.keepalive = Boolean(options["keepalive"]);
  if (options["method"] !== undefined) parts.method = toMethod(options["method"]);
  if (options["priority"] !== undefined) toChoice(options["priority"], kPriorities, "priority");
}

export interface RequestInside {
  partsOf(request: Request): Readonly<RequestParts>;
  bodyOf(request: Request): Body | null;
  headersOf(request: Request): HeaderPair[];
  signalOf(request: Request): AbortSignal;
}
export let requestInside: RequestInside;

export interface Request extends BodyMembers {}
export class Request {
  #parts: RequestParts = {
    method: "GET",
    url: "",
    mode: "cors",
    credentials: "same-origin",
    cache: "default",
    redirect: "follow",
    referrer: "client",
    referrerPolicy: "",
    integrity: "",
    keepalive: false,
    blob: undefined,
  };
  #headers: Headers = headersOf([], "request");
  #signal!: AbortSignal;
  #body: Body | null = null;
  #duplex: "half" = "half";

  constructor(input: unknown, init: unknown = {}) {
    needArguments(arguments.length, 1, "new Request");
    const from = isObject(input) && #parts in input ? input : undefined;
    const options = toDictionary(init, "The init of a Request");
    if (from === undefined) {
      this.#parts.url = toRequestUrl(input);
      this.#parts.blob = blobOfUrl(this.#parts.url);
    } else this.#parts = { ...from.#parts };
    if (options["window"] !== undefined && options["window"] !== null) {
      throw new TypeError("The option window can only be null");
    }
    readOptions(this.#parts, options);
    this.#followSignal(options["signal"], from);
    this.#takeHeaders(options["headers"], from);
    this.#takeBody(options, from);
  }

  #followSignal(given: unknown, from: Request | undefined): void {
    if (given !== undefined && given !== null && !abortInside.isSignal(given)) {
      throw new TypeError("The option signal is not an AbortSignal");
    }
    const inherited = from === undefined ? undefined : from.#signal;
    const source = given === undefined ? inherited : (given as AbortSignal | null);
    this.#signal = AbortSignal.any(source ? [source] : []);
  }

  #takeHeaders(given: unknown, from: Request | undefined): void {
    const guard: Guard = this.#parts.mode === "no-cors" ? "request-no-cors" : "request";
    if (guard === "request-no-cors" && !["GET", "HEAD", "POST"].includes(this.#parts.method)) {
      throw new TypeError("The mode 'no-cors' goes with GET, HEAD and POST only");
    }
    this.#headers = headersOf([], guard);
    if (given !== undefined) replaceHeaders(this.#headers, given);
    else if (from !== undefined) replaceHeaders(this.#headers, pairsOfHeaders(from.#headers));
  }

  #takeBody(options: Dictionary, from: Request | undefined): void {
    const given = options["body"];
    const hasOwn = given !== undefined && given !== null;
    const { method, keepalive } = this.#parts;
    const inherited = from === undefined ? null : from.#body;
    if ((hasOwn || inherited !== null) && (method === "GET" || method === "HEAD")) {
      throw new TypeError(`A ${method} request cannot have a body`);
    }
    if (options["duplex"] !== undefined)
      this.#duplex = toChoice(options["duplex"], ["half"], "duplex");
    if (hasOwn) {
      if (isReadableStream(given) && options["duplex"] === undefined) {
        throw new TypeError("A request whose body is a stream needs the option duplex: 'half'");
      }
      const { body, type } = extractBody(given, keepalive);
      this.#body = body;
      if (type !== undefined && !this.#headers.has("content-type"))
        this.#headers.append("content-type", type);
      return;
    }
    if (inherited === null) return;
    if (inherited.isUnusable)
      throw new TypeError("The body of the given Request has already been read, or is locked");
    this.#body = inherited.moveOut();
  }

  static {
    requestInside = {
      partsOf: (request) => request.#parts,
      bodyOf: (request) => request.#body,
      headersOf: (request) => pairsOfHeaders(request.#headers),
      signalOf: (request) => request.#signal,
    };
    addBodyMembers(Request.prototype, (self) => {
      const request = self as Request;
      return {
        body: request.#body,
        mimeType: () => extractMimeType(request.#headers.get("content-type")),
      };
    });
  }

  get method(): string {
    return this.#parts.method;
  }
  get url(): string {
    return this.#parts.url;
  }
  get headers(): Headers {
    return this.#headers;
  }
  get destination(): string {
    void this.#parts;
    return "";
  }
  get referrer(): string {
    return this.#parts.referrer === "no-referrer" ? "" : "about:client";
  }
  get referrerPolicy(): string {
    return this.#parts.referrerPolicy;
  }
  get mode(): string {
    return this.#parts.mode;
  }
  get credentials(): string {
    return this.#parts.credentials;
  }
  get cache(): string {
    return this.#parts.cache;
  }
  get redirect(): string {
    return this.#parts.redirect;
  }
  get integrity(): string {
    return this.#parts.integrity;
  }
  get keepalive(): boolean {
    return this.#parts.keepalive;
  }
  get isReloadNavigation(): boolean {
    void this.#parts;
    return false;
  }
  get isHistoryNavigation(): boolean {
    void this.#parts;
    return false;
  }
  get signal(): AbortSignal {
    return this.#signal;
  }
  get duplex(): string {
    return this.#duplex;
  }
  clone(): Request {
    if (this.#body?.isUnusable)
      throw new TypeError("The body has already been read, or is locked by a reader");
    const copy = new Request(this.#parts.url);
    copy.#parts = { ...this.#parts };
    copy.#headers = headersOf(
      pairsOfHeaders(this.#headers),
      this.#parts.mode === "no-cors" ? "request-no-cors" : "request",
    );
    copy.#body = this.#body === null ? null : this.#body.clone();
    copy.#signal = AbortSignal.any([this.#signal]);
    return copy;
  }
}
expose(Request, "Request");

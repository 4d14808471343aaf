import { toJson } from "../base/intrinsics.js";
import {
  expose,
  isObject,
  kInternal,
  needArguments,
  toByteText,
  toDictionary,
  toText,
  toUint16,
  toUsvText,
} from "../base/webidl.js";
import { toUtf8 } from "../text/encoding.js";
import { parseUrl } from "../text/url.js";
import { Body, type BodyMembers, addBodyMembers, extractBody } from "./body.js";
import {
  type Guard,
  Headers,
  type HeaderPair,
  headersOf,
  pairsOfHeaders,
  replaceHeaders,
  sortedPairs,
} from "./headers.js";
import { extractMimeType } from "./mime-type.js";

export type ResponseType = "basic" | "cors" | "default" | "error" | "opaque" | "opaqueredirect";

const kNullBody = [101, 103, 204, 205, 304];
const kRedirects = [301, 302, 303, 307, 308];
export const isNullBodyStatus = (status: number): boolean => kNullBody.includes(status);

export interface ResponseParts {
  type: ResponseType;
  status: number;
  statusText: string;
  headers: readonly HeaderPair[];
  guard: Guard;
  url: string;
  redirected: boolean;
  body: Body | null;
}

export let responseOf: (parts: ResponseParts) => Response;
export let partsOfResponse: (response: Response) => object;

const kStatusText = /^[\t\x20-\x7e\x80-\xff]*$/;

export interface Response extends BodyMembers {}
export class Response {
  #type: ResponseType = "default";
  #status = 200;
  #statusText = "";
  #url = "";
  #redirected = false;
  #headers = headersOf([], "response");
  #body: Body | null = null;

  constructor(body: unknown = null, init: unknown = {}) {
    if ((body as unknown) === kInternal) return;
    const options = toDictionary(init, "The init of a Response");
    // Converted in the order of the standard: headers, status, statusText.
    const headers = options["headers"];
    const headersGiven = headers === undefined ? undefined : new Headers(headers);
    const status = options["status"] === undefined ? 200 : toUint16(options["status"]);
    const statusText =
      options["statusText"] === undefined ? "" : toByteText(options["statusText"], "statusText");
    const content = body === null || body === undefined ? undefined : extractBody(body);
    this.#initialize(status, statusText, headersGiven, content);
  }

  #initialize(
    status: number,
    statusText: string,
    headers: Headers | undefined,
    content: { body: Body; type: string | undefined } | undefined,
  ): void {
    if (status < 200 || status > 599)
      throw new RangeError("The status of a Response must be from 200 to 599");
    if (!kStatusText.test(statusText))
      throw new TypeError("The statusText of the Response is not valid");
    this.#status = status;
    this.#statusText = statusText;
    if (headers !== undefined) replaceHeaders(this.#headers, pairsOfHeaders(headers));
    if (content === undefined) return;
    if (isNullBodyStatus(status))
      throw new TypeError(`A Response with status ${status} cannot have a body`);
    this.#body = content.body;
    if (content.type !== undefined && !this.#headers.has("content-type")) {
      this.#headers.append("content-type", content.type);
    }
  }

  static {
    responseOf = (parts) => {
      const response = new Response(kInternal);
      response.#type = parts.type;
      response.#status = parts.status;
      response.#statusText = parts.statusText;
      response.#headers = headersOf(parts.headers, parts.guard);
      response.#url = parts.url;
      response.#redirected = parts.redirected;
      response.#body = parts.body;
      return response;
    };
    partsOfResponse = (response) => ({
      url: response.#url,
      status: response.#status,
      statusText: response.#statusText,
      ok: response.ok,
      redirected: response.#redirected,
      type: response.#type,
      headers: Object.fromEntries(sortedPairs(response.#headers)),
    });
    addBodyMembers(Response.prototype, (self) => {
      const response = self as Response;
      return {
        body: response.#body,
        mimeType: () => extractMimeType(response.#headers.get("content-type")),
      };
    });
  }

  static error(): Response {
    const nothing = {
      headers: [],
      guard: "immutable",
      url: "",
      redirected: false,
      body: null,
    } as const;
    return responseOf({ type: "error", status: 0, statusText: "", ...nothing });
  }

  static redirect(url: unknown, status: unknown = 302): Response {
    needArguments(arguments.length, 1, "Response.redirect");
    const target = parseUrl(toUsvText(url));
    const code = toUint16(status);
    if (target === undefined) throw new TypeError("Response.redirect needs an absolute URL");
    if (!kRedirects.includes(code)) throw new RangeError(`${code} is not the status of a redirect`);
    const headers: HeaderPair[] = [["location", target.href]];
    const nothing = {
      statusText: "",
      guard: "immutable",
      url: "",
      redirected: false,
      body: null,
    } as const;
    return responseOf({ type: "default", status: code, headers, ...nothing });
  }

  static json(data: unknown, init: unknown = {}): Response {
    needArguments(arguments.length, 1, "Response.json");
    const text = toJson(data) as string | undefined;
    if (text === undefined) throw new TypeError("This value has no form in JSON");
    const options = toDictionary(init, "The init of a Response");
    const headers = options["headers"] === undefined ? undefined : new Headers(options["headers"]);
    const status = options["status"] === undefined ? 200 : toUint16(options["status"]);
    const statusText =
      options["statusText"] === undefined ? "" : toByteText(options["statusText"], "statusText");
    const response = new Response();
    response.#initialize(status, statusText, headers, {
      body: new Body(toUtf8(toText(text))),
      type: "application/json",
    });
    return response;
  }

  get type(): ResponseType {
    return this.#type;
  }
  get url(): string {
    return this.#url;
  }
  get redirected(): boolean {
    return this.#redirected;
  }
  get status(): number {
    return this.#status;
  }
  get ok(): boolean {
    return this.#status >= 200 && this.#status <= 299;
  }
  get statusText(): string {
    return this.#statusText;
  }
  get headers(): Headers {
    return this.#headers;
  }
  clone(): Response {
    if (this.#body?.isUnusable)
      throw new TypeError("The body has already been read, or is locked by a reader");
    return responseOf({
      type: this.#type,
      status: this.#status,
      statusText: this.#statusText,
      headers: pairsOfHeaders(this.#headers),
      guard: this.#type === "default" ? "response" : "immutable",
      url: this.#url,
      redirected: this.#redirected,
      body: this.#body === null ? null : this.#body.clone(),
    });
  }

  static isOne(value: unknown): value is Response {
    return isObject(value) && #status in value;
  }
}
export const isResponse = Response.isOne;
delete (Response as Partial<typeof Response>).isOne;
expose(Response, "Response");

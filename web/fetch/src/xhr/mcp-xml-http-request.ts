// XMLHttpRequest on top of fetch over tools/call. https://xhr.spec.whatwg.org/
import { joined } from "../base/bytes.ts";
import { domClass, progressEvent } from "../base/events.ts";
import type { AppLike } from "../calls/tool-caller.ts";
import { type Environment, environmentOf, type McpFetchOptions } from "../environment.ts";
import { performFetch } from "../fetch/perform.ts";
import { type Body, documentOf, jsonOf, textOf } from "./response-data.ts";

const kUnsent = 0;
const kOpened = 1;
const kHeadersReceived = 2;
const kLoading = 3;
const kDone = 4;

const kEvents = [
  "readystatechange",
  "loadstart",
  "progress",
  "abort",
  "error",
  "load",
  "timeout",
  "loadend",
];
const kProgressMs = 50;
const kForbiddenMethods = /^(connect|trace|track)$/i;
const kNormalMethods = /^(delete|get|head|options|post|put)$/i;
const kToken = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;

type ResponseKind = "" | "arraybuffer" | "blob" | "document" | "json" | "text";
const kResponseKinds = new Set(["", "arraybuffer", "blob", "document", "json", "text"]);

const invalidState = (message: string): DOMException =>
  new DOMException(message, "InvalidStateError");

const McpXmlHttpRequestUpload = /* @__PURE__ */ domClass(class extends EventTarget {}, kEvents);

interface Sending {
  controller: AbortController;
  timer: ReturnType<typeof setTimeout> | undefined;
  started: number;
  isUploaded: boolean;
}

class XmlHttpRequestBase extends EventTarget {
  readonly upload = new McpXmlHttpRequestUpload();
  #environment: Environment;
  #readyState = kUnsent;
  #method = "GET";
  #url: URL | undefined;
  #headers = new Headers();
  #timeout = 0;
  #withCredentials = false;
  #responseType: ResponseKind = "";
  #mimeType: string | undefined;
  #sending: Sending | undefined;
  #response: Response | undefined;
  #chunks: Body[] = [];
  #received = 0;
  #cached: unknown;
  #isFailed = false;

  constructor(environment: Environment) {
    super();
    this.#environment = environment;
  }

  get readyState(): number {
    return this.#readyState;
  }
  get status(): number {
    return this.#response?.status ?? 0;
  }
  get statusText(): string {
    return this.#response?.statusText ?? "";
  }
  get responseURL(): string {
    return this.#response?.url ?? "";
  }

  get timeout(): number {
    return this.#timeout;
  }
  set timeout(value: number) {
    this.#timeout = Number(value) >>> 0;
    if (this.#sending !== undefined) this.#startTimer(this.#sending);
  }

  get withCredentials(): boolean {
    return this.#withCredentials;
  }
  set withCredentials(value: boolean) {
    if (this.#readyState > kOpened || this.#sending !== undefined)
      throw invalidState("withCredentials is set before send().");
    this.#withCredentials = Boolean(value);
  }

  get responseType(): ResponseKind {
    return this.#responseType;
  }
  set responseType(value: ResponseKind) {
    if (this.#readyState >= kLoading) throw invalidState("responseType is set before the body.");
    if (kResponseKinds.has(value)) this.#responseType = value;
  }

  open(method: string, url: string | URL, isAsync?: boolean): void {
    if (!kToken.test(String(method))) throw new DOMException("No method.", "SyntaxError");
    if (kForbiddenMethods.test(method)) throw new DOMException("Not allowed.", "SecurityError");
    const { base } = this.#environment.place;
    if (!URL.canParse(String(url), base)) throw new DOMException("Not a URL.", "SyntaxError");
    if (arguments.length > 2 && !isAsync)
      throw new DOMException("Synchronous requests are not supported.", "InvalidAccessError");
    this.#stop();
    this.#method = kNormalMethods.test(method) ? method.toUpperCase() : String(method);
    this.#url = new URL(String(url), base);
    this.#headers = new Request("https://app.invalid/").headers; // guarded as those of a request
    this.#forgetResponse();
    if (this.#readyState !== kOpened) this.#enter(kOpened);
  }

  setRequestHeader(name: string, value: string): void {
    if (this.#readyState !== kOpened || this.#sending !== undefined)
      throw invalidState("Headers are set between open() and send().");
    try {
      this.#headers.append(name, value);
    } catch {
      throw new DOMException("Not a header.", "SyntaxError");
    }
  }

  overrideMimeType(mimeType: string): void {
    if (this.#readyState >= kLoading) throw invalidState("The body is there.");
    this.#mimeType = String(mimeType);
  }

  getResponseHeader(name: string): string | null {
    return this.#response?.headers.get(name) ?? null;
  }

  getAllResponseHeaders(): string {
    return [...(this.#response?.headers ?? [])].map(([k, v]) => `${k}: ${v}\r\n`).join("");
  }

  get responseText(): string {
    if (this.#responseType !== "" && this.#responseType !== "text")
      throw invalidState(`The responseType is '${this.#responseType}'.`);
    if (this.#readyState < kLoading || this.#isFailed) return "";
    return textOf(this.#bytes(), this.#finalMimeType());
  }

  get responseXML(): Document | null {
    if (this.#responseType !== "" && this.#responseType !== "document")
      throw invalidState(`The responseType is '${this.#responseType}'.`);
    if (this.#readyState !== kDone || this.#isFailed) return null;
    return (this.#cached ??= this.#document()) as Document | null;
  }

  get response(): unknown {
    if (this.#responseType === "" || this.#responseType === "text") return this.responseText;
    if (this.#readyState !== kDone || this.#isFailed) return null;
    return (this.#cached ??= this.#make(this.#responseType));
  }

  send(body: Document | XMLHttpRequestBodyInit | null = null): void {
    if (this.#readyState !== kOpened || this.#sending !== undefined)
      throw invalidState("send() comes once, after open().");
    const sending: Sending = {
      controller: new AbortController(),
      timer: undefined,
      started: Date.now(),
      isUploaded: false,
    };
    this.#sending = sending;
    this.#forgetResponse();
    const payload = /^(GET|HEAD)$/.test(this.#method) ? null : this.#serialised(body);
    sending.isUploaded = payload === null;
    this.#fire("loadstart", 0, undefined);
    if (!sending.isUploaded) this.#fireUpload("loadstart", 0, undefined);
    if (this.#sending !== sending) return; // a listener aborted
    this.#startTimer(sending);
    void this.#run(sending, payload);
  }

  abort(): void {
    const wasSending = this.#sending;
    this.#stop();
    if (wasSending !== undefined && this.#readyState !== kDone) this.#failWith("abort", wasSending);
    if (this.#readyState === kDone) {
      this.#readyState = kUnsent;
      this.#forgetResponse();
    }
  }

  #serialised(body: Document | XMLHttpRequestBodyInit | null): BodyInit | null {
    if (body === null || body === undefined) return null;
    if (typeof Document !== "undefined" && body instanceof Document) {
      if (!this.#headers.has("content-type"))
        this.#headers.set("content-type", "text/html;charset=UTF-8");
      return new XMLSerializer().serializeToString(body);
    }
    return body as BodyInit;
  }

  async #run(sending: Sending, body: BodyInit | null): Promise<void> {
    const { signal } = sending.controller;
    const init: RequestInit = {
      method: this.#method,
      headers: this.#headers,
      body,
      signal,
      credentials: this.#withCredentials ? "include" : "same-origin",
    };
    const onUploaded = (bytes: number, total: number | undefined): void => {
      if (this.#sending !== sending) return;
      this.#fireUpload("progress", bytes, total);
      if (bytes === total) this.#endUpload(sending, "load", bytes);
    };
    try {
      const response = await performFetch(this.#environment, this.#url!, init, { onUploaded });
      if (this.#sending !== sending) return;
      this.#endUpload(sending, "load", 0);
      this.#response = response;
      this.#enter(kHeadersReceived);
      await this.#receive(sending, response);
    } catch {
      if (this.#sending !== sending) return;
      this.#failWith("error", sending);
    }
  }

  async #receive(sending: Sending, response: Response): Promise<void> {
    if (this.#sending !== sending) return;
    const length = Number(response.headers.get("content-length") ?? NaN);
    const total =
      Number.isNaN(length) || response.headers.has("content-encoding") ? undefined : length;
    const reader = (response.body as ReadableStream<Body> | null)?.getReader();
    let announced = -Infinity;
    for (;;) {
      const { done, value } = (await reader?.read()) ?? { done: true, value: undefined };
      if (this.#sending !== sending) return void reader?.cancel().catch(() => {});
      if (done) break;
      this.#chunks.push(value!);
      this.#received += value!.length;
      if (Date.now() - announced < kProgressMs) continue;
      announced = Date.now();
      this.#readyState = kLoading;
      this.dispatchEvent(new Event("readystatechange"));
      this.#fire("progress", this.#received, total);
      if (this.#sending !== sending) return void reader?.cancel().catch(() => {});
    }
    this.#end(sending);
    if (this.#received > 0) this.#fire("progress", this.#received, total);
    this.#enter(kDone);
    if (this.#readyState !== kDone || this.#sending !== undefined) return; // opened again
    this.#fire("load", this.#received, total);
    this.#fire("loadend", this.#received, total);
  }

  #enter(state: number): void {
    this.#readyState = state;
    this.dispatchEvent(new Event("readystatechange"));
  }

  #failWith(type: "abort" | "error" | "timeout", sending: Sending): void {
    this.#end(sending);
    this.#forgetResponse();
    this.#isFailed = true;
    this.#enter(kDone);
    this.#endUpload(sending, type, 0);
    this.#fire(type, 0, undefined);
    this.#fire("loadend", 0, undefined);
  }

  #endUpload(sending: Sending, type: string, loaded: number): void {
    if (sending.isUploaded) return;
    sending.isUploaded = true;
    this.#fireUpload(type, loaded, loaded || undefined);
    this.#fireUpload("loadend", loaded, loaded || undefined);
  }

  #end(sending: Sending): void {
    clearTimeout(sending.timer);
    this.#sending = undefined;
  }

  #stop(): void {
    const sending = this.#sending;
    if (sending === undefined) return;
    this.#end(sending);
    sending.controller.abort();
  }

  #startTimer(sending: Sending): void {
    clearTimeout(sending.timer);
    if (this.#timeout === 0) return;
    // A timeout that is set later counts from send(), too.
    const left = sending.started + this.#timeout - Date.now();
    sending.timer = setTimeout(() => {
      this.#stop();
      this.#failWith("timeout", sending);
    }, left);
  }

  #forgetResponse(): void {
    this.#response = undefined;
    this.#chunks = [];
    this.#received = 0;
    this.#cached = undefined;
    this.#isFailed = false;
  }

  #bytes(): Body {
    if (this.#chunks.length !== 1) this.#chunks = [joined(this.#chunks)];
    return this.#chunks[0]!;
  }

  #finalMimeType(): string {
    return this.#mimeType ?? this.#response?.headers.get("content-type") ?? "";
  }

  #make(kind: Exclude<ResponseKind, "" | "text">): unknown {
    switch (kind) {
      case "arraybuffer":
        return this.#bytes().slice().buffer;
      case "blob":
        return new Blob([this.#bytes()], { type: this.#finalMimeType() || "text/xml" });
      case "json":
        return jsonOf(this.#bytes());
      case "document":
        return this.#document();
    }
  }

  #document(): Document | null {
    return documentOf(this.#bytes(), this.#finalMimeType(), this.#responseType === "document");
  }

  #fire(type: string, loaded: number, total: number | undefined): void {
    this.dispatchEvent(progressEvent(type, loaded, total));
  }

  #fireUpload(type: string, loaded: number, total: number | undefined): void {
    this.upload.dispatchEvent(progressEvent(type, loaded, total));
  }
}

const McpXmlHttpRequest = /* @__PURE__ */ domClass(XmlHttpRequestBase, kEvents, {
  UNSENT: kUnsent,
  OPENED: kOpened,
  HEADERS_RECEIVED: kHeadersReceived,
  LOADING: kLoading,
  DONE: kDone,
});

/** A class to use as `XMLHttpRequest`. */
export function createMcpXmlHttpRequest(
  app: AppLike,
  options?: McpFetchOptions,
): typeof XMLHttpRequest {
  return xmlHttpRequestFor(environmentOf(app, options));
}

export function xmlHttpRequestFor(environment: Environment): typeof XMLHttpRequest {
  const Bound = class XMLHttpRequest extends McpXmlHttpRequest {
    constructor() {
      super(environment);
    }
  };
  return Bound as unknown as typeof XMLHttpRequest;
}

// EventSource over sse_connect. The gateway reads the stream; reconnecting is done here, as in browsers.
// https://html.spec.whatwg.org/multipage/server-sent-events.html
import { isWorthRetrying, McpFetchError } from "../base/errors.ts";
import { domClass, errorEvent } from "../base/events.ts";
import { fromWire, wireUrl } from "../base/place.ts";
import { queueTask } from "../base/tasks.ts";
import type { AppLike } from "../calls/tool-caller.ts";
import {
  commonArguments,
  type Environment,
  environmentOf,
  type McpFetchOptions,
  goesNative,
  routeOf,
} from "../environment.ts";
import { hasBadPort } from "../fetch/bad-ports.ts";
import { type Frame, streamFactsOf } from "../streams/frames.ts";
import { StreamTarget } from "../streams/stream-target.ts";

const kConnecting = 0;
const kOpen = 1;
const kClosed = 2;
const kRetryMs = 3_000;

class EventSourceBase extends StreamTarget {
  #environment: Environment;
  #url: URL;
  #withCredentials: boolean;
  #readyState = kConnecting;
  #lastEventId = "";
  #retryMs = kRetryMs;
  #origin = "";
  #attempt = new AbortController();
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(environment: Environment, url: string | URL, init: EventSourceInit = {}) {
    super();
    if (!URL.canParse(String(url), environment.place.base))
      throw new DOMException(`Cannot open an EventSource to '${url}'.`, "SyntaxError");
    this.#environment = environment;
    this.#url = new URL(String(url), environment.place.base);
    this.#withCredentials = Boolean(init?.withCredentials);
    this.#connect();
  }

  get url(): string {
    return this.#url.href;
  }
  get withCredentials(): boolean {
    return this.#withCredentials;
  }
  get readyState(): number {
    return this.#readyState;
  }

  close(): void {
    this.#readyState = kClosed;
    clearTimeout(this.#timer);
    this.#attempt.abort();
    this.leave();
  }

  protected override lost(error: McpFetchError): void {
    if (error.code === "closed") this.#fail(error);
    else this.#reconnect(error);
  }

  #connect(): void {
    this.#attempt = new AbortController();
    const { signal } = this.#attempt;
    this.#open(signal).catch((error: unknown) => {
      if (signal.aborted) return;
      if (isWorthRetrying(error)) queueTask(() => this.#reconnect(error));
      else this.#fail(error);
    });
  }

  async #open(signal: AbortSignal): Promise<void> {
    const { connection, place } = this.#environment;
    if (connection.streams.over !== undefined) throw connection.streams.over;
    if (routeOf(this.#environment, this.#url) !== "gateway" || hasBadPort(this.#url))
      throw new McpFetchError("not_found", "This URL has no events.");
    const args = {
      ...commonArguments(this.#environment),
      view: connection.streams.view,
      url: wireUrl(place, this.#url),
      credentials: this.#withCredentials ? "include" : "same-origin",
      lastEventId: this.#lastEventId || undefined,
    };
    const call = connection.gateway.call("sse_connect", args, { signal });
    const answer = await connection.streams.opening(call);
    const facts = streamFactsOf(answer.stream);
    if (facts === undefined)
      throw new McpFetchError("not_found", `Status ${answer.status} or no event stream.`);
    if (signal.aborted) {
      this.readFrom(connection.streams, facts);
      return this.leave();
    }
    const answered = typeof answer.url === "string" ? fromWire(answer.url, this.#url) : this.url;
    this.#origin = new URL(answered).origin;
    queueTask(() => {
      if (signal.aborted || this.#readyState === kClosed) return;
      this.#readyState = kOpen;
      this.dispatchEvent(new Event("open"));
    });
    this.readFrom(connection.streams, facts);
  }

  protected override take(frame: Frame): void {
    switch (frame.kind) {
      case "event":
        return this.#event(frame);
      case "retry":
        if (Number.isFinite(frame.retry)) this.#retryMs = Number(frame.retry);
        return;
      case "end":
        return this.#reconnect();
      case "error":
        return this.#reconnect(new McpFetchError(String(frame.code), String(frame.message)));
    }
  }

  #event({ event, data, lastEventId }: Frame): void {
    if (typeof lastEventId === "string") this.#lastEventId = lastEventId;
    if (this.#readyState === kClosed) return;
    this.dispatchEvent(
      new MessageEvent(typeof event === "string" && event !== "" ? event : "message", {
        data: String(data ?? ""),
        origin: this.#origin,
        lastEventId: this.#lastEventId,
      }),
    );
  }

  #reconnect(cause?: unknown): void {
    if (this.#readyState === kClosed) return;
    this.leave();
    this.#readyState = kConnecting;
    this.dispatchEvent(errorEvent(cause));
    // The listener may have closed it.
    if (this.#readyState === kConnecting)
      this.#timer = setTimeout(() => this.#connect(), this.#retryMs);
  }

  #fail(cause: unknown): void {
    queueTask(() => {
      if (this.#readyState === kClosed) return;
      this.#readyState = kClosed;
      this.dispatchEvent(errorEvent(cause));
    });
  }
}

const McpEventSource = /* @__PURE__ */ domClass(EventSourceBase, ["open", "error", "message"], {
  CONNECTING: kConnecting,
  OPEN: kOpen,
  CLOSED: kClosed,
});

/** A class to use as `EventSource`. */
export function createMcpEventSource(app: AppLike, options?: McpFetchOptions): typeof EventSource {
  return eventSourceFor(environmentOf(app, options));
}

export function eventSourceFor(environment: Environment): typeof EventSource {
  const Native = globalThis.EventSource;
  const Bound = class EventSource extends McpEventSource {
    constructor(url: string | URL, init?: EventSourceInit) {
      const { base } = environment.place;
      if (Native !== undefined && URL.canParse(String(url), base)) {
        const target = new URL(String(url), base);
        if (goesNative(environment, target)) return new Native(target, init) as never;
      }
      super(environment, url, init);
    }
  };
  return Bound as unknown as typeof EventSource;
}

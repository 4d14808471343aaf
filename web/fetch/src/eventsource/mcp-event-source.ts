// EventSource over sse_connect. The gateway reads the stream; reconnecting is done here, as in browsers.
// https://html.spec.whatwg.org/multipage/server-sent-events.html
import { isWorthRetrying, McpFetchError } from "../base/errors.ts";
import { defineConstants, defineHandlers } from "../base/events.ts";
import { fromWire, wireUrl } from "../base/place.ts";
import { queueTask } from "../base/tasks.ts";
import type { AppLike } from "../calls/tool-caller.ts";
import {
  commonArguments,
  type Environment,
  environmentOf,
  type McpFetchOptions,
  routeOf,
} from "../environment.ts";
import { hasBadPort } from "../fetch/bad-ports.ts";
import { type Frame, sizeOf, streamFactsOf } from "../streams/frames.ts";
import type { Subscription } from "../streams/hub.ts";
import type { StreamReader } from "../streams/inbox.ts";

const kConnecting = 0;
const kOpen = 1;
const kClosed = 2;
const kRetryMs = 3_000;

export class McpEventSource extends EventTarget implements StreamReader {
  #environment: Environment;
  #url: URL;
  #withCredentials: boolean;
  #readyState = kConnecting;
  #lastEventId = "";
  #retryMs = kRetryMs;
  #origin = "";
  #attempt = new AbortController();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #subscription: Subscription | undefined;
  #held = 0;
  // Frames of an attempt that is over say nothing any more.
  #generation = 0;

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
    this.#generation += 1;
    clearTimeout(this.#timer);
    this.#attempt.abort();
    this.#subscription?.close();
  }

  /** @internal */
  frame(frame: Frame): void {
    const size = sizeOf(frame);
    const generation = this.#generation;
    this.#held += size;
    queueTask(() => {
      this.#held -= size;
      this.#subscription?.consumed();
      if (generation === this.#generation) this.#take(frame);
    });
  }

  /** @internal */
  lost(error: McpFetchError): void {
    const generation = this.#generation;
    queueTask(() => generation === this.#generation && this.#reconnect(error));
  }

  /** @internal */
  held(): number {
    return this.#held;
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
    if (routeOf(this.#environment, this.#url) !== "gateway" || hasBadPort(this.#url))
      throw new McpFetchError("not_found", "This URL has no events.");
    const args = {
      ...commonArguments(this.#environment),
      view: connection.streams.view,
      url: wireUrl(place, this.#url),
      credentials: this.#withCredentials ? "include" : "same-origin",
      ...(this.#lastEventId === "" ? {} : { lastEventId: this.#lastEventId }),
    };
    const call = connection.gateway.call("sse_connect", args, { signal });
    const answer = await connection.streams.opening(call);
    const facts = streamFactsOf(answer.stream);
    if (facts === undefined)
      throw new McpFetchError("not_found", `Status ${answer.status} or no event stream.`);
    if (signal.aborted) {
      connection.streams.attach(facts, { frame() {}, lost() {} }).close();
      return;
    }
    const answered = typeof answer.url === "string" ? fromWire(answer.url, this.#url) : this.url;
    this.#origin = new URL(answered).origin;
    queueTask(() => {
      if (signal.aborted || this.#readyState === kClosed) return;
      this.#readyState = kOpen;
      this.dispatchEvent(new Event("open"));
    });
    this.#subscription = connection.streams.attach(facts, this);
  }

  #take(frame: Frame): void {
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
    this.#generation += 1;
    this.#readyState = kConnecting;
    this.dispatchEvent(Object.assign(new Event("error"), { cause }));
    // The listener may have closed it.
    if (this.#readyState === kConnecting)
      this.#timer = setTimeout(() => this.#connect(), this.#retryMs);
  }

  #fail(cause: unknown): void {
    queueTask(() => {
      if (this.#readyState === kClosed) return;
      this.#readyState = kClosed;
      this.dispatchEvent(Object.assign(new Event("error"), { cause }));
    });
  }
}

defineConstants(McpEventSource, { CONNECTING: 0, OPEN: 1, CLOSED: 2 });
defineHandlers(McpEventSource.prototype, ["open", "error", "message"]);

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
        if (isNative(environment, target)) return new Native(target, init) as never;
      }
      super(environment, url, init);
    }
  };
  return Bound as unknown as typeof EventSource;
}

function isNative(environment: Environment, url: URL): boolean {
  try {
    return routeOf(environment, url) === "native";
  } catch {
    return false; // said by the connection that fails
  }
}

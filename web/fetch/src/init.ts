// Puts the app's network in place of the browser's.
import { releaseConnection } from "./calls/connection.ts";
import type { AppLike } from "./calls/tool-caller.ts";
import { environmentOf, type McpFetchOptions } from "./environment.ts";
import { eventSourceFor } from "./eventsource/mcp-event-source.ts";
import { type SendBeacon, sendBeaconFor } from "./fetch/beacon.ts";
import { performFetch } from "./fetch/perform.ts";
import { usePort } from "./mux/use-port.ts";
import { webSocketFor } from "./websocket/mcp-websocket.ts";
import { xmlHttpRequestFor } from "./xhr/mcp-xml-http-request.ts";

export interface InitOptions extends McpFetchOptions {
  /** Which globals are replaced. Default: all of them. */
  patch?: {
    fetch?: boolean;
    XMLHttpRequest?: boolean;
    WebSocket?: boolean;
    EventSource?: boolean;
    sendBeacon?: boolean;
  };
}

export interface McpFetchHandle {
  /** The app's fetch(), whether or not the global one is replaced. */
  readonly fetch: typeof fetch;
  readonly WebSocket: typeof WebSocket;
  readonly EventSource: typeof EventSource;
  readonly XMLHttpRequest: typeof XMLHttpRequest;
  readonly sendBeacon: SendBeacon;
  /** The globals are the browser's again; what is open stays open. */
  stop(): void;
  /** As `stop()`, closes all streams and lets go of the app. */
  restore(): Promise<void>;
  /** Whether the globals are replaced. */
  isActive(): boolean;
}

/** `fetch()` of the app, without touching the globals. */
export function createMcpFetch(app: AppLike, options?: McpFetchOptions): typeof fetch {
  const environment = environmentOf(app, options);
  return (input, init) => performFetch(environment, input, init);
}

/** Everything of the app, and the globals replaced. Requests wait until the app is connected. */
export function initMcpFetch(app: AppLike, options: InitOptions = {}): McpFetchHandle {
  const environment = environmentOf(app, options);
  usePort(environment.connection);
  const network = {
    fetch: ((input, init) => performFetch(environment, input, init)) as typeof fetch,
    WebSocket: webSocketFor(environment),
    EventSource: eventSourceFor(environment),
    XMLHttpRequest: xmlHttpRequestFor(environment),
    sendBeacon: sendBeaconFor(environment),
  };
  const wanted = options.patch ?? {};
  const undo: (() => void)[] = [];
  for (const name of ["fetch", "XMLHttpRequest", "WebSocket", "EventSource"] as const)
    if (wanted[name] !== false) undo.push(replace(globalThis, name, network[name]));
  if (wanted.sendBeacon !== false && globalThis.navigator !== undefined)
    undo.push(replace(navigator, "sendBeacon", network.sendBeacon));
  const stop = (): void => {
    for (const each of undo.splice(0)) each();
  };
  return {
    ...network,
    stop,
    restore: () => {
      stop();
      return releaseConnection(app);
    },
    isActive: () => undo.length > 0,
  };
}

/** Returns what undoes it, unless somebody else has replaced it in between. */
function replace(where: object, name: string, value: unknown): () => void {
  const before = Object.getOwnPropertyDescriptor(where, name);
  Object.defineProperty(where, name, { value, configurable: true, writable: true });
  return () => {
    if (Object.getOwnPropertyDescriptor(where, name)?.value !== value) return;
    if (before === undefined) Reflect.deleteProperty(where, name);
    else Object.defineProperty(where, name, before);
  };
}

// What fetch, XMLHttpRequest, WebSocket and EventSource of one app have in common.
import { McpFetchError, networkError } from "./base/errors.ts";
import { isBelow } from "./base/intercept.ts";
import { isOwn, type Place, placeOf } from "./base/place.ts";
import { type Connection, connectionOf, type ConnectionOptions } from "./calls/connection.ts";
import type { AppLike } from "./calls/tool-caller.ts";

export interface McpFetchOptions extends ConnectionOptions {
  /** What relative URLs are relative to. Default: the document's address, if it is of the web. */
  baseUrl?: string | URL;
  /** Paths of the own origin that go through the gateway, with what is below. Default: all (`["/"]`). */
  interceptPaths?: readonly string[];
  /** What is not intercepted goes to the network of the browser. Default: false, it fails. */
  fallbackToNative?: boolean;
  /** Name of the gateway's backend. Default: its first one. */
  backend?: string;
  /** Time for a request, kept by the gateway. Default: the gateway's. */
  timeoutMs?: number;
}

export interface Environment {
  readonly connection: Connection;
  readonly place: Place;
  readonly options: McpFetchOptions;
  /** fetch() as it was before anything was patched. */
  readonly nativeFetch: typeof fetch | undefined;
}

export function environmentOf(app: AppLike, options: McpFetchOptions = {}): Environment {
  return {
    connection: connectionOf(app, options),
    place: placeOf(options.baseUrl),
    options,
    nativeFetch: globalThis.fetch?.bind(globalThis),
  };
}

export type Route = "gateway" | "native";

// Without a network: the browser has what they name.
const kLocal = /^(data|blob|about):/;
const kRemote = /^(http|ws)s?:/;

/** Which way a request goes. Never the native network, unless the author asked for it. */
export function routeOf({ place, options }: Environment, url: URL): Route {
  if (kLocal.test(url.protocol)) return "native";
  if (!kRemote.test(url.protocol))
    throw networkError(new McpFetchError("not_intercepted", `No way to ask ${url.protocol} URLs.`));
  // Other origins have no paths of ours: the gateway knows which of them it allows.
  const paths = options.interceptPaths;
  if (paths === undefined || !isOwn(place, url) || isBelow(url.pathname, paths)) return "gateway";
  if (options.fallbackToNative === true) return "native";
  throw networkError(
    new McpFetchError("not_intercepted", `${url.pathname} is not below interceptPaths.`),
  );
}

/** Whether a class should hand out the browser's own object. What goes nowhere fails later. */
export function goesNative(environment: Environment, url: URL): boolean {
  try {
    return routeOf(environment, url) === "native";
  } catch {
    return false;
  }
}

/** Arguments that every call of the app has. What is undefined is not on the wire. */
export function commonArguments({ connection, options }: Environment): Record<string, unknown> {
  return {
    view: connection.hasStreams ? connection.streams.view : undefined,
    backend: options.backend,
  };
}

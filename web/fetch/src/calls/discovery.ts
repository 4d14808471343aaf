// What the server offers: said by the host, by the launching tool, or by the app's author.
import type { AppLike } from "./tool-caller.ts";

export const kHttpKey = "sallyport/http";

export interface ServerFacts {
  /** Name of the tool for requests; those for streams are named after it. */
  tool: string;
  /** Frames may come as progress of a call. */
  push: boolean;
  /** Bodies up to so many bytes are in the call itself. */
  inlineMax: number;
  /** The host hands out a MessagePort for these calls. */
  port: boolean;
}

export const kDefaultFacts: ServerFacts = {
  tool: "http_request",
  push: false,
  inlineMax: 256 * 1024,
  port: false,
};

/** The facts in what a host or tool said; what is malformed or of another version says nothing. */
export function factsFrom(said: unknown): Partial<ServerFacts> {
  const { v = 1, ...members } = (said ?? {}) as Record<string, unknown>;
  if (v !== 1) return {};
  return Object.fromEntries(
    Object.entries(kDefaultFacts).flatMap(([name, usual]) =>
      typeof members[name] === typeof usual ? [[name, members[name]]] : [],
    ),
  );
}

const memberOf = (value: unknown, key: string): unknown =>
  typeof value === "object" && value !== null ? (value as Record<string, unknown>)[key] : undefined;

/** Asks again each time: the host is known once the app is connected, the tool's result later. */
export class Discovery {
  #fromTool: Partial<ServerFacts> = {};
  #app: AppLike;
  #onToolResult = (result: unknown): void => {
    this.#fromTool = factsFrom(memberOf(memberOf(result, "_meta"), kHttpKey));
  };

  constructor(app: AppLike) {
    this.#app = app;
    app.addEventListener?.("toolresult", this.#onToolResult);
  }

  facts(): ServerFacts {
    const experimental = this.#app.getHostCapabilities?.()?.experimental;
    return {
      ...kDefaultFacts,
      ...this.#fromTool,
      ...factsFrom(memberOf(experimental, kHttpKey)),
    };
  }

  stop(): void {
    this.#app.removeEventListener?.("toolresult", this.#onToolResult);
  }
}

// What everything of one app shares: the gateway, the streams of its view, and its end.
import { McpFetchError } from "../base/errors.ts";
import { StreamHub } from "../streams/hub.ts";
import { Discovery, factsFrom, type ServerFacts } from "./discovery.ts";
import { Gateway } from "./gateway.ts";
import { chainTeardown } from "./teardown.ts";
import type { AppLike } from "./tool-caller.ts";

export interface ConnectionOptions extends Partial<ServerFacts> {
  /** Longest time that unfinished `keepalive` requests hold up a teardown. Default: 3000 ms. */
  flushMs?: number;
}

const kFlushMs = 3_000;

export class Connection {
  readonly gateway: Gateway;
  readonly streams: StreamHub;
  /** Settles when tools can be called. */
  readonly connected: Promise<unknown>;
  /** The server has no tools for streams: everything is in the call itself. */
  hasStreams = true;
  #options: ConnectionOptions;
  #discovery: Discovery;
  #kept = new Set<Promise<unknown>>();
  #undo: (() => void)[] = [];

  constructor(app: AppLike, options: ConnectionOptions = {}) {
    this.#options = options;
    this.#discovery = new Discovery(app);
    const untilReady = untilConnected(app, this.#undo);
    this.connected = Promise.resolve(untilReady());
    this.connected.catch(() => {});
    this.gateway = new Gateway(app, () => this.facts.tool, untilReady);
    this.streams = new StreamHub(this.gateway, randomView(), () => this.facts.push);
    this.#undo.push(
      () => this.#discovery.stop(),
      chainTeardown(app, () => this.finish()),
    );
    const onPageHide = (event: PageTransitionEvent): void => {
      if (!event.persisted) void this.closeStreams("The page is gone.");
    };
    globalThis.addEventListener?.("pagehide", onPageHide);
    this.#undo.push(() => globalThis.removeEventListener?.("pagehide", onPageHide));
  }

  get facts(): ServerFacts {
    return { ...this.#discovery.facts(), ...factsFrom(this.#options) };
  }

  /** A request that must be made even though the app ends. */
  keep(request: Promise<unknown>): void {
    const settled = request.then(
      () => {},
      () => {},
    );
    this.#kept.add(settled);
    void settled.then(() => this.#kept.delete(settled));
  }

  async finish(): Promise<void> {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const enough = new Promise((resolve) => {
      timer = setTimeout(resolve, this.#options.flushMs ?? kFlushMs);
    });
    await Promise.race([Promise.all(this.#kept), enough]);
    clearTimeout(timer);
    await this.closeStreams("The app was torn down.");
  }

  closeStreams(why: string): Promise<void> {
    return this.streams.closeAll(new McpFetchError("closed", why));
  }

  /** Lets go of the app; what is open is closed. */
  async release(): Promise<void> {
    for (const undo of this.#undo.splice(0)) undo();
    await this.closeStreams("The wrapper was stopped.");
  }
}

// Tools can be called once the app is connected. Requests that are made earlier wait for it.
function untilConnected(app: AppLike, undo: (() => void)[]): () => Promise<unknown> | undefined {
  const { connect } = app;
  if (connect === undefined || app.getHostCapabilities === undefined) return () => undefined;
  if (app.getHostCapabilities() !== undefined) return () => undefined;
  let settle: (outcome: Promise<void>) => void = () => {};
  let connected: Promise<void> | undefined = new Promise<void>((resolve) => {
    settle = resolve;
  });
  connected.then(
    () => (connected = undefined),
    () => {},
  );
  app.connect = (...args: never[]) => {
    const outcome = connect.apply(app, args);
    settle(outcome);
    return outcome;
  };
  undo.push(() => {
    delete app.connect;
    if (app.connect === undefined) app.connect = connect;
  });
  return () => (app.getHostCapabilities?.() === undefined ? connected : undefined);
}

/** 128 random bits. */
function randomView(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

const connections = new WeakMap<AppLike, Connection>();

/** The connection of the app; made once, so that there is one pull loop for a view. */
export function connectionOf(app: AppLike, options?: ConnectionOptions): Connection {
  let connection = connections.get(app);
  if (connection === undefined) {
    connection = new Connection(app, options);
    connections.set(app, connection);
  }
  return connection;
}

/** The next user of the app makes a new one. */
export async function releaseConnection(app: AppLike): Promise<void> {
  const connection = connections.get(app);
  connections.delete(app);
  await connection?.release();
}

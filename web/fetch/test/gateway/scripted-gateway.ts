// The tools of docs/streams.md over real HTTP origins: what the package is tested with, and the contract
// in a form that runs. It has no policy but a list of paths, no audit log and no limits on rates.
import type { Progress, ToolCallParams, ToolResult } from "../../src/calls/tool-caller.ts";
import { Backend, type BackendOptions } from "./backend.ts";
import { type HttpArguments, httpRequestTool, kInlineMax, uploadTool } from "./http-tools.ts";
import { failed, succeeded, ToolFailure } from "./results.ts";
import { sseConnectTool, wsCloseTool, wsConnectTool } from "./socket-tools.ts";
import { View } from "./view.ts";

const kLeaseMs = 60_000;
const kViewName = /^[A-Za-z0-9_-]{16,64}$/;

export const kTools = [
  "http_request",
  "http_request_stream",
  "ws_connect",
  "ws_send",
  "ws_close",
  "sse_connect",
  "sse_close",
  "stream_pull",
  "stream_push",
  "stream_close",
] as const;

export interface CallExtras {
  signal?: AbortSignal;
  onprogress?: (progress: Progress) => void;
}

export class ScriptedGateway {
  readonly views = new Map<string, View>();
  readonly facts = { v: 1, tool: "http_request", push: true, inlineMax: kInlineMax };
  #backend: Backend;
  #leases: ReturnType<typeof setInterval>;

  constructor(options: BackendOptions) {
    this.#backend = new Backend(options);
    this.#leases = setInterval(() => this.#endLeases(), kLeaseMs / 4);
    this.#leases.unref();
  }

  async call(
    { name, arguments: args }: ToolCallParams,
    extras: CallExtras = {},
  ): Promise<ToolResult> {
    if (!(kTools as readonly string[]).includes(name))
      throw Object.assign(new Error(`Unknown tool: ${name}`), { code: -32602 });
    try {
      return succeeded(await this.#run(name, args, extras));
    } catch (error) {
      return failed(error);
    }
  }

  /** As when the program is started again: nobody knows the streams of before. */
  restart(): void {
    for (const view of this.views.values()) view.close([...view.streams.keys()]);
    this.views.clear();
  }

  close(): void {
    clearInterval(this.#leases);
    this.restart();
  }

  get openStreams(): number {
    return [...this.views.values()].reduce((sum, view) => sum + view.streams.size, 0);
  }

  async #run(
    name: string,
    args: Record<string, unknown>,
    { signal = new AbortController().signal, onprogress }: CallExtras,
  ): Promise<object> {
    const view = this.#view(args.view, name === "http_request");
    const call = { backend: this.#backend, view, signal };
    switch (name) {
      case "http_request":
        return httpRequestTool(args as unknown as HttpArguments, call);
      case "http_request_stream":
        return args.upload === undefined
          ? httpRequestTool(args as unknown as HttpArguments, call)
          : uploadTool(args as unknown as HttpArguments, call);
      case "ws_connect":
        return wsConnectTool(args as never, call);
      case "sse_connect":
        return sseConnectTool(args as never, call);
      case "stream_pull":
        return view!.pull(args, onprogress);
      case "stream_push":
        return view!.at(args.id).push(Number(args.seq), args);
      case "ws_send":
        return view!.at(args.connectionId).push(Number(args.seq), args);
      case "ws_close":
        return wsCloseTool(
          view!.at(args.connectionId),
          args.code as number | undefined,
          args.reason as string | undefined,
        );
      case "sse_close":
        view!.close([String(args.connectionId)]);
        return {};
      default:
        return { closed: view!.close(this.#idsOf(view!, args)) };
    }
  }

  #idsOf(view: View, { id, ids, all }: Record<string, unknown>): string[] {
    if (all === true) return [...view.streams.keys()];
    return Array.isArray(ids) ? (ids as string[]) : [String(id)];
  }

  #view(name: unknown, isOptional: boolean): View | undefined {
    if (name === undefined && isOptional) return undefined;
    if (typeof name !== "string" || !kViewName.test(name))
      throw new ToolFailure("invalid_input", "view is 16 to 64 characters of [A-Za-z0-9_-].");
    let view = this.views.get(name);
    if (view === undefined) this.views.set(name, (view = new View()));
    return view;
  }

  #endLeases(): void {
    for (const [name, view] of this.views)
      if (Date.now() - view.lastPull > kLeaseMs) {
        view.close([...view.streams.keys()]);
        this.views.delete(name);
      }
  }
}

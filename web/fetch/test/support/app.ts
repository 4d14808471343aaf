// An app that is connected to a scripted gateway, with the faults of the way in between.
import type { ToolCallOptions, ToolCallParams, ToolResult } from "../../src/calls/tool-caller.ts";
import { ScriptedGateway } from "../gateway/scripted-gateway.ts";

export interface Fault {
  /** Of which tool. */
  tool: string;
  /** Before the server hears of it, or after it did: the answer is lost, and nobody may say so. */
  when: "before" | "after" | "silently";
  times: number;
}

export class TestApp {
  readonly gateway: ScriptedGateway;
  readonly calls: ToolCallParams[] = [];
  faults: Fault[] = [];
  /** The host drops progress, as a plain AppBridge does. */
  dropsProgress = false;
  hostCapabilities: { experimental?: Record<string, object> } = {};
  #onteardown: ((params: never, extra: never) => unknown) | undefined;
  #resultListeners = new Set<(result: unknown) => void>();
  /** Tools that this server has not. */
  missing = new Set<string>();

  constructor(gateway: ScriptedGateway) {
    this.gateway = gateway;
  }

  // One slot, as in App.
  get onteardown(): ((params: never, extra: never) => unknown) | undefined {
    return this.#onteardown;
  }
  set onteardown(handler: ((params: never, extra: never) => unknown) | undefined) {
    this.#onteardown = handler;
  }
  /** What the host does before it removes the frame. */
  async tearDown(): Promise<unknown> {
    return this.#onteardown?.({} as never, {} as never);
  }

  getHostCapabilities(): { experimental?: Record<string, object> } {
    return this.hostCapabilities;
  }
  addEventListener(_: "toolresult", handler: (result: unknown) => void): void {
    this.#resultListeners.add(handler);
  }
  removeEventListener(_: "toolresult", handler: (result: unknown) => void): void {
    this.#resultListeners.delete(handler);
  }
  toolResult(result: object): void {
    for (const listener of this.#resultListeners) listener(result);
  }

  async callServerTool(params: ToolCallParams, options: ToolCallOptions = {}): Promise<ToolResult> {
    // Everything is JSON on its way.
    const sent = JSON.parse(JSON.stringify(params)) as ToolCallParams;
    this.calls.push(sent);
    if (this.missing.has(sent.name))
      throw Object.assign(new Error(`Unknown tool: ${sent.name}`), { code: -32602 });
    this.#strike(sent.name, "before");
    const { signal, onprogress } = options;
    const call = this.gateway.call(sent, {
      ...(signal === undefined ? {} : { signal }),
      ...(onprogress === undefined || this.dropsProgress ? {} : { onprogress }),
      ...(onprogress !== undefined && this.dropsProgress ? { onprogress: () => {} } : {}),
    });
    const result = await (signal === undefined ? call : Promise.race([call, cancelled(signal)]));
    this.#strike(sent.name, "after");
    if (this.#isStruck(sent.name, "silently")) return await cancelled(signal!);
    return JSON.parse(JSON.stringify(result)) as ToolResult;
  }

  count(tool: string): number {
    return this.calls.filter((call) => call.name === tool).length;
  }

  #isStruck(tool: string, when: Fault["when"]): boolean {
    const fault = this.faults.find((each) => each.tool === tool && each.when === when);
    return fault !== undefined && fault.times-- > 0;
  }

  #strike(tool: string, when: Fault["when"]): void {
    if (!this.#isStruck(tool, when)) return;
    throw Object.assign(new Error("Connection closed"), { code: "CONNECTION_CLOSED" });
  }
}

// As the SDK does: its own error, not the signal's reason.
function cancelled(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const fail = (): void =>
      reject(Object.assign(new Error("Request was cancelled"), { code: "REQUEST_TIMEOUT" }));
    if (signal.aborted) fail();
    else signal.addEventListener("abort", fail, { once: true });
  });
}

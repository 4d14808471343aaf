// The gateway behind the tools: calls them by their plain names, with one kind of error.
import { McpFetchError } from "../base/errors.ts";
import {
  kNoTimeout,
  type Progress,
  type ToolCaller,
  type ToolCallOptions,
  type ToolResult,
} from "./tool-caller.ts";

const kErrorKey = "sallyport/error";
const kRequestTool = "http_request";

export interface CallOptions {
  signal?: AbortSignal | undefined;
  onProgress?: ((progress: Progress) => void) | undefined;
}

export class Gateway {
  #caller: ToolCaller;
  #toolName: () => string;
  #ready: () => Promise<unknown> | undefined;

  constructor(
    caller: ToolCaller,
    toolName: () => string,
    ready: () => Promise<unknown> | undefined = () => undefined,
  ) {
    this.#caller = caller;
    this.#toolName = toolName;
    this.#ready = ready;
  }

  /** Calls go this way from now on. */
  reroute(caller: ToolCaller): void {
    this.#caller = caller;
  }

  async call(
    tool: string,
    args: Record<string, unknown>,
    options: CallOptions = {},
  ): Promise<Record<string, unknown>> {
    const { signal, onProgress } = options;
    await this.#ready();
    signal?.throwIfAborted();
    const callOptions: ToolCallOptions = { ...kNoTimeout };
    if (signal !== undefined) callOptions.signal = signal;
    if (onProgress !== undefined) callOptions.onprogress = onProgress;
    let result: ToolResult;
    try {
      result = await this.#caller.callServerTool(
        { name: this.#nameOf(tool), arguments: args },
        callOptions,
      );
    } catch (error) {
      throw asFailure(error);
    }
    if (result.isError === true) throw failureOf(result);
    return structuredContentOf(result);
  }

  // Where a gateway is one of several servers, its tools have a prefix in common.
  #nameOf(tool: string): string {
    const requestTool = this.#toolName();
    if (tool === kRequestTool) return requestTool;
    return requestTool.endsWith(kRequestTool)
      ? requestTool.slice(0, -kRequestTool.length) + tool
      : tool;
  }
}

function asFailure(error: unknown): McpFetchError {
  const { code, message } = (error ?? {}) as { code?: unknown; message?: unknown };
  const isUnknownTool = code === -32601 || code === -32602;
  return new McpFetchError(isUnknownTool ? "unavailable" : "transport", String(message ?? error), {
    cause: error,
  });
}

function failureOf(result: ToolResult): McpFetchError {
  const said = result._meta?.[kErrorKey] as Record<string, unknown> | undefined;
  const text = textOf(result).replace(/^Error: /, "");
  const code = typeof said?.code === "string" ? said.code : "tool_error";
  const message = typeof said?.message === "string" ? said.message : text;
  return new McpFetchError(code, message || "The tool failed.", {
    ...(typeof said?.callId === "string" ? { callId: said.callId } : {}),
  });
}

function textOf({ content }: ToolResult): string {
  const first: unknown = Array.isArray(content) ? content[0] : undefined;
  const text = (first as { text?: unknown } | undefined)?.text;
  return typeof text === "string" ? text : "";
}

// Hosts of 2025 and earlier hand on the text only.
function structuredContentOf(result: ToolResult): Record<string, unknown> {
  let content: unknown = result.structuredContent;
  if (content === undefined) {
    try {
      content = JSON.parse(textOf(result));
    } catch {
      // said below
    }
  }
  if (typeof content !== "object" || content === null)
    throw new McpFetchError("bad_answer", "The tool's result has no structured content.");
  return content as Record<string, unknown>;
}

// tools/call over a MessagePort of the host: the same JSON-RPC, without the frames in between.
import type {
  Progress,
  ToolCaller,
  ToolCallOptions,
  ToolCallParams,
  ToolResult,
} from "../calls/tool-caller.ts";

interface Pending {
  resolve(result: ToolResult): void;
  reject(error: unknown): void;
  onProgress: ((progress: Progress) => void) | undefined;
}

interface Message {
  jsonrpc: "2.0";
  id?: number;
  method?: string;
  params?: Record<string, unknown>;
  result?: ToolResult;
  error?: { code: number; message: string; data?: unknown };
}

export class PortCaller implements ToolCaller {
  #port: MessagePort;
  #nextId = 1;
  #pending = new Map<number, Pending>();

  constructor(port: MessagePort) {
    this.#port = port;
    port.onmessage = ({ data }: MessageEvent<Message>) => this.#receive(data);
  }

  callServerTool(params: ToolCallParams, options: ToolCallOptions = {}): Promise<ToolResult> {
    const id = this.#nextId++;
    const { signal, onprogress } = options;
    return new Promise<ToolResult>((resolve, reject) => {
      const onAbort = (): void => {
        this.#post({ method: "notifications/cancelled", params: { requestId: id } });
        this.#pending.delete(id);
        reject(signal?.reason);
      };
      if (signal?.aborted) return reject(signal.reason);
      signal?.addEventListener("abort", onAbort, { once: true });
      const settled = (): void => signal?.removeEventListener("abort", onAbort);
      this.#pending.set(id, {
        resolve: (result) => (settled(), resolve(result)),
        reject: (error) => (settled(), reject(error)),
        onProgress: onprogress,
      });
      const _meta = onprogress === undefined ? {} : { _meta: { progressToken: id } };
      this.#post({ id, method: "tools/call", params: { ...params, ..._meta } });
    });
  }

  #post(message: Omit<Message, "jsonrpc">): void {
    this.#port.postMessage({ jsonrpc: "2.0", ...message });
  }

  #receive({ id, method, params, result, error }: Message): void {
    if (method === "notifications/progress")
      return this.#pending
        .get(Number(params?.progressToken))
        ?.onProgress?.(params as unknown as Progress);
    const pending = id === undefined ? undefined : this.#pending.get(id);
    if (id === undefined || pending === undefined) return;
    this.#pending.delete(id);
    if (error !== undefined) pending.reject(Object.assign(new Error(error.message), error));
    else pending.resolve(result ?? {});
  }
}

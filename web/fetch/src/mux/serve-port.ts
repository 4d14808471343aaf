// The host's end of a port: what comes is called as if it had come from the frame, and audited there.
import { kNoTimeout, type ToolCaller, type ToolCallParams } from "../calls/tool-caller.ts";

interface Request {
  id?: number;
  method?: string;
  params?: ToolCallParams & { requestId?: number; _meta?: { progressToken?: number } };
}

/** Answers `tools/call` on the port. Returns what ends it. */
export function serveToolPort(port: MessagePort, caller: ToolCaller): () => void {
  const running = new Map<number, AbortController>();
  const post = (message: object): void => port.postMessage({ jsonrpc: "2.0", ...message });
  const serve = async (id: number, params: NonNullable<Request["params"]>): Promise<void> => {
    const controller = new AbortController();
    running.set(id, controller);
    const token = params._meta?.progressToken;
    const onprogress =
      token === undefined
        ? {}
        : {
            onprogress: (progress: object) =>
              post({
                method: "notifications/progress",
                params: { ...progress, progressToken: token },
              }),
          };
    try {
      const result = await caller.callServerTool(
        { name: params.name, arguments: params.arguments },
        { ...kNoTimeout, signal: controller.signal, ...onprogress },
      );
      post({ id, result });
    } catch (error) {
      const { code, message } = error as { code?: unknown; message?: unknown };
      const number = typeof code === "number" ? code : -32603;
      post({ id, error: { code: number, message: String(message ?? error) } });
    } finally {
      running.delete(id);
    }
  };
  port.onmessage = ({ data }: MessageEvent<Request>) => {
    const { id, method, params } = data;
    if (method === "notifications/cancelled") running.get(Number(params?.requestId))?.abort();
    else if (method === "tools/call" && id !== undefined && params !== undefined)
      void serve(id, params);
    else if (id !== undefined)
      post({ id, error: { code: -32601, message: `Only tools/call is served here.` } });
  };
  return () => {
    for (const controller of running.values()) controller.abort();
    port.close();
  };
}

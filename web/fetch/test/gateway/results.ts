// Results of tools as the gateway writes them.
import type { ToolResult } from "../../src/calls/tool-caller.ts";

export class ToolFailure extends Error {
  readonly code: string;
  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

export const succeeded = (structuredContent: object): ToolResult => ({
  content: [],
  structuredContent,
});

export function failed(error: unknown): ToolResult {
  const { code, message } = error instanceof ToolFailure ? error : asFailure(error);
  return {
    content: [{ type: "text", text: `Error: ${message}` }],
    isError: true,
    _meta: { "sallyport/error": { code, message, callId: "0123456789abcdef" } },
  };
}

export function asFailure(error: unknown): ToolFailure {
  if (error instanceof ToolFailure) return error;
  const { message, cause } = error as Error;
  return new ToolFailure("upstream_failed", `${message} ${(cause as Error)?.message ?? ""}`.trim());
}

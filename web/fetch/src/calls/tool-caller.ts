// What this package needs of an app: to call tools. `App` of ext-apps is one, a MessagePort of a host
// another (src/mux), a script in a test a third.

export interface ToolCallParams {
  name: string;
  arguments: Record<string, unknown>;
}

export interface Progress {
  progress: number;
  _meta?: Record<string, unknown> | undefined;
}

export interface ToolCallOptions {
  signal?: AbortSignal;
  timeout?: number;
  resetTimeoutOnProgress?: boolean;
  onprogress?: (progress: Progress) => void;
}

// The SDK ends calls after 60 s; fetch() has no timeout. This is the longest that timers can do.
export const kNoTimeout = { timeout: 2 ** 31 - 1, resetTimeoutOnProgress: true };

export interface ToolResult {
  content?: unknown;
  structuredContent?: unknown;
  isError?: boolean | undefined;
  _meta?: Record<string, unknown> | undefined;
}

export interface ToolCaller {
  callServerTool(params: ToolCallParams, options?: ToolCallOptions): Promise<ToolResult>;
}

type TeardownHandler = (params: never, extra: never) => unknown;

/** The parts of `App` that are used where they are there. */
export interface AppLike extends ToolCaller {
  connect?(...args: never[]): Promise<void>;
  getHostCapabilities?(): { experimental?: unknown } | undefined;
  addEventListener?(event: "toolresult", handler: (result: unknown) => void): void;
  removeEventListener?(event: "toolresult", handler: (result: unknown) => void): void;
  onteardown?: TeardownHandler | undefined;
}

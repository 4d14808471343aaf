// What went wrong, as apps see it: a TypeError as of fetch(), whose cause knows the reason.

/** Why a call was not answered: the code and the sentence of the gateway, or of what is between. */
export class McpFetchError extends Error {
  /**
   * Of the gateway: `policy_denied`, `egress_blocked`, `upstream_failed`, `limit_exceeded`, …
   * Of this package: `unavailable` (the server has no such tool), `transport` (the call itself
   * failed), `lost` (the server no longer knows the stream), `closed` (the app ended, or let go of
   * the network), `not_intercepted`, `bad_answer`.
   */
  readonly code: string;
  /** The call in the audit log of the gateway. */
  readonly callId: string | undefined;

  constructor(code: string, message: string, options: { callId?: string; cause?: unknown } = {}) {
    super(message, options);
    this.name = "McpFetchError";
    this.code = code;
    this.callId = options.callId;
  }
}

/** The error of fetch() for everything but an abort. */
export const networkError = (cause: unknown, message = "Failed to fetch"): TypeError =>
  new TypeError(message, { cause });

// These cannot get better by asking again; a TypeError here is never of the network.
const kFinal = new Set([
  "unavailable",
  "policy_denied",
  "egress_blocked",
  "invalid_input",
  "credential_unavailable",
  "not_found",
  "lost",
  "closed",
  "bad_answer",
]);

export const isWorthRetrying = (error: unknown): boolean =>
  !(error instanceof TypeError || (error instanceof McpFetchError && kFinal.has(error.code)));

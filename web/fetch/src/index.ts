// @sallyport/fetch: the network of the web for MCP Apps, over tools/call.
export { McpFetchError } from "./base/errors.ts";
export { factsFrom, kHttpKey, type ServerFacts } from "./calls/discovery.ts";
export type {
  AppLike,
  Progress,
  ToolCaller,
  ToolCallOptions,
  ToolCallParams,
  ToolResult,
} from "./calls/tool-caller.ts";
export type { McpFetchOptions } from "./environment.ts";
export { createMcpEventSource } from "./eventsource/mcp-event-source.ts";
export { createMcpSendBeacon, type SendBeacon } from "./fetch/beacon.ts";
export { createMcpFetch, initMcpFetch, type InitOptions, type McpFetchHandle } from "./init.ts";
export { type Envelope, envelopeOf, isAppMessage, Mux, type MuxEnds } from "./mux/mux.ts";
export { PortCaller } from "./mux/port-caller.ts";
export { createMcpWebSocket } from "./websocket/mcp-websocket.ts";
export { createMcpXmlHttpRequest } from "./xhr/mcp-xml-http-request.ts";

// The page of the host: a real AppBridge before a real Client, as ext-apps has them. `relay` hands on
// progress (which AppBridge does not do by itself), `port` offers a MessagePort, `mcp` names a server of
// another origin.
import { IframeParentTransport } from "@mcp-b/transports";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { AppBridge, PostMessageTransport } from "@modelcontextprotocol/ext-apps/app-bridge";
import { kHttpKey, Mux, serveToolPort } from "../../src/host.ts";

const parameters = new URL(location.href).searchParams;
const kLong = { timeout: 2 ** 31 - 1, resetTimeoutOnProgress: true };

async function start(): Promise<void> {
  // In the stateless era a server may be started again without its clients noticing.
  const mode = parameters.has("stateless") ? "auto" : "legacy";
  const client = new Client(
    { name: "e2e-host", version: "1.0.0" },
    { versionNegotiation: { mode } },
  );
  await client.connect(
    new StreamableHTTPClientTransport(new URL(parameters.get("mcp") ?? "/mcp", location.href)),
  );
  const html = await (await fetch(`/app.html?app=${parameters.get("app") ?? "app"}`)).text();
  const frame = document.createElement("iframe");
  frame.style.cssText = "width:600px;height:300px";
  frame.setAttribute("sandbox", "allow-scripts allow-same-origin allow-forms");
  document.body.append(frame);
  const isRelay = parameters.has("relay");
  const isPort = parameters.has("port");
  const http = { v: 1, tool: "http_request", push: isRelay, inlineMax: 262144, port: isPort };
  const bridge = new AppBridge(
    client,
    { name: "e2e-host", version: "1.0.0" },
    {
      serverTools: {},
      ...(parameters.has("silent") ? {} : { experimental: { [kHttpKey]: http } }),
    },
  );
  bridge.onsandboxready = () => void bridge.sendSandboxResourceReady({ html });
  bridge.oninitialized = () => Object.assign(window, { isReady: true });
  const window_ = frame.contentWindow!;
  await bridge.connect(new PostMessageTransport(window_, window_));
  if (isRelay)
    bridge.oncalltool = (params, extra) => {
      const { progressToken, ...meta } = params._meta ?? {};
      return client.callTool(
        { ...params, _meta: meta },
        {
          ...kLong,
          signal: extra.mcpReq.signal,
          onprogress: (progress) =>
            void extra.mcpReq.notify({
              method: "notifications/progress",
              params: { ...progress, progressToken: progressToken! },
            }),
        },
      );
    };
  let overPort = 0;
  if (isPort) {
    const mux = new Mux({ here: window, there: window_ });
    mux.on(kHttpKey, ({ type }) => {
      if (type !== "port-request") return;
      const { port1, port2 } = new MessageChannel();
      serveToolPort(port1, {
        callServerTool: (params, options = {}) => {
          overPort += 1;
          return client.callTool(params, { ...kLong, ...options } as never);
        },
      });
      mux.send(kHttpKey, "port", undefined, [port2]);
    });
  }
  Object.assign(window, {
    callsOverPort: () => overPort,
    tearDown: async () => {
      await bridge.teardownResource({});
      frame.remove();
    },
    // The same frame, the other protocol.
    callWebMcpTool: async (count: number) => {
      const webmcp = new Client({ name: "e2e-webmcp", version: "1.0.0" });
      await webmcp.connect(new IframeParentTransport({ iframe: frame, targetOrigin: "*" }));
      let right = 0;
      for (let n = 0; n < count; ++n) {
        const result = await webmcp.callTool({ name: "add", arguments: { a: n, b: 1 } });
        if ((result.content as { text: string }[])[0]?.text === String(n + 1)) right += 1;
      }
      await webmcp.close();
      return right;
    },
  });
  const sandbox = new URL(
    `/sandbox.html?mount=${parameters.get("mount") ?? "write"}`,
    location.href,
  );
  sandbox.hostname = "view.localhost"; // another origin than the host's
  frame.src = sandbox.href;
}

start().catch((error: unknown) => {
  document.body.append(`failed: ${String(error)}`);
  console.error(error);
});

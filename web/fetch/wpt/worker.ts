// One file of the suite, in a world like a worker's.
import { runInThisContext } from "node:vm";
import { type MessagePort as NodePort, parentPort, workerData } from "node:worker_threads";
import {
  createMcpEventSource,
  createMcpFetch,
  createMcpWebSocket,
  createMcpXmlHttpRequest,
  PortCaller,
} from "../src/index.ts";

const { harness, scripts, test, location, port } = workerData as {
  harness: string;
  scripts: string[];
  test: string;
  location: string;
  port: NodePort | undefined;
};

process.on("uncaughtException", () => {});
process.on("unhandledRejection", () => {});

const define = (members: object): void => {
  for (const [name, value] of Object.entries(members))
    Object.defineProperty(globalThis, name, {
      value,
      writable: true,
      configurable: true,
      enumerable: false,
    });
};

// What browsers have and this Node has not, for both runs.
define({
  self: globalThis,
  window: globalThis,
  location: new URL(location),
  GLOBAL: { isWorker: () => false, isShadowRealm: () => false, isWindow: () => false },
});
if (!("CloseEvent" in globalThis))
  define({
    CloseEvent: class CloseEvent extends Event {
      constructor(type: string, init: CloseEventInit = {}) {
        super(type, init);
        const { code = 0, reason = "", wasClean = false } = init;
        for (const [name, value] of Object.entries({ code, reason, wasClean }))
          Object.defineProperty(this, name, { value, enumerable: true });
      }
    },
  });
// Where `new Request("/x")` leads: undici has a global for it.
Object.defineProperty(globalThis, Symbol.for("undici.globalOrigin.1"), {
  value: new URL(location),
  configurable: true,
});

if (port !== undefined) {
  const app = new PortCaller(port as unknown as MessagePort);
  const options = { baseUrl: location };
  define({
    fetch: createMcpFetch(app, options),
    WebSocket: createMcpWebSocket(app, options),
    EventSource: createMcpEventSource(app, options),
    XMLHttpRequest: createMcpXmlHttpRequest(app, options),
  });
}

interface Result {
  name: string;
  status: number;
  message: string | null;
}
const harnessGlobals = globalThis as unknown as {
  add_result_callback(callback: (result: Result) => void): void;
  add_completion_callback(callback: () => void): void;
};

runInThisContext(harness, { filename: "testharness.js" });
harnessGlobals.add_result_callback(({ name, status, message }) =>
  parentPort!.postMessage({ outcome: { name, status, message: message ?? undefined } }),
);
harnessGlobals.add_completion_callback(() => parentPort!.postMessage({ isDone: true }));
for (const script of scripts) runInThisContext(script);
runInThisContext(test);

// The C++ side in JavaScript: evaluates the bundle in a fresh context without Node's globals and
// runs scripts in it as the sandbox does. Needs --expose-internals --experimental-vm-modules.
import { createHash, createHmac, randomFillSync } from "node:crypto";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import vm from "node:vm";

const require = createRequire(import.meta.url);
const { internalBinding } = require("internal/test/binding");
const util = internalBinding("util");

// Waits until something holds, for a test that would otherwise have to guess how long it takes.
export async function until(condition) {
  const deadline = performance.now() + 10_000;
  while (!condition()) {
    if (performance.now() > deadline) throw new Error("waited in vain");
    await new Promise((resolve) => setImmediate(resolve));
  }
}

export const Kind = {
  Answer: 2,
  Console: 16,
  Call: 17,
  Chunk: 32,
  End: 33,
  Credit: 34,
  Cancel: 35,
};
export const kBundle =
  process.env.TEST_WEB_APIS ?? new URL("../dist/web_apis.js", import.meta.url).pathname;
const script = new vm.Script(readFileSync(kBundle, "utf8"), { filename: "web_apis.js" });

const hashName = (name) => name.toLowerCase().replace("-", "");

export class World {
  // What the gateway of the test does with a frame.
  onSend = () => {};
  frames = [];
  consoleFrames = [];

  // A manual clock stands still while a script runs and jumps to the next alarm when it waits.
  constructor({ manualClock = false, knowsUtf8 = false } = {}) {
    this.manualClock = manualClock;
    this.time = 0;
    this.context = vm.createContext({});
    this.global = vm.runInContext("globalThis", this.context);
    delete this.global.console;
    const inner = vm.runInContext("(bytes) => Uint8Array.from(bytes)", this.context);
    const innerError = vm.runInContext(
      "(m) => Object.assign(new Error(m), { name: 'DataCloneError' })",
      this.context,
    );
    const innerArray = vm.runInContext("(items) => Array.from(items)", this.context);
    this.toInner = (bytes) => inner(bytes);
    let alarm;
    this.host = vm.runInContext("({})", this.context);
    Object.assign(this.host, {
      send: (kind, call, payload) => this.#receive(kind, call, payload),
      now: () => (manualClock ? this.time : performance.now()),
      wake: (at) => {
        clearTimeout(alarm);
        this.alarm = at ?? undefined;
        if (manualClock || at === undefined || at === null) return;
        const fire = () => {
          this.alarm = undefined;
          this.host.onWake();
        };
        alarm = setTimeout(fire, Math.max(0, Math.ceil(at - performance.now())));
        if (this.unref) alarm.unref();
      },
      random: (bytes) => void randomFillSync(bytes),
      digest: (name, bytes) => inner(createHash(hashName(name)).update(bytes).digest()),
      hmac: (name, key, bytes) => inner(createHmac(hashName(name), key).update(bytes).digest()),
      clone: (value, transfer) => {
        try {
          return inner(new Uint8Array(structuredClone(value, { transfer: [...transfer] }))).buffer;
        } catch (error) {
          throw innerError(error.message);
        }
      },
      promiseDetails: (promise) => {
        const [state, value] = util.getPromiseDetails(promise);
        return innerArray(
          state === 0 ? ["pending"] : [state === 1 ? "fulfilled" : "rejected", value],
        );
      },
      entriesOf: (value) => {
        const [entries, isKeyValue] = util.previewEntries(value, true);
        if (!isKeyValue) return innerArray(entries);
        const pairs = [];
        for (let i = 0; i < entries.length; i += 2)
          pairs.push(innerArray([entries[i], entries[i + 1]]));
        return innerArray(pairs);
      },
      proxyDetails: (value) => {
        const details = util.getProxyDetails(value, true);
        return details === undefined ? undefined : innerArray(details);
      },
    });
    if (knowsUtf8) {
      const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
      this.host.decodeUtf8 = (bytes) => decoder.decode(bytes);
      this.host.encodeUtf8 = (text) => inner(Buffer.from(text));
    }
    this.global.__host = this.host;
    const begin = performance.now();
    try {
      script.runInContext(this.context);
    } catch (error) {
      // Without the line of source, which is the whole bundle.
      throw new Error(
        String(error.stack)
          .split("\n")
          .filter((line) => line.length < 300)
          .join("\n"),
      );
    }
    this.evaluationTime = performance.now() - begin;
    delete this.global.__host;
  }

  #receive(kind, call, payload) {
    const frame = { kind, call };
    if (typeof payload === "string")
      Object.assign(frame, { text: payload, json: JSON.parse(payload) });
    else if (payload !== undefined) frame.bytes = Uint8Array.from(payload);
    if (kind === Kind.Console) this.consoleFrames.push(frame.json);
    else this.frames.push(frame);
    this.onSend(frame);
  }

  get output() {
    return this.consoleFrames.map(({ text }) => text);
  }

  // ---- What the gateway says ----
  answer(call, answer) {
    this.host.onFrame(Kind.Answer, call, JSON.stringify(answer));
  }
  chunk(call, bytes) {
    this.host.onFrame(
      Kind.Chunk,
      call,
      this.toInner(typeof bytes === "string" ? Buffer.from(bytes) : bytes),
    );
  }
  end(call, ending) {
    this.host.onFrame(Kind.End, call, ending === undefined ? "" : JSON.stringify(ending));
  }
  credit(call, count) {
    this.host.onFrame(Kind.Credit, call, count);
  }
  cancel(call) {
    this.host.onFrame(Kind.Cancel, call, undefined);
  }

  // ---- A run ----
  async run(
    code,
    {
      apis = { fetch: true, websocket: true, mcp: true },
      session = false,
      name = "script.js",
      timeout = 5000,
      base,
    } = {},
  ) {
    const { host } = this;
    this.consoleFrames = [];
    this.frames = [];
    host.begin({ apis, session, name, base });
    const prepared = host.prepare(code, name, session);
    if (prepared.error) return { error: { ...prepared.error }, prepared };
    this.listen();
    let meta;
    const failed = (error) => ({ error: host.describe(error), thrown: error, prepared });
    let module;
    try {
      module = new vm.SourceTextModule(prepared.source, {
        context: this.context,
        identifier: name,
        initializeImportMeta: (given) => (meta = given),
      });
      await module.link(() => {
        throw new Error("no modules here");
      });
    } catch (error) {
      return failed(error);
    }
    let settled = false;
    let thrown;
    module.evaluate().then(
      () => (settled = true),
      (error) => ((settled = true), (thrown = [error])),
    );
    const deadline = performance.now() + timeout;
    await new Promise((resolve) => setImmediate(resolve));
    for (;;) {
      if (this.manualClock && this.alarm !== undefined) {
        this.time = Math.max(this.time, this.alarm);
        this.alarm = undefined;
        host.onWake();
      }
      await new Promise((resolve) => setImmediate(resolve));
      const failure = host.failure();
      if (failure) return failed(failure[0]);
      if (thrown) return failed(thrown[0]);
      if (!host.isBusy() && settled) break;
      if (performance.now() > deadline)
        return { error: { name: "TestError", message: "timed out" }, prepared };
      if (!host.isBusy() && this.alarm === undefined) {
        return {
          error: { name: "Error", message: "The script waits for something that never happens" },
          prepared,
        };
      }
    }
    if (session) for (const key of prepared.names) this.global[key] = module.namespace[key];
    const text = meta === undefined ? undefined : host.toResult(meta.result);
    return {
      value: text === undefined ? undefined : JSON.parse(text),
      raw: meta?.result,
      prepared,
    };
  }

  // Rejections that nobody handles are told to this world from now on.
  listen() {
    rejections = (type, promise, reason) => this.#rejections(type, promise, reason);
  }

  #rejections(type, promise, reason) {
    if (type === "unhandled") this.host.unhandled(promise, reason);
    else this.host.handledLater(promise);
  }
}

// V8's own callback, as the sandbox has it: Node's events come later, and its test runner takes them
// for failures of the test. Promises of the tests themselves still count.
let rejections = () => {};
const { setPromiseRejectCallback, promiseRejectEvents } = internalBinding("task_queue");
const ours = new Set();
setPromiseRejectCallback((type, promise, reason) => {
  const isOurs = promise instanceof Promise;
  if (type === promiseRejectEvents.kPromiseRejectWithNoHandler) {
    if (!isOurs) return rejections("unhandled", promise, reason);
    ours.add(promise);
    setImmediate(() => {
      if (ours.delete(promise)) throw reason;
    });
  } else if (type === promiseRejectEvents.kPromiseHandlerAddedAfterReject) {
    if (!isOurs) return rejections("handled", promise);
    ours.delete(promise);
  }
  return undefined;
});

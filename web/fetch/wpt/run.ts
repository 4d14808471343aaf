// Runs web-platform-tests twice: on what the platform has, and on what this package makes of it. What the
// first passes and the second does not must be in exceptions.ts, with its reason, and nothing else may.
//
//   node wpt/run.ts [-v] [PATH…]
//
// TEST_SALLYPORT is the gateway to go through; without it, it is the scripted one. TEST_UNDICI_DIR is a checkout of nodejs/undici that has the suite and a server for it (docs/wpt.md). PATH:
// directories or files of the suite instead of the usual ones. -v names every difference.
import { fork } from "node:child_process";
import { existsSync, readdirSync, readFileSync, statSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { MessageChannel, Worker } from "node:worker_threads";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { Sallyport } from "../e2e/servers.ts";
import type { ToolCaller } from "../src/calls/tool-caller.ts";
import { serveToolPort } from "../src/host.ts";
import { ScriptedGateway } from "../test/gateway/scripted-gateway.ts";
import { type Exception, exceptions, kLeftOut } from "./exceptions.ts";

const kDirectories = ["fetch/api", "websockets", "eventsource"];
const kTimeoutMs = 12_000;
const kAtOnce = 3;

const here = dirname(fileURLToPath(import.meta.url));
const undici = process.env.TEST_UNDICI_DIR;
if (undici === undefined) {
  console.error("TEST_UNDICI_DIR must name a checkout of undici with the suite: see docs/wpt.md");
  process.exit(2);
}
const suite = join(undici, "test/fixtures/wpt");
const args = process.argv.slice(2);
const isGateway = process.env.TEST_SALLYPORT !== undefined;
const isVerbose = args.includes("-v");
const named = args.filter((arg) => !arg.startsWith("-"));

export interface Outcome {
  name: string;
  status: number; // 0 passed, 1 failed, 2 timed out, 3 not run
  message?: string;
}

function* filesBelow(path: string): Generator<string> {
  if (statSync(join(suite, path)).isFile()) return void (yield path);
  for (const name of readdirSync(join(suite, path)).sort()) {
    const child = `${path}/${name}`;
    if (statSync(join(suite, child)).isDirectory()) yield* filesBelow(child);
    else if (name.endsWith(".any.js") && !kLeftOut.test(child)) yield child;
  }
}

async function startServer(): Promise<{ url: string; stop: () => void }> {
  const modules = join(undici!, "node_modules");
  if (!existsSync(modules)) symlinkSync(join(here, "../node_modules"), modules); // it imports `ws`
  const script = join(here, "server.mjs");
  const child = fork(script, [join(undici!, "test/wpt/server/websocket.mjs")], { silent: true });
  const url = await new Promise<string>((resolve, reject) => {
    child.once("exit", () => reject(new Error("The server of the suite ended.")));
    child.on("message", (message: { server?: string }) => {
      if (message.server !== undefined) resolve(message.server);
    });
  });
  return { url, stop: () => child.kill() };
}

// Two names of the suite's server for one file.
const kOtherNames: Record<string, string> = {
  "resources/WebIDLParser.js": "resources/webidl2/lib/webidl2.js",
};

const read = (path: string): string => readFileSync(join(suite, kOtherNames[path] ?? path), "utf8");

function metaOf(
  source: string,
  path: string,
  port: string,
): { scripts: string[]; variants: string[] } {
  const scripts: string[] = [];
  const variants: string[] = [];
  for (const [, key, value] of source.matchAll(/^\/\/ META: (\w+)=(.*)$/gm)) {
    // The suite's server has neither TLS nor HTTP/2.
    if (key === "variant" && !/wss|h2/.test(value!)) variants.push(value!.trim());
    if (key !== "script") continue;
    const file = value!.startsWith("/") ? value!.slice(1) : join(dirname(path), value!);
    scripts.push(substituted(read(file), port));
  }
  return { scripts, variants: variants.length > 0 ? variants : [""] };
}

const substituted = (text: string, port: string): string =>
  text.replace(/\{\{([^}]*)\}\}/g, (_, name: string) =>
    name.startsWith("ports") ? port : "localhost",
  );

async function runFile(
  path: string,
  variant: string,
  url: string,
  isWrapped: boolean,
): Promise<Outcome[]> {
  const source = substituted(read(path), new URL(url).port);
  const { scripts } = metaOf(source, path, new URL(url).port);
  const outcomes: Outcome[] = [];
  const { port1, port2 } = new MessageChannel();
  const end = serveToolPort(port1 as unknown as MessagePort, caller);
  const worker = new Worker(join(here, "worker.ts"), {
    workerData: {
      harness: read("resources/testharness.js"),
      scripts,
      test: source,
      location: `${url}/${path}${variant}`,
      port: isWrapped ? port2 : undefined,
    },
    transferList: isWrapped ? [port2] : [],
    execArgv: ["--experimental-eventsource", "--no-warnings"],
    stdout: true,
    stderr: true,
  });
  await new Promise<void>((resolve) => {
    const timer = setTimeout(() => {
      outcomes.push({ name: "(the file)", status: 2, message: "timed out" });
      resolve();
    }, kTimeoutMs);
    worker.on("message", (message: { outcome?: Outcome; isDone?: true }) => {
      if (message.outcome !== undefined) outcomes.push(message.outcome);
      if (message.isDone !== true) return;
      clearTimeout(timer);
      resolve();
    });
    worker.on("error", (error) => {
      outcomes.push({ name: "(the file)", status: 1, message: String(error) });
      clearTimeout(timer);
      resolve();
    });
  });
  await worker.terminate();
  end();
  return outcomes;
}

interface Sum {
  native: number;
  both: number;
  of: number;
  excused: number;
}

const sums = new Map<string, Sum>();
const unexcused: string[] = [];
const allowed = exceptions(isGateway);
const excused = new Map<Exception, number>(allowed.map((each) => [each, 0]));

function count(path: string, native: Outcome[], wrapped: Outcome[]): void {
  const folder = path
    .split("/")
    .slice(0, path.startsWith("fetch/") ? 3 : 1)
    .join("/");
  const sum = sums.get(folder) ?? { native: 0, both: 0, of: 0, excused: 0 };
  sums.set(folder, sum);
  for (const { name, status } of native) {
    if (name === "(the file)") continue;
    sum.of += 1;
    if (status !== 0) continue;
    sum.native += 1;
    const ours = wrapped.find((each) => each.name === name);
    if (ours?.status === 0) {
      sum.both += 1;
      continue;
    }
    const message = ours?.message ?? "was not run";
    const exception = allowed.find((each) => each.path.test(path) && each.name.test(name));
    if (exception !== undefined) {
      sum.excused += 1;
      excused.set(exception, excused.get(exception)! + 1);
    } else {
      unexcused.push(`${path}: ${name}: ${message}`);
    }
    if (isVerbose)
      console.log(`${exception?.reason ?? "UNEXCUSED"}\n  ${path}: ${name}\n  ${message}`);
  }
}

/** Whom the package calls: the gateway by a real client, or the scripted one. */
async function connect(baseUrl: string): Promise<{ caller: ToolCaller; close: () => unknown }> {
  const binary = process.env.TEST_SALLYPORT;
  if (binary === undefined) {
    const gateway = new ScriptedGateway({ baseUrl, allowsAbsolute: true });
    const callServerTool: ToolCaller["callServerTool"] = (params, options = {}) =>
      gateway.call(params, options);
    return { caller: { callServerTool }, close: () => gateway.close() };
  }
  const elsewhere = baseUrl.replace("localhost", "127.0.0.1");
  const server = await new Sallyport(
    binary,
    baseUrl,
    { paths: ["/"] },
    { http_request: { absolute_urls: [elsewhere] }, egress: { open: [new URL(elsewhere).host] } },
  ).listen();
  const client = new Client(
    { name: "wpt", version: "1.0.0" },
    { versionNegotiation: { mode: "auto" } },
  );
  await client.connect(new StreamableHTTPClientTransport(new URL(server.url)));
  const callServerTool: ToolCaller["callServerTool"] = (params, options) =>
    client.callTool(params, { ...options, timeout: 2 ** 31 - 1 } as never);
  return { caller: { callServerTool }, close: () => server.close() };
}

const { url, stop } = await startServer();
const { caller, close } = await connect(url);
const jobs = (named.length > 0 ? named : kDirectories)
  .flatMap((path) => [...filesBelow(path)])
  .flatMap((path) => metaOf(read(path), path, "0").variants.map((variant) => ({ path, variant })));
await Promise.all(
  Array.from({ length: kAtOnce }, async () => {
    for (let job = jobs.shift(); job !== undefined; job = jobs.shift()) {
      if (isVerbose) console.error(job.path, job.variant);
      const native = await runFile(job.path, job.variant, url, false);
      const wrapped = await runFile(job.path, job.variant, url, true);
      count(job.path, native, wrapped);
    }
  }),
);
stop();
await close();

const all: Sum = { native: 0, both: 0, of: 0, excused: 0 };
console.log(
  "| directory | subtests | the platform passes | of these we pass | | excused |\n|---|---:|---:|---:|---:|---:|",
);
const line = (name: string, { native, both, of, excused }: Sum): void =>
  console.log(
    `| ${name} | ${of} | ${native} | ${both} | ${((100 * both) / native).toFixed(1)} % | ${excused} |`,
  );
for (const [folder, sum] of [...sums].sort(([a], [b]) => a.localeCompare(b))) {
  for (const key of ["native", "both", "of", "excused"] as const) all[key] += sum[key];
  line(`\`${folder}\``, sum);
}
line("**all**", all);
for (const [{ path, reason }, times] of excused)
  if (times > 0) console.log(`excused ${times} times: ${reason} (${path.source})`);
for (const each of unexcused) console.log(`not excused: ${each}`);
// What excuses nothing any more could hide what comes back.
const isIdle = (each: Exception): boolean => excused.get(each) === 0 && each.isByChance !== true;
const idle = named.length > 0 ? [] : allowed.filter(isIdle);
for (const { path, reason } of idle) console.log(`excuses nothing: ${reason} (${path.source})`);
process.exit(unexcused.length + idle.length === 0 ? 0 : 1);

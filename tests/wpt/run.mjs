// Runs files of web-platform-tests against the bundle of web APIs and counts.
//
//   node --expose-internals --experimental-vm-modules --no-warnings run.mjs [-v] [PATH…]
//
// TEST_WPT_DIR is the directory of the suite; TEST_WEB_APIS the bundle, if it is not in its own
// folder. PATH: directories or files of the suite instead of the usual ones. -v shows each failure.
import { readFileSync, readdirSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import vm from "node:vm";
import { World } from "../../src/js/web_apis/test/world.mjs";
import { Gateway } from "./gateway.mjs";
import { kHost, substitute } from "./server.mjs";

const kDirectories = [
  "url",
  "urlpattern",
  "encoding",
  "fetch/api/abort",
  "fetch/api/basic",
  "fetch/api/body",
  "fetch/api/headers",
  "fetch/api/redirect",
  "fetch/api/request",
  "fetch/api/response",
  "fetch/api/idlharness.https.any.js",
  "fetch/data-urls",
  "streams",
  "websockets",
  "eventsource",
  "compression",
  "dom/abort",
  "dom/events",
  "FileAPI",
  "xhr/formdata",
  "html/webappapis",
  "WebCryptoAPI/digest/digest.https.any.js",
  "WebCryptoAPI/sign_verify/hmac.https.any.js",
  "WebCryptoAPI/getRandomValues.any.js",
  "WebCryptoAPI/randomUUID.https.any.js",
  "hr-time",
  "user-timing",
  "console",
  "webidl/ecmascript-binding/es-exceptions",
];
// Left out, because there is nothing here that they could be about:
const kLeftOut = new RegExp(
  [
    // APIs that do not exist in this world, or are drafts
    "websockets/stream/",
    "FileAPI/(reading-data-section|fileReader)",
    "url-with-xhr",
    "FileReaderSync",
    "(replacement|unsupported)-encodings",
    "tentative",
    "owning-type",
    "navigator-object",
    "javascript-agent-formalism",
    // a page's origin, referrer and credentials: a script has no page
    "redirect-(referrer|origin|back-to)",
    "/(request-)?referrer",
    "/mode-",
    "mixed-content",
    "target-address-space",
    // a browser's cache, HTTP/2, TLS
    "request-cache",
    "cache\\.https",
    "conditional-get",
    "\\.h2\\.any",
  ].join("|"),
);

const kFileTimeout = Number(process.env.TEST_WPT_TIMEOUT ?? 10_000);

const root = process.env.TEST_WPT_DIR;
if (!root) {
  console.error("TEST_WPT_DIR must name a directory with web-platform-tests: see docs/wpt.md");
  process.exit(2);
}
const args = process.argv.slice(2);
const verbose = args.includes("-v");
const paths = args.filter((arg) => !arg.startsWith("-"));

function* filesBelow(path) {
  if (statSync(join(root, path)).isFile()) return yield path;
  for (const name of readdirSync(join(root, path)).sort()) {
    const child = join(path, name);
    if (statSync(join(root, child)).isDirectory()) yield* filesBelow(child);
    else if (/\.any\.js$/.test(name) && !kLeftOut.test(child)) yield child;
  }
}

function metaOf(source) {
  const meta = { scripts: [], globals: undefined, variants: [] };
  for (const [, key, value] of source.matchAll(/^\/\/ META: (\w+)=(.*)$/gm)) {
    if (key === "script") meta.scripts.push(value.trim());
    else if (key === "global") meta.globals = value.split(",").map((name) => name.trim());
    else if (key === "variant") meta.variants.push(value.trim());
  }
  return meta;
}

// Ours is a world like a worker's: no documents.
const isForUs = ({ globals }) =>
  globals === undefined ||
  globals.some(
    (name) =>
      !name.startsWith("!") && name !== "window" && !/serviceworker|sharedworker/.test(name),
  );

const kPrelude = `
  var GLOBAL = { isWindow: () => false, isWorker: () => false, isShadowRealm: () => false };
  var location = new URL(__base);
  self.location = location;
`;

async function runFile(path, variant) {
  const source = readFileSync(join(root, path), "utf8");
  const meta = metaOf(source);
  const world = new World();
  world.unref = true;
  const base = `http://${kHost}:8000/${path}${variant}`;
  const gateway = new Gateway(world, root);
  world.listen();
  world.host.begin({ apis: { fetch: true, websocket: true, mcp: true }, base });
  world.global.__base = base;
  const evaluate = (text, filename) => vm.runInContext(text, world.context, { filename });
  const results = [];
  let finished = false;
  world.global.__result = (name, status, message) => results.push({ name, status, message });
  world.global.__finished = (status, message) => {
    finished = true;
    if (status !== 0) results.push({ name: "(the file)", status: status === 2 ? 2 : 1, message });
  };
  try {
    evaluate(kPrelude, "prelude.js");
    evaluate(readFileSync(join(root, "resources/testharness.js"), "utf8"), "testharness.js");
    evaluate(
      `setup({ explicit_timeout: true });
       add_result_callback((test) => __result(test.name, test.status, test.message));
       add_completion_callback((tests, status) => __finished(status.status, status.message));`,
      "callbacks.js",
    );
    // Only now, since the harness would take this for a worker with a page above it.
    if (/idlharness/.test(path))
      evaluate(
        "self.DedicatedWorkerGlobalScope = class { static [Symbol.hasInstance](x) { return x === self; } }",
        "worker.js",
      );
    for (const script of meta.scripts) {
      const file = script.startsWith("/") ? script : `/${join(dirname(path), script)}`;
      // The server of the suite has it under this name.
      const stored =
        file === "/resources/WebIDLParser.js" ? "/resources/webidl2/lib/webidl2.js" : file;
      const text = readFileSync(join(root, stored), "utf8");
      evaluate(file.includes(".sub.") ? substitute(text, new URL(base)) : text, file);
    }
    evaluate(path.includes(".sub.") ? substitute(source, new URL(base)) : source, path);
  } catch (error) {
    results.push({
      name: "(the file)",
      status: 1,
      message: String(error?.message ?? error).slice(0, 500),
    });
    finished = true;
  }
  const deadline = performance.now() + kFileTimeout;
  while (!finished && performance.now() < deadline) {
    await new Promise((resolve) => setTimeout(resolve, 1));
    world.host.failure();
  }
  if (!finished) results.push({ name: "(the file)", status: 2, message: "timed out" });
  gateway.close();
  world.host.begin({ apis: {} });
  return results;
}

let allPassed = 0;
let allTotal = 0;
for (const directory of paths.length > 0 ? paths : kDirectories) {
  let passed = 0;
  let total = 0;
  for (const path of filesBelow(directory)) {
    const meta = metaOf(readFileSync(join(root, path), "utf8"));
    if (!isForUs(meta)) continue;
    const variants = meta.variants.filter(
      (variant) => !/wss|h2|include|exclude|^\?\d/.test(variant),
    );
    for (const variant of meta.variants.length === 0 || variants.length === 0 ? [""] : variants) {
      const results = await runFile(path, variant);
      const good = results.filter(({ status }) => status === 0).length;
      passed += good;
      // What a test says it cannot check here (status 3) counts on neither side.
      total += results.filter(({ status }) => status !== 3).length;
      if (!verbose) continue;
      for (const { name, status, message } of results) {
        if (status !== 0 && status !== 3)
          console.log(`  ${path}${variant}: ${name}\n      ${String(message).slice(0, 300)}`);
      }
    }
  }
  allPassed += passed;
  allTotal += total;
  console.log(
    `${directory.padEnd(44)} ${String(passed).padStart(6)} / ${String(total).padEnd(6)} ${((100 * passed) / Math.max(1, total)).toFixed(1)} %`,
  );
}
console.log(
  `${"all".padEnd(44)} ${String(allPassed).padStart(6)} / ${String(allTotal).padEnd(6)} ${((100 * allPassed) / Math.max(1, allTotal)).toFixed(1)} %`,
);
process.exit(0);

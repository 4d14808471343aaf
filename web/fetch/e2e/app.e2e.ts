// One app, several ways: natively, over the scripted server and over the gateway.
import { createHash } from "node:crypto";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Origin } from "../test/support/origin.ts";
import { eventually } from "../test/support/world.ts";
import { chromiumPath, launch, openApp, openNative, type RunningApp } from "./browser.ts";
import { HeapGauge, mostDuring, residentBytes } from "./memory.ts";
import { Nginx } from "./nginx.ts";
import { PageServer } from "./page-server.ts";
import { type McpServerUnderTest, Sallyport, ScriptedServer } from "./servers.ts";

const kMiB = 1024 * 1024;
const kPatienceMs = 15_000; // of a machine that does other work, too
const patternOf = (size: number): string => `/api/pattern?size=${size}`;
const kPattern = Buffer.from(Array.from({ length: kMiB }, (_, n) => n % 251));
const binary = process.env.TEST_SALLYPORT;

if (chromiumPath() === undefined)
  throw new Error("These tests need Chromium: TEST_CHROMIUM names it.");

let browser: Browser;
let pages: PageServer;
let origin: Origin;
let nginx: Nginx | undefined;
let native: unknown;

beforeAll(async () => {
  browser = await launch();
  pages = await new PageServer().listen();
  origin = await new Origin().listen();
  origin.routes.set("/", (_, response) => {
    response.setHeader("content-type", "text/html;charset=utf-8");
    response.end(pages.native);
  });
  origin.routes.set("/api/pattern", async (_, response, url) => {
    const size = Number(url.searchParams.get("size"));
    response.writeHead(200, { "content-length": size, "content-type": "application/octet-stream" });
    for (let at = 0; at < size && !response.destroyed; at += kMiB)
      if (!response.write(kPattern))
        await new Promise((resolve) => response.once("drain", resolve));
    response.end();
  });
  if (binary === undefined || !Nginx.isInstalled) return;
  nginx = await new Nginx().listen();
  nginx.put("pattern.bin", Array<Buffer>(100).fill(kPattern));
  nginx.put("small.json", [Buffer.from('{"ü": 1}')]);
}, 60_000);

afterAll(async () => {
  await browser?.close();
  await pages?.close();
  await origin?.close();
  await nginx?.close();
});

interface Way {
  name: string;
  server: "none" | "scripted" | "sallyport";
  options: string;
}

const kWays: Way[] = [
  { name: "natively", server: "none", options: "" },
  { name: "scripted, pulled", server: "scripted", options: "" },
  { name: "scripted, pushed", server: "scripted", options: "relay" },
  { name: "scripted, by a port", server: "scripted", options: "relay&port" },
  ...(binary === undefined
    ? []
    : [
        { name: "sallyport, pulled", server: "sallyport" as const, options: "stateless" },
        { name: "sallyport, pushed", server: "sallyport" as const, options: "stateless&relay" },
        {
          name: "sallyport, pushed, in the legacy era",
          server: "sallyport" as const,
          options: "relay",
        },
      ]),
];

describe.each(kWays)("$name", ({ name, server: kind, options }) => {
  // The scripted server shows what the package does; how it fares with much, the others do.
  const [down, up] = kind === "scripted" ? [20, 10] : [100, 50];
  const way = encodeURIComponent(name); // tells apart what the origin hears
  let server: McpServerUnderTest | undefined;
  let app: RunningApp;
  let hasStreams = true;

  beforeAll(async () => {
    if (kind === "scripted") server = await new ScriptedServer(origin.url).listen();
    if (kind === "sallyport") {
      const files = { name: "files", base_url: nginx?.url };
      const backends = nginx === undefined ? [] : [files];
      server = await new Sallyport(binary!, origin.url, {}, { backends }).listen();
    }
    hasStreams = (await server?.hasTool("stream_pull")) ?? true;
    if (server !== undefined) pages.target = server.url;
    app =
      server === undefined
        ? await openNative(browser, origin.url)
        : await openApp(browser, pages.url, options);
  }, 60_000);
  afterAll(async () => {
    await app?.page.close();
    await server?.close();
  });

  const needsStreams = (): boolean => hasStreams;

  it("gets JSON, byte for byte", async () => {
    expect(await app.run("getJson")).toEqual({
      status: 200,
      ok: true,
      type: "basic",
      type2: "basic",
      redirected: false,
      text: '{"b":1,  "a": 12345678901234567890, "ü": "\\u00fc"}',
    });
  });

  it("posts JSON, byte for byte", async () => {
    const value = { b: 1, a: ["ü", 2 ** 53] };
    const seen = await app.run("postJson", value);
    expect(seen.sha256).toBe(createHash("sha256").update(JSON.stringify(value)).digest("hex"));
    expect(seen.headers["content-type"]).toBe("application/json");
  });

  it.each([1000, 200_000])("sends a form with a file of %i bytes", async (size) => {
    const back = await app.run("form", size);
    expect(back).toEqual({
      title: "häß",
      name: "ä.bin",
      type: "application/x-test",
      size,
      same: true,
    });
  });

  it("makes 50 requests at once", async () => {
    expect(await app.run("parallel", 50)).toBe(50);
  });

  it("hears why a path is denied", async () => {
    const outcome = await app.run("denied", "/secret");
    if (kind === "none") return void expect(outcome).toEqual({ status: 404 });
    expect(outcome).toMatchObject({
      isTypeError: true,
      message: "Failed to fetch",
      code: "policy_denied",
    });
    expect(outcome.why).toMatch(/does not offer this path/);
  });

  it("aborts what it waits for, and the origin hears of it", async () => {
    const path = `/api/slow?head=60000&way=${way}`;
    const outcome = app.run("abort", path);
    await eventually(() => origin.seen.some(({ url }) => url === path), kPatienceMs);
    await app.run("abortNow");
    expect(await outcome).toEqual({ read: 0, isReason: true });
    await eventually(() => origin.wasCutOff(path), kPatienceMs);
  });

  it("uses XMLHttpRequest and sendBeacon", async () => {
    expect(await app.run("xhr", "/api/echo")).toEqual({ status: 200, response: { a: 1 } });
    const path = `/api/echo?beacon&way=${way}`;
    expect(await app.run("beacon", path)).toBe(true);
    await eventually(
      () => origin.seen.some(({ url, body }) => url === path && String(body) === "ping"),
      kPatienceMs,
    );
  });

  it(
    "behaves as the native one, as far as an app can see",
    { timeout: 40_000 },
    async ({ skip }) => {
      if (!needsStreams()) skip("the server has no streams yet");
      native ??= await (await openNative(browser, origin.url)).run("behaviour");
      const seen = await app.run("behaviour");
      expect(seen).toEqual(native);
    },
  );

  it(`downloads ${down} MB`, { timeout: 120_000 }, async ({ skip }) => {
    if (!needsStreams()) skip("the server has no streams yet");
    if (kind === "sallyport" && nginx !== undefined) skip("it does so from nginx");
    const { size, bad, ms } = await app.run("download", patternOf(down * kMiB));
    expect([size, bad]).toEqual([down * kMiB, 0]);
    console.log(`      ${((size / kMiB / ms) * 1000).toFixed(1)} MiB/s down`);
  });

  it.runIf(kind === "sallyport")("gets files of nginx", async ({ skip }) => {
    if (nginx === undefined) return skip("install nginx-light");
    expect(await app.run("file", `${nginx.url}/small.json`)).toMatchObject({
      whole: [200, "application/json", '{"ü": 1}'],
      part: [206, "bytes 2-4/9", 'ü"'],
      head: [200, "9", ""],
      none: 404,
      server: expect.stringMatching(/^nginx/),
    });
  });

  it.runIf(kind === "sallyport")(
    "downloads 100 MB from nginx and holds but a little of it, here and in the gateway",
    { timeout: 180_000 },
    async ({ skip }) => {
      if (nginx === undefined) return skip("install nginx-light");
      const { pid } = server as Sallyport;
      const gauge = await HeapGauge.of(app.page);
      expect(gauge.count).toBe(2); // the host's page and the app's frames
      const before = { resident: residentBytes(pid), heap: await gauge.heldBytes() };
      const work = app.run("download", `${nginx.url}/pattern.bin`);
      let resident = 0;
      const heap = await mostDuring(work, () => {
        resident = Math.max(resident, residentBytes(pid));
        return gauge.heldBytes();
      });
      const { size, bad, ms } = await work;
      await gauge.close();
      expect([size, bad]).toEqual([100 * kMiB, 0]);
      const grown = { resident: resident - before.resident, heap: heap - before.heap };
      console.log(
        `      ${((size / kMiB / ms) * 1000).toFixed(1)} MiB/s down; ` +
          `the gateway +${mib(grown.resident)}, the pages +${mib(grown.heap)}`,
      );
      expect(grown.resident).toBeLessThan(40 * kMiB);
      expect(grown.heap).toBeLessThan(40 * kMiB);
    },
  );

  it(`uploads ${up} MB`, { timeout: 120_000 }, async ({ skip }) => {
    if (!needsStreams()) skip("the server has no streams yet");
    const { size, sha256, ms } = await app.run("upload", up * kMiB);
    const hash = createHash("sha256");
    for (let n = 0; n < up; ++n) hash.update(kPattern);
    expect([size, sha256]).toEqual([up * kMiB, hash.digest("hex")]);
    console.log(`      ${((size / kMiB / ms) * 1000).toFixed(1)} MiB/s up`);
  });

  it("aborts in the middle of a stream, and the origin sees the close", async ({ skip }) => {
    if (!needsStreams()) skip("the server has no streams yet");
    const path = `/api/slow?count=100000&ms=20&way=${way}`;
    const { read, isReason } = await app.run("abort", path, 10);
    expect(isReason).toBe(true);
    expect(read).toBeGreaterThan(10);
    await eventually(() => origin.wasCutOff(path), kPatienceMs);
  });

  it("chats 10,000 messages in order", { timeout: 60_000 }, async ({ skip }) => {
    if (!needsStreams()) skip("the server has no streams yet");
    const { ms, ...outcome } = await app.run("chat", 10_000);
    expect(outcome).toEqual({
      inOrder: 10_000,
      protocol: "chat",
      code: 3000,
      reason: "done",
      wasClean: true,
    });
    const { median, worst } = await app.run("roundTrips", 50);
    console.log(
      `      10,000 messages in ${ms.toFixed(0)} ms; one there and back ${median.toFixed(1)} ms (worst ${worst.toFixed(1)})`,
    );
  });

  it(
    "hears events over a restart of the server, none twice and none missing",
    { timeout: 60_000 },
    async ({ skip }) => {
      if (!needsStreams()) skip("the server has no streams yet");
      await app.run("startEvents", "/api/events?count=100000&ms=20&retry=200");
      await soon(async () => (await app.run("seenEvents")).length > 10);
      // In the legacy era the host's session is gone then, which is the host's to mend.
      if (kind !== "sallyport" || options.includes("stateless")) await server?.restart();
      const before = (await app.run("seenEvents")).length;
      await soon(async () => (await app.run("seenEvents")).length > before + 20);
      await app.run("stopEvents");
      const seen = await app.run("seenEvents");
      expect(seen).toEqual(seen.map((_, n) => n + 1));
    },
  );
});

const mib = (bytes: number): string => `${(bytes / kMiB).toFixed(1)} MiB`;

async function soon(what: () => Promise<boolean>): Promise<void> {
  const until = Date.now() + 30_000;
  while (!(await what())) {
    if (Date.now() > until) throw new Error(`It did not come true: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

describe("in every kind of frame", () => {
  let server: ScriptedServer;
  beforeAll(async () => {
    server = await new ScriptedServer(origin.url).listen();
    pages.target = server.url;
  });
  afterAll(() => server.close());

  it.each(["write", "srcdoc", "blob", "opaque", "data"])("resolves URLs: %s", async (mount) => {
    const app = await openApp(browser, pages.url, `mount=${mount}`);
    const { status, type } = await app.run("getJson");
    expect([status, type]).toEqual([200, "basic"]);
    expect(await app.run("xhr", "/api/echo")).toMatchObject({ status: 200 });
    const { inOrder } = await app.run("chat", 10);
    expect(inOrder).toBe(10);
    await app.page.close();
  });

  it("lives beside WebMCP in one frame, both at once", { timeout: 30_000 }, async () => {
    const app = await openApp(browser, pages.url, "app=webmcp-app&relay");
    const [right, posts, { inOrder }, { size }] = await Promise.all([
      app.host<number>("callWebMcpTool", 200),
      app.run("parallel", 100),
      app.run("chat", 1000),
      app.run("download", patternOf(5 * kMiB)),
    ]);
    expect([right, posts, inOrder, size]).toEqual([200, 100, 1000, 5 * kMiB]);
    await app.page.close();
  });

  it("uses the port where the host offers one", async () => {
    const app = await openApp(browser, pages.url, "port");
    await soon(async () => {
      await app.run("getJson");
      return (await app.host<number>("callsOverPort")) > 0;
    });
    await app.page.close();
  });

  it("works with a host that says nothing", async () => {
    const app = await openApp(browser, pages.url, "silent");
    expect((await app.run("getJson")).status).toBe(200);
    expect((await app.run("download", patternOf(3 * kMiB))).size).toBe(3 * kMiB);
    await app.page.close();
  });

  it("closes its streams before the frame is gone, and sends what is to be kept alive", async () => {
    const own = await new ScriptedServer(origin.url).listen();
    pages.target = own.url;
    const app = await openApp(browser, pages.url);
    await app.run("startEvents", "/api/events?count=100000&ms=20");
    await soon(async () => (await app.run("seenEvents")).length > 3);
    await app.run("beacon", "/api/slow?head=300&count=0&last");
    await app.host("tearDown");
    // It was waited for: the host hears of the end when the answer is there.
    expect(origin.wasAnswered("/api/slow?head=300&count=0&last")).toBe(true);
    await eventually(() => own.gateway.openStreams === 0, kPatienceMs);
    await app.page.close();
    await own.close();
  });
});

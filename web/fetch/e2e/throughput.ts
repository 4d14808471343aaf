// What an app in Chromium gets of its backend: over the gateway, beside the same app as a plain page.
//
//   TEST_SALLYPORT=sallyport node e2e/throughput.ts [DOWNLOAD_MIB] [UPLOAD_MIB]
//
// Prints a line of JSON for each way. The host's page speaks to the gateway itself: nothing of Node is in
// between, but the backend is of Node.
import { Origin } from "../test/support/origin.ts";
import { chromiumPath, launch, openApp, openNative, type RunningApp } from "./browser.ts";
import { PageServer } from "./page-server.ts";
import { Sallyport } from "./servers.ts";

const kMiB = 1024 * 1024;
const kTimes = 2;
const [down = 200, up = 50] = process.argv.slice(2).map(Number);
const binary = process.env.TEST_SALLYPORT;
if (chromiumPath() === undefined || binary === undefined) {
  console.error("TEST_CHROMIUM and TEST_SALLYPORT must name the programs.");
  process.exit(2);
}

const perSecond = (size: number, ms: number): number =>
  Math.round((size / kMiB / ms) * 10_000) / 10;

async function best(run: () => Promise<{ size: number; ms: number }>, size: number) {
  let most = 0;
  for (let n = 0; n < kTimes; ++n) {
    const seen = await run();
    if (seen.size !== size) throw new Error(`${seen.size} bytes came of ${size}`);
    most = Math.max(most, perSecond(seen.size, seen.ms));
  }
  return most;
}

async function measure(way: string, app: RunningApp): Promise<void> {
  const { median, worst } = await app.run("roundTrips", 200);
  const figures = {
    way,
    download_mib_per_second: await best(() => app.run("drain", down * kMiB), down * kMiB),
    upload_mib_per_second: await best(() => app.run("fill", up * kMiB), up * kMiB),
    message_round_trip_ms: Math.round(median * 100) / 100,
    message_round_trip_worst_ms: Math.round(worst * 100) / 100,
  };
  console.log(JSON.stringify(figures));
  await app.page.close();
}

function addRoutes(origin: Origin, native: string): void {
  const block = Buffer.alloc(kMiB, "pattern");
  origin.routes.set("/", (_, response) => {
    response.setHeader("content-type", "text/html;charset=utf-8");
    response.end(native);
  });
  origin.routes.set("/api/pattern", async (_, response, url) => {
    const size = Number(url.searchParams.get("size"));
    response.writeHead(200, { "content-length": size, "content-type": "application/octet-stream" });
    for (let at = 0; at < size && !response.destroyed; at += kMiB)
      if (!response.write(block)) await new Promise((resolve) => response.once("drain", resolve));
    response.end();
  });
  origin.routes.set("/api/count", async (request, response) => {
    let size = 0;
    for await (const chunk of request) size += (chunk as Buffer).length;
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify({ size }));
  });
}

const browser = await launch();
const pages = await new PageServer().listen();
const origin = await new Origin().listen();
addRoutes(origin, pages.native);
await measure("native", await openNative(browser, origin.url));
for (const [way, options] of [
  ["pulled", "stateless"],
  ["pushed", "relay"],
] as const) {
  const listen = { listen: { allowed_origins: [pages.url] } };
  const gateway = await new Sallyport(binary, origin.url, {}, listen).listen();
  const mcp = encodeURIComponent(gateway.url);
  await measure(way, await openApp(browser, pages.url, `${options}&mcp=${mcp}`));
  await gateway.close();
}
await browser.close();
await pages.close();
await origin.close();

// What others install: the files, their size, and that they work without us.
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";
import { beforeAll, describe, expect, it } from "vitest";
import { kBase, world } from "./support/world.ts";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const read = (file: string): string => readFileSync(join(root, file), "utf8");
const run = (program: string, ...args: string[]): string =>
  execFileSync(program, args, { cwd: root, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });

interface Manifest {
  version: string;
  dependencies?: object;
  devDependencies: Record<string, string>;
  sideEffects: boolean;
}

describe("the package", () => {
  const the = world();
  const manifest = JSON.parse(read("package.json")) as Manifest;

  beforeAll(() => {
    if (!existsSync(join(root, "dist/index.js"))) run(process.execPath, "scripts/build.mjs");
  }, 60_000);

  it("holds what it needs and nothing else", () => {
    const [packed] = JSON.parse(run("npm", "pack", "--dry-run", "--json", "--ignore-scripts")) as [
      { files: { path: string }[] },
    ];
    const files = packed.files.map(({ path }) => path);
    const types = files.filter((path) => path.startsWith("dist/types/"));
    expect(types).toContain("dist/types/index.d.ts");
    expect(types.every((path) => path.endsWith(".d.ts"))).toBe(true);
    expect(files.filter((path) => !path.startsWith("dist/types/")).sort()).toEqual([
      "LICENSE",
      "README.md",
      "dist/host.js",
      "dist/host.js.map",
      "dist/index.js",
      "dist/index.js.map",
      "dist/sallyport-fetch.min.js",
      "dist/sallyport-fetch.min.js.map",
      "package.json",
    ]);
  });

  it("needs nobody at run time, and pins whom it is built with", () => {
    expect(manifest.dependencies).toBe(undefined);
    expect(manifest.sideEffects).toBe(false);
    for (const version of Object.values(manifest.devDependencies))
      expect(version).toMatch(/^\d+\.\d+\.\d+$/);
    expect(read("dist/index.js")).not.toMatch(/^import /m);
  });

  it("is smaller than 15 kB", () => {
    const size = gzipSync(readFileSync(join(root, "dist/sallyport-fetch.min.js")), {
      level: 9,
    }).length;
    expect(size).toBeLessThan(15_000);
  });

  it("can be imported, and used as a script", async () => {
    const module = (await import(pathToFileURL(join(root, "dist/index.js")).href)) as object;
    const script = new Function(
      `${read("dist/sallyport-fetch.min.js")}; return sallyportFetch;`,
    )() as object;
    expect(Object.keys(script).sort()).toEqual(Object.keys(module).sort());
    expect(module).toHaveProperty("initMcpFetch");
  });

  it("works with the short names of the script", async () => {
    type Script = typeof import("../src/index.ts");
    const source = `${read("dist/sallyport-fetch.min.js")}; return sallyportFetch;`;
    const script = new Function(source)() as Script;
    const network = script.initMcpFetch(the.app, { baseUrl: kBase, push: true });
    try {
      expect((await (await fetch("/api/bytes?size=2000000")).arrayBuffer()).byteLength).toBe(
        2_000_000,
      );
      const body = new Uint8Array(600_000);
      expect((await (await fetch("/api/echo", { method: "POST", body })).blob()).size).toBe(
        600_000,
      );
      const socket = new WebSocket("/api/chat");
      const back = new Promise<MessageEvent>((resolve) => (socket.onmessage = resolve));
      socket.onopen = () => socket.send("hi");
      expect((await back).data).toBe("hi");
      const source = new EventSource("/api/events?stay");
      const event = await new Promise<MessageEvent>((resolve) => (source.onmessage = resolve));
      expect(event.data).toBe("price 1\nof 3");
      const request = new XMLHttpRequest();
      request.open("GET", "/api/json");
      await new Promise((resolve) => {
        request.onload = resolve;
        request.send();
      });
      expect(request.status).toBe(200);
    } finally {
      await network.restore();
    }
    expect(the.gateway.openStreams).toBe(0);
  });

  it("loses what is not used", async () => {
    const { outputFiles } = await build({
      stdin: {
        contents: `import { createMcpFetch } from "./dist/index.js"; console.log(createMcpFetch);`,
        resolveDir: root,
      },
      bundle: true,
      minify: true,
      write: false,
      format: "esm",
    });
    const text = outputFiles[0]!.text;
    const has = (word: string): boolean => text.includes(word);
    expect(has("stream_pull")).toBe(true);
    expect(["ws_connect", "sse_connect", "setRequestHeader", "sendBeacon"].filter(has)).toEqual([]);
  });
});

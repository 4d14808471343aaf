// Builds dist/: an ES module, a script with the global `sallyportFetch`, and types.
//
//   node scripts/build.mjs [DIRECTORY]
import { spawnSync } from "node:child_process";
import { rmSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const here = dirname(dirname(fileURLToPath(import.meta.url)));
const out = resolve(process.argv[2] ?? join(here, "dist"));
const common = {
  bundle: true,
  target: "es2022",
  platform: "browser",
  sourcemap: true,
  logLevel: "warning",
};

// Names that are neither on the wire nor seen by an app: short ones in the script that is downloaded.
const kInternal = new RegExp(
  `^(${[
    ...[
      "accept",
      "announce",
      "attach",
      "broken",
      "closeAll",
      "closeStreams",
      "comeFrom",
      "connected",
    ],
    ...[
      "connection",
      "consumed",
      "ended",
      "facts",
      "failed",
      "finish",
      "flushed",
      "gateway",
      "handler",
      "hasStreams",
    ],
    ...[
      "held",
      "isUploaded",
      "isWanted",
      "isWorthAnnouncing",
      "keep",
      "leave",
      "listener",
      "lost",
      "nativeFetch",
      "offer",
    ],
    ...[
      "onProgress",
      "onSent",
      "onUploaded",
      "opening",
      "over",
      "place",
      "pulled",
      "pullMs",
      "pushMs",
      "readFrom",
    ],
    ...["reader", "release", "reroute", "silenceMs", "sizes", "streams", "take"],
  ].join("|")})$`,
);

rmSync(out, { recursive: true, force: true });
const { metafile } = await build({
  ...common,
  entryPoints: [join(here, "src/index.ts"), join(here, "src/host.ts")],
  format: "esm",
  outdir: out,
  metafile: true,
});
const { exports } = Object.values(metafile.outputs).find(({ entryPoint }) =>
  entryPoint?.endsWith("index.ts"),
);
// An object of its own: that of esbuild is for modules, and more than a percent of the script.
await build({
  ...common,
  stdin: {
    contents: `"use strict";
import { ${exports} } from "./src/index.ts";
globalThis.sallyportFetch = { ${exports} };`,
    resolveDir: here,
  },
  format: "iife",
  minify: true,
  mangleProps: kInternal,
  outfile: join(out, "sallyport-fetch.min.js"),
});
const tsc = join(
  dirname(createRequire(import.meta.url).resolve("typescript/package.json")),
  "bin/tsc",
);
const { status } = spawnSync(
  process.execPath,
  [tsc, "-p", join(here, "tsconfig.build.json"), "--outDir", join(out, "types")],
  { stdio: "inherit" },
);
process.exit(status ?? 1);

// Bundles src/main.ts into one script. Usage: node scripts/build.mjs [FILE]
import { readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const here = dirname(dirname(fileURLToPath(import.meta.url)));
const out = process.argv[2] ?? join(here, "dist", "web_apis.js");

// Node's inspector cannot look into proxies, promises and iterators from within the language; our
// host can. The texts are those of the pinned version; another version has to be looked at.
const kInspectorBinding = [
  ["getPromiseDetails:()=>[g,void 0]", "getPromiseDetails:host.getPromiseDetails"],
  ["getProxyDetails:y.getProxyDetails", "getProxyDetails:host.getProxyDetails"],
  ["getOwnNonIndexProperties:function(t,e=2){", "getOwnNonIndexProperties:function(t,e=2){if(host.isHuge(t))return[];"],
  ["previewEntries:t=>[[],!1]", "previewEntries:host.previewEntries"],
];

const inspector = {
  name: "inspector",
  setup(context) {
    context.onLoad({ filter: /node-inspect-extracted\/dist\/inspect\.js$/ }, async ({ path }) => {
      let contents = await readFile(path, "utf8");
      for (const [from, to] of kInspectorBinding) {
        if (contents.split(from).length !== 2) throw new Error(`node-inspect-extracted has no longer: ${from}`);
        contents = contents.replace(from, () => to);
      }
      const binding = join(here, "src/console/inspect-binding.ts");
      return { contents: `const host = require(${JSON.stringify(binding)});\n${contents}`, loader: "js" };
    });
  },
};

await build({
  entryPoints: [join(here, "src/main.ts")],
  outfile: out,
  bundle: true,
  format: "iife",
  target: "es2022",
  platform: "neutral",
  mainFields: ["module", "main"],
  // Names are kept: scripts see those of classes and functions.
  minifySyntax: true,
  minifyWhitespace: true,
  legalComments: "inline",
  charset: "utf8",
  plugins: [inspector],
  logLevel: "warning",
});

// Bundles src/main.ts into one script, and collects the licences of what is in it.
//
//   node scripts/build.mjs [FILE [NODE_MODULES]]
import { mkdir, readFile, readdir, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(dirname(fileURLToPath(import.meta.url)));
const out = resolve(process.argv[2] ?? join(here, "dist", "web_apis.js"));
const modules = resolve(process.argv[3] ?? join(here, "node_modules"));
const { build } = createRequire(join(modules, "anchor.js"))("esbuild");

// Node's inspector cannot look into proxies, promises and iterators from within the language; our
// host can. The texts are those of the pinned version; another version has to be looked at.
const kInspectorBinding = [
  ["getPromiseDetails:()=>[g,void 0]", "getPromiseDetails:host.getPromiseDetails"],
  ["getProxyDetails:y.getProxyDetails", "getProxyDetails:host.getProxyDetails"],
  [
    "getOwnNonIndexProperties:function(t,e=2){",
    "getOwnNonIndexProperties:function(t,e=2){if(host.isHuge(t))return[];",
  ],
  ["previewEntries:t=>[[],!1]", "previewEntries:host.previewEntries"],
];

const inspector = {
  name: "inspector",
  setup(context) {
    context.onLoad({ filter: /node-inspect-extracted\/dist\/inspect\.js$/ }, async ({ path }) => {
      let contents = await readFile(path, "utf8");
      for (const [from, to] of kInspectorBinding) {
        if (contents.split(from).length !== 2)
          throw new Error(`node-inspect-extracted has no longer: ${from}`);
        contents = contents.replace(from, () => to);
      }
      const binding = join(here, "src/console/inspect-binding.ts");
      return {
        contents: `const host = require(${JSON.stringify(binding)});\n${contents}`,
        loader: "js",
      };
    });
  },
};

async function licencesOf(inputs) {
  const packages = new Set();
  for (const input of Object.keys(inputs)) {
    const found = /.*node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(input);
    if (found !== null) packages.add(found[1]);
  }
  let text = "";
  for (const name of [...packages].sort()) {
    const folder = join(modules, name);
    const { version, license } = JSON.parse(await readFile(join(folder, "package.json"), "utf8"));
    const file = (await readdir(folder)).find((entry) => /^licen[cs]e/i.test(entry));
    const full = file === undefined ? "" : await readFile(join(folder, file), "utf8");
    text += `==== ${name} ${version} (${license})\n\n${full.trim()}\n\n`;
  }
  return text;
}

await mkdir(dirname(out), { recursive: true });
const { metafile } = await build({
  entryPoints: [join(here, "src/main.ts")],
  outfile: out,
  bundle: true,
  format: "iife",
  target: "es2022",
  platform: "neutral",
  mainFields: ["module", "main"],
  nodePaths: [modules],
  // Names are kept: scripts see those of classes and functions.
  minifySyntax: true,
  minifyWhitespace: true,
  legalComments: "none",
  // One byte for each character, and V8 reads it where it lies: src/js/sandbox/engine.cpp.
  charset: "ascii",
  plugins: [inspector],
  metafile: true,
  logLevel: "warning",
});
await writeFile(out.replace(/\.js$/, ".licenses.txt"), await licencesOf(metafile.inputs));

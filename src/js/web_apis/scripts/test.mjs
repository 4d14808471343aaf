// Builds the bundle and runs the tests on it. Arguments are passed on to node.
import { spawnSync } from "node:child_process";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(dirname(fileURLToPath(import.meta.url)));
const run = (...args) => {
  const { status } = spawnSync(process.execPath, args, { cwd: here, stdio: "inherit" });
  if (status !== 0) process.exit(status ?? 1);
};
if (process.env.TEST_WEB_APIS === undefined) run(join(here, "scripts/build.mjs"));
// The host of the tests looks into promises and proxies, as the real one does.
run(
  "--expose-internals",
  "--experimental-vm-modules",
  "--no-warnings",
  ...process.argv.slice(2),
  join(here, "test/all.mjs"),
);

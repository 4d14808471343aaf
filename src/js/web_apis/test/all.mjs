// Every file of tests, in one process.
import { readdirSync } from "node:fs";

for (const name of readdirSync(new URL(".", import.meta.url)).sort()) {
  if (name.endsWith(".test.mjs")) await import(new URL(name, import.meta.url));
}

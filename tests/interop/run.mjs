// Builds the client of each language, runs it against our server in both eras, and prints a table.
import fs from 'node:fs';
import path from 'node:path';
import { startServer } from '../peers/server.mjs';
import { buildRoot, languages } from './languages.mjs';
import { isInstalled, prepare, run } from './prepare.mjs';

const kRunMs = 120_000;
const kEras = ['legacy', 'modern'];
const kChecks = 7;

/** One client in one era, against a server of its own, as one row of the table. */
async function check(client, era, total) {
  const server = await startServer();
  let outcome;
  try {
    const [command, args] = client(server.url, era);
    outcome = await run(command, args, { timeout: kRunMs });
  } finally {
    await server.stop();
  }
  const { failed, stdout, stderr } = outcome;
  const find = (pattern) => stdout.match(pattern)?.[1] ?? '?';
  const passed = [...stdout.matchAll(/^ok /gm)].length;
  const failures = stdout.match(/^FAILED .*/gm) ?? [];
  const isGood = !failed && failures.length === 0 && passed === total;
  if (!isGood) console.log(`${stdout}${stderr}`);
  return { sdk: find(/^sdk (.*)$/m), era, protocol: find(/^protocol (.*)$/m), passed, total, isGood };
}

function printTable(rows) {
  const columns = [
    ['SDK and version', ({ sdk }) => sdk],
    ['era', ({ era }) => era],
    ['negotiated', ({ protocol }) => protocol],
    ['checks', ({ passed, total, isGood }) => `${passed}/${total}${isGood ? '' : '  FAILED'}`],
  ];
  const table = [columns.map(([title]) => title), ...rows.map((row) => columns.map(([, cell]) => cell(row)))];
  const widths = columns.map((_, i) => Math.max(...table.map((cells) => cells[i].length)));
  for (const cells of table) console.log(cells.map((cell, i) => cell.padEnd(widths[i])).join('  ').trimEnd());
}

async function main() {
  const wanted = process.argv.slice(2);
  const chosen = languages.filter(({ name }) => wanted.length === 0 || wanted.includes(name));
  if (chosen.length === 0) throw new Error(`there are: ${languages.map(({ name }) => name).join(', ')}`);
  const missing = chosen.filter(({ tool }) => !isInstalled(tool));
  const present = chosen.filter((language) => !missing.includes(language));
  fs.mkdirSync(path.join(buildRoot), { recursive: true });
  await Promise.all(present.map(prepare));
  const rows = [];
  for (const { clients, eras = kEras, checks = kChecks } of present) {
    for (const client of clients) for (const era of eras) rows.push(await check(client, era, checks));
  }
  console.log();
  printTable(rows);
  for (const { name, tool } of missing) {
    console.log(`\n!!! ${name.toUpperCase()} WAS NOT TESTED: ${tool} is not installed on this machine !!!`);
  }
  process.exitCode = rows.every(({ isGood }) => isGood) ? 0 : 1;
}

await main();

// Runs the scenarios for clients against our client, one after the other: a suite as a whole starts
// all of them at once, and overlooks warnings and exit codes.
//
//   tests/conformance/run_client [--set NAME]... [--scenario NAME]
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { buildDir, rootDir } from '../peers/paths.mjs';
import { clientSets } from './client_sets.mjs';

const kScenarioTimeoutMs = 60_000;
const here = path.join(rootDir, 'tests/conformance');
const client = path.join(buildDir, 'conformance_client');
const { values: options } = parseArgs({
  options: { set: { type: 'string', multiple: true }, scenario: { type: 'string' } },
});

async function play(set, scenario, directory) {
  const args = ['-r', path.join(here, 'loopback.cjs'), set.program, 'client', '--command', client];
  args.push('--scenario', scenario, ...set.args, '--timeout', String(kScenarioTimeoutMs));
  const child = spawn(process.execPath, [...args, '-o', directory], {
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: 2 * kScenarioTimeoutMs,
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (piece) => (output += piece));
  const [code] = await once(child, 'close');
  return { passed: code === 0, output };
}

async function playSet(set) {
  const directory = path.join(rootDir, 'build/conformance', set.name.replaceAll(' ', '_'));
  fs.rmSync(directory, { recursive: true, force: true });
  fs.mkdirSync(directory, { recursive: true });
  const started = Date.now();
  const failed = [];
  const scenarios = set.scenarios.filter((name) => !options.scenario || name === options.scenario);
  for (const scenario of scenarios) {
    const { passed, output } = await play(set, scenario, directory);
    if (!passed) failed.push({ scenario, output });
  }
  const total = options.scenario ? scenarios.length : set.total;
  const seconds = ((Date.now() - started) / 1000).toFixed(1);
  console.log(`${set.name} ${scenarios.length - failed.length}/${total}  ${seconds} s`);
  for (const { scenario, output } of failed) {
    console.log(`  FAILED ${scenario}: ${output.trim().split('\n').slice(-8).join(' | ')}`);
  }
  return failed.length === 0 && scenarios.length === total;
}

let allPassed = true;
for (const set of clientSets) {
  if (options.set && !options.set.includes(set.name)) continue;
  allPassed = (await playSet(set)) && allPassed;
}
process.exitCode = allPassed ? 0 : 1;

// Runs one set of scenarios and scores it from the files the suite writes: a scenario passes when it
// ran, wrote its checks, and none of them is a FAILURE.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import path from 'node:path';
import { rootDir } from '../peers/paths.mjs';

const kSetTimeoutMs = 300_000;

export async function runSet(set, url) {
  const directory = path.join(rootDir, 'build/conformance', set.name.replaceAll(/[ :]+/g, '_'));
  fs.rmSync(directory, { recursive: true, force: true });
  fs.mkdirSync(directory, { recursive: true });
  const started = Date.now();
  const { output, exitCode } = await runSuite(set, url, directory);
  const scenarios = readScenarios(directory, output);
  const seconds = ((Date.now() - started) / 1000).toFixed(1);
  return report(set, scenarios, { exitCode, seconds, directory });
}

async function runSuite(set, url, directory) {
  const args = [set.program, 'server', '--url', url, ...set.args, '--output-dir', directory];
  const log = path.join(directory, 'output.log');
  const file = fs.openSync(log, 'w');
  const child = spawn(process.execPath, args, { stdio: ['ignore', file, file], timeout: kSetTimeoutMs });
  const [exitCode, signal] = await once(child, 'exit');
  fs.closeSync(file);
  return { output: fs.readFileSync(log, 'utf8'), exitCode: exitCode ?? `signal ${signal}` };
}

function readScenarios(directory, output) {
  const unscored = unscoredNames(output);
  const names = [...output.matchAll(/^=== Running scenario: (\S+) ===$/gm)].map((match) => match[1]);
  return names.map((name) => {
    const checks = readChecks(directory, name);
    const of = (status) => checks.filter((check) => check.status === status);
    return {
      name,
      isScored: !unscored.has(name),
      failures: checks.length > 0 ? of('FAILURE') : [{ id: 'no checks', errorMessage: 'none was written' }],
      warnings: of('WARNING'),
      isSkipped: checks.length > 0 && checks.every(({ status }) => status === 'SKIPPED'),
    };
  });
}

// The suite names the folder of a scenario server-<scenario>-<time>.
function readChecks(directory, scenario) {
  const isTimeOf = (rest) => /^\d{4}-\d\d-\d\dT[\d-]+Z$/.test(rest);
  const prefix = `server-${scenario}-`;
  const folder = fs
    .readdirSync(directory)
    .find((name) => name.startsWith(prefix) && isTimeOf(name.slice(prefix.length)));
  const file = folder && path.join(directory, folder, 'checks.json');
  return file && fs.existsSync(file) ? JSON.parse(fs.readFileSync(file, 'utf8')) : [];
}

function unscoredNames(output) {
  const [, section = ''] = output.split(/^Not scored for .*$/m);
  return new Set([...section.matchAll(/^\s+[✓✗] (\S+) \(/gmu)].map((match) => match[1]));
}

// Checks that cannot pass are told apart, and must fail, so that nothing else hides behind them.
function splitImpossible(set, scenarios) {
  const named = new Set(set.impossible);
  const isNamed = (scenario, check) => named.delete(`${scenario.name}: ${check.id}`);
  const impossible = scenarios.flatMap((scenario) =>
    scenario.failures.filter((check) => isNamed(scenario, check)),
  );
  return { impossible: new Set(impossible), stale: [...named] };
}

function report(set, scenarios, { exitCode, seconds, directory }) {
  const { impossible, stale } = splitImpossible(set, scenarios);
  const verdict = (check, isScored) =>
    impossible.has(check) ? 'impossible' : isScored ? 'FAILED' : 'FAILED (not scored)';
  const scored = scenarios.filter(({ isScored }) => isScored);
  const passed = scored.filter(({ failures }) => failures.length === 0);
  const failed = scenarios.filter(({ failures }) => failures.length > 0);
  const skipped = scored.filter(({ isSkipped }) => isSkipped).length;
  const lines = [
    `${set.name} ${passed.length}/${set.total}${skipped ? ` (${skipped} skipped)` : ''}  ${seconds} s`,
    ...failed.flatMap(({ name, isScored, failures }) =>
      failures.map((check) => `  ${verdict(check, isScored)} ${describe(name, check)}`),
    ),
    ...scored.flatMap(({ name, warnings }) => warnings.map((check) => `  warning ${describe(name, check)}`)),
  ];
  if (scored.length !== set.total) lines.push(`  FAILED ${scored.length} scored scenarios ran, not ${set.total}`);
  for (const check of stale) lines.push(`  FAILED ${check}: is said to be impossible, but did not fail`);
  const expected = impossible.size > 0 ? 1 : 0;
  if (exitCode !== expected) {
    lines.push(`  FAILED the suite ended with ${exitCode}; see ${path.relative('.', directory)}/`);
  }
  return { lines, passed: !lines.some((line) => line.startsWith('  FAILED')) };
}

const describe = (scenario, { id, errorMessage, description }) =>
  `${scenario}: ${id}: ${String(errorMessage ?? description ?? '').replaceAll(/\s+/g, ' ').slice(0, 300)}`;

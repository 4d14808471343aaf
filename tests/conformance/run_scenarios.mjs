// Runs scenarios of a suite one by one, where no set of the suite has just these: each ends with
// exit code 0 where none of its checks failed.
import { spawn } from 'node:child_process';
import { once } from 'node:events';

const kScenarioTimeoutMs = 120_000;

async function play({ program, args }, scenario, url) {
  const options = { stdio: ['ignore', 'pipe', 'pipe'], timeout: kScenarioTimeoutMs };
  const child = spawn(process.execPath, [program, 'server', '--url', url, '--scenario', scenario, ...args], options);
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (piece) => (output += piece));
  const [exitCode] = await once(child, 'close');
  // A suite that does not know a scenario must not look like a pass.
  const passed = exitCode === 0 && /Passed: [1-9]\d*\/\d+, 0 failed/.test(output);
  return { passed, said: output.trim().split('\n').slice(-6).join(' | ') };
}

/** As runSet() reports. */
export async function runScenarios(set, url) {
  const started = Date.now();
  const failures = [];
  for (const scenario of set.scenarios) {
    const { passed, said } = await play(set, scenario, url);
    if (!passed) failures.push(`  FAILED ${scenario}: ${said}`);
  }
  const { length } = set.scenarios;
  const seconds = ((Date.now() - started) / 1000).toFixed(1);
  const lines = [`${set.name} ${length - failures.length}/${length}  ${seconds} s`, ...failures];
  return { lines, passed: failures.length === 0 };
}

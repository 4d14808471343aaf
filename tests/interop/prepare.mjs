// Builds and installs what is written in other languages.
import { execFile, spawnSync } from 'node:child_process';

const kPrepareMs = 900_000;

export const isInstalled = (tool) => spawnSync('sh', ['-c', `command -v ${tool}`]).status === 0;

export function run(command, args, { timeout, ...options }) {
  return new Promise((resolve) => {
    const done = (error, stdout, stderr) => resolve({ failed: error !== null, stdout, stderr });
    execFile(command, args, { timeout, maxBuffer: 1 << 26, ...options }, done);
  });
}

/** Runs the commands of one of languages.mjs; throws what the first that fails said. */
export async function prepare(language) {
  const started = Date.now();
  for (const [command, args, options] of language.prepare()) {
    const { failed, stdout, stderr } = await run(command, args, { timeout: kPrepareMs, ...options });
    if (failed) throw new Error(`${[command, ...args].join(' ')} failed\n${stdout}${stderr}`);
  }
  language.prepared?.();
  console.log(`${language.name}: ready after ${((Date.now() - started) / 1000).toFixed(0)} s`);
}

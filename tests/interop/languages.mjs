// How the client of each language is built (everything goes into build/interop) and started.
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { rootDir } from '../peers/paths.mjs';

const here = path.dirname(fileURLToPath(import.meta.url));
export const buildRoot = path.join(rootDir, 'build/interop');

const venv = path.join(buildRoot, 'python');
const requirements = path.join(here, 'python/requirements.txt');
const venvStamp = path.join(venv, '.installed');
const requirementsHash = () => createHash('sha256').update(fs.readFileSync(requirements)).digest('hex');
const venvIsCurrent = () => fs.existsSync(venvStamp) && fs.readFileSync(venvStamp, 'utf8') === requirementsHash();

const pythonClient = (sdk) => (url, era) =>
  [path.join(venv, 'bin/python'), [path.join(here, 'python/client.py'), sdk, url, era]];

const python = {
  name: 'python',
  tool: 'python3',
  prepare: () =>
    venvIsCurrent()
      ? []
      : [
          ['python3', ['-m', 'venv', '--clear', venv]],
          // The file lists everything, so there is nothing to resolve.
          [
            path.join(venv, 'bin/pip'),
            ['install', '--quiet', '--disable-pip-version-check', '--no-deps', '--no-compile', '-r', requirements],
          ],
        ],
  prepared: () => fs.writeFileSync(venvStamp, requirementsHash()),
  clients: [pythonClient('mcp'), pythonClient('fastmcp')],
};

const goProgram = path.join(buildRoot, 'go/client');
const go = {
  name: 'go',
  tool: 'go',
  prepare: () => [['go', ['build', '-mod=readonly', '-o', goProgram, '.'], { cwd: path.join(here, 'go') }]],
  clients: [(url, era) => [goProgram, [url, era]]],
};

const cargoTarget = path.join(buildRoot, 'rust');
const rust = {
  name: 'rust',
  tool: 'cargo',
  prepare: () => [
    [
      'cargo',
      ['build', '--quiet', '--locked'],
      { cwd: path.join(here, 'rust'), env: { ...process.env, CARGO_TARGET_DIR: cargoTarget } },
    ],
  ],
  clients: [(url, era) => [path.join(cargoTarget, 'debug/interop-rust'), [url, era]]],
};

const jars = path.join(buildRoot, 'java');
const java = {
  name: 'java',
  tool: 'mvn',
  prepare: () => [
    [
      'mvn',
      ['-q', '-B', `${dependencyPlugin}:copy-dependencies`, `-DoutputDirectory=${jars}`],
      { cwd: path.join(here, 'java') },
    ],
  ],
  clients: [(url, era) => ['java', ['-cp', `${jars}/*`, path.join(here, 'java/Client.java'), url, era]]],
  // It knows no later revision, and cannot cancel.
  eras: ['legacy'],
  checks: 6,
};
const dependencyPlugin = 'org.apache.maven.plugins:maven-dependency-plugin:3.8.1';

export const languages = [python, go, rust, java];

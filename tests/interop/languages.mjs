// How the client of each language is built (everything goes into build/interop) and started.
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { rootDir } from '../peers/paths.mjs';

const here = path.dirname(fileURLToPath(import.meta.url));
export const buildRoot = path.join(rootDir, 'build/interop');

/** The packages of a requirements.txt in an environment of their own, installed when it changed. */
function environment(name, requirements) {
  const folder = path.join(buildRoot, name);
  const stamp = path.join(folder, '.installed');
  const wanted = () => createHash('sha256').update(fs.readFileSync(requirements)).digest('hex');
  const isCurrent = () => fs.existsSync(stamp) && fs.readFileSync(stamp, 'utf8') === wanted();
  // The file lists everything, so there is nothing to resolve.
  const options = ['--quiet', '--disable-pip-version-check', '--no-deps', '--no-compile', '-r', requirements];
  return {
    program: (program) => path.join(folder, 'bin', program),
    prepare: () =>
      isCurrent() ? [] : [['python3', ['-m', 'venv', '--clear', folder]], [path.join(folder, 'bin/pip'), ['install', ...options]]],
    prepared: () => fs.writeFileSync(stamp, wanted()),
  };
}

const pythonSdks = environment('python', path.join(here, 'python/requirements.txt'));
const pythonPackages = environment('servers', path.join(here, 'servers/requirements.txt'));

const pythonClient = (sdk) => (url, era) =>
  [pythonSdks.program('python'), [path.join(here, 'python/client.py'), sdk, url, era]];

const python = {
  name: 'python',
  tool: 'python3',
  prepare: pythonSdks.prepare,
  prepared: pythonSdks.prepared,
  clients: [pythonClient('mcp'), pythonClient('fastmcp')],
  servers: () => ({
    python: [pythonSdks.program('python'), [path.join(here, 'servers/python_sdk.py')]],
  }),
};

/** Servers that others publish; they are no clients. */
export const published = {
  name: 'python servers',
  tool: 'python3',
  prepare: pythonPackages.prepare,
  prepared: pythonPackages.prepared,
  program: pythonPackages.program,
};

const goProgram = path.join(buildRoot, 'go/client');
const goServer = path.join(buildRoot, 'go/server');
const goBuild = (program, source) => [
  'go',
  ['build', '-mod=readonly', '-o', program, source],
  { cwd: path.join(here, 'go') },
];
const go = {
  name: 'go',
  tool: 'go',
  prepare: () => [goBuild(goProgram, '.'), goBuild(goServer, './server')],
  clients: [(url, era) => [goProgram, [url, era]]],
  servers: () => ({ go: [goServer, []] }),
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
  servers: () => ({ rust: [path.join(cargoTarget, 'debug/interop-server'), []] }),
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

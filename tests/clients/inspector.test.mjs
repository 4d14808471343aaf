// The command line of the MCP inspector, in both eras and over each transport.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';
import { conformanceServer, packageDir } from '../peers/paths.mjs';
import { startServer } from '../peers/server.mjs';

const launcher = `${packageDir('@modelcontextprotocol/inspector')}/clients/launcher/build/index.js`;
let server;
let home;

before(async () => {
  home = fs.mkdtempSync(path.join(os.tmpdir(), 'sallyport-inspector-'));
  server = await startServer();
  const stdio = (protocolEra) => ({ command: conformanceServer, args: ['--stdio'], protocolEra });
  const http = (protocolEra) => ({ type: 'streamable-http', url: server.url, protocolEra });
  const mcpServers = {
    'http legacy': http('legacy'),
    'http modern': http('modern'),
    'http auto': http('auto'),
    sse: { type: 'sse', url: `${server.origin}/sse` },
    'stdio legacy': stdio('legacy'),
    'stdio modern': stdio('modern'),
    'stdio auto': stdio('auto'),
  };
  fs.writeFileSync(path.join(home, 'servers.json'), JSON.stringify({ mcpServers }));
});
after(async () => {
  fs.rmSync(home, { recursive: true, force: true });
  await server?.stop();
});

/** Runs the inspector once; gives its exit code and what it printed, read as JSON. */
function inspect(name, ...args) {
  const config = ['--config', path.join(home, 'servers.json'), '--server', name, '--format', 'json'];
  // HOME, so that it neither reads nor writes the settings of who runs the tests.
  const env = { ...process.env, HOME: home, MCP_INSPECTOR_SECRET_STORE: 'memory' };
  return new Promise((resolve) => {
    const done = (error, stdout, stderr) => {
      const line = stdout.trim();
      resolve({ code: error?.code ?? 0, stderr, result: line ? JSON.parse(line).result : undefined });
    };
    execFile(process.execPath, [launcher, '--cli', ...config, ...args], { env, timeout: 60_000 }, done);
  });
}

const call = (name, tool, ...args) =>
  inspect(name, '--method', 'tools/call', '--tool-name', tool, ...args.flatMap((arg) => ['--tool-arg', arg]));

async function usesTheServer(name, version) {
  const initialized = await inspect(name, '--method', 'initialize');
  assert.equal(initialized.code, 0, initialized.stderr);
  assert.equal(initialized.result.protocolVersion, version);

  const listed = await inspect(name, '--method', 'tools/list', '--strict');
  assert.equal(listed.code, 0, listed.stderr);
  assert.ok(listed.result.tools.some((tool) => tool.name === 'greet'));

  const greeted = await call(name, 'greet', 'name=Ada');
  assert.equal(greeted.code, 0, greeted.stderr);
  assert.equal(greeted.result.content[0].text, 'Hello, Ada!');

  const read = await inspect(name, '--method', 'resources/read', '--uri', 'test://static-text');
  assert.equal(read.result.contents[0].text, 'This is the content of the static text resource.');

  const prompted = await inspect(name, '--method', 'prompts/get', '--prompt-name', 'test_simple_prompt');
  assert.equal(prompted.code, 0, prompted.stderr);
  assert.ok(prompted.result.messages.length > 0);

  assert.equal((await call(name, 'test_error_handling')).code, 5);
}

const expected = {
  'http legacy': '2025-11-25',
  'http modern': '2026-07-28',
  'http auto': '2026-07-28',
  sse: '2025-11-25',
  'stdio legacy': '2025-11-25',
  'stdio modern': '2026-07-28',
  'stdio auto': '2026-07-28',
};

describe('inspector', { concurrency: 2 }, () => {
  for (const [name, version] of Object.entries(expected)) {
    test(`${name}: ${version}`, { timeout: 120_000 }, () => usesTheServer(name, version));
  }
});

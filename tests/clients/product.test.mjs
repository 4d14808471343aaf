// The program itself, as its users start it: `sallyport serve` and `sallyport stdio`.
import assert from 'node:assert/strict';
import { after, before, describe } from 'node:test';
import { sallyport } from '../peers/paths.mjs';
import { startServer } from '../peers/server.mjs';
import { check } from './support/behaviours.mjs';
import * as sdk1 from './support/sdk1.mjs';
import * as sdk2 from './support/sdk2.mjs';

function isSallyport(connect, version) {
  check(connect)(`says who it is and what it can do, in ${version}`, async ({ client, ...session }) => {
    assert.match(client.getServerVersion().name, /sallyport/i);
    const { tools } = await client.listTools();
    assert.ok(tools.length > 0);
    for (const tool of tools) {
      assert.match(tool.name, /^[A-Za-z0-9_./-]{1,64}$/);
      assert.ok(tool.description, `${tool.name} has no description`);
      assert.equal(tool.inputSchema.type, 'object');
    }
    await assert.rejects(client.callTool({ name: 'no_such_tool', arguments: {} }), { code: -32602 });
    assert.deepEqual(session.errors, []);
  });
  check(connect)(`negotiates ${version}`, (session) => assert.equal(session.version, version));
}

describe('sallyport serve', () => {
  let server;
  const args = (port) => ['serve', '--port', String(port)];
  before(async () => (server = await startServer({ binary: sallyport, args })));
  after(() => server?.stop());
  isSallyport(() => sdk1.overHttp(server.url), '2025-11-25');
  isSallyport(() => sdk2.overHttp(server.url, 'legacy'), '2025-11-25');
  isSallyport(() => sdk2.overHttp(server.url, 'auto'), '2026-07-28');
});

describe('sallyport stdio', () => {
  isSallyport(() => sdk1.overStdio(sallyport, ['stdio']), '2025-11-25');
  isSallyport(() => sdk2.overStdio(sallyport, ['stdio'], 'auto'), '2026-07-28');
});

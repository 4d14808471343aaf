// Every client era before, every server era behind, over stdio and over HTTP: the same behaviours.
// With TEST_WITHOUT_GATEWAY=1 the clients ask the servers themselves: that checks the checks.
import assert from 'node:assert/strict';
import { after, before, describe } from 'node:test';
import { behavesLikeTheServer, check } from './support/behaviours.mjs';
import { clients } from './support/clients.mjs';
import { alias, allTools, areGoodNames, publicUri, startGateway } from './support/gateway.mjs';
import { entry, ownListening, ownStdio } from './support/upstreams.mjs';

const isDirect = process.env.TEST_WITHOUT_GATEWAY === '1';
const started = {};
let gateway;

before(async () => {
  started.legacy_http = await ownListening('legacy');
  started.modern_http = await ownListening('modern');
  if (isDirect) return;
  gateway = await startGateway({
    servers: [
      entry('legacy_http', started.legacy_http),
      entry('modern_http', started.modern_http),
      ownStdio('legacy_stdio', 'legacy'),
      ownStdio('modern_stdio', 'modern'),
    ],
    // Tools appear in the course of these tests.
    settings: { gateway: { approval: 'off', search: 'off' } },
  });
});
after(async () => {
  await gateway?.stop();
  for (const server of Object.values(started)) await server.stop();
});

const asItIs = { tool: (name) => name, uri: (uri) => uri, prompt: (name) => name };
const behind = (server) => ({
  tool: (name) => alias(server, name),
  uri: (uri) => publicUri(server, uri),
  prompt: (name) => alias(server, name),
});

for (const client of clients) {
  for (const server of ['legacy_http', 'modern_http', ...(isDirect ? [] : ['legacy_stdio', 'modern_stdio'])]) {
    describe(`${client.title} before ${server}`, () => {
      if (isDirect) {
        if (!server.startsWith(client.era)) return;
        behavesLikeTheServer(() => client.connect(started[server].url), client, asItIs);
        return;
      }
      behavesLikeTheServer(() => client.connect(gateway.url), client, behind(server));
      check(() => client.connect(gateway.urlOf(server)))('has a place of its own', async (session) => {
        const names = (await allTools(session)).map(({ name }) => name);
        areGoodNames(names);
        assert.ok(names.includes(alias(server, 'hello')));
        assert.deepEqual(names.filter((name) => !name.startsWith(`mcp_${server}_`)), []);
        assert.equal(await session.text(alias(server, 'hello'), { name: 'alias' }), 'Hello, alias!');
        assert.equal(await session.text('hello', { name: 'original' }), 'Hello, original!');
      });
    });
  }
}

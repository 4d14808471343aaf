// MCP Apps behind the gateway: the page that a tool names is listed and can be read, as a page.
import assert from 'node:assert/strict';
import { after, before, describe } from 'node:test';
import { hasItsPage } from './support/app_pages.mjs';
import { check } from './support/behaviours.mjs';
import { clients } from './support/clients.mjs';
import { alias, allTools, startGateway } from './support/gateway.mjs';
import { stdio } from './support/upstreams.mjs';

const kApps = [
  { server: 'map', program: 'mcp-map-server', tool: 'show-map', page: 'ui://map/cesium-map/mcp-app.html' },
  { server: 'debug', program: 'mcp-server-debug', tool: 'debug-tool', page: 'ui://debug/debug-tool/mcp-app.html' },
  { server: 'clock', program: 'mcp-server-basic-vanillajs', tool: 'get-time', page: 'ui://clock/get-time/mcp-app.html' },
  {
    server: 'monitor',
    program: 'mcp-system-monitor-server',
    tool: 'get-system-info',
    page: 'ui://monitor/system-monitor/mcp-app.html',
  },
  { server: 'words', program: 'mcp-transcript-server', tool: 'transcribe', page: 'ui://words/transcript/mcp-app.html' },
];
let gateway;

before(async () => {
  const servers = kApps.map(({ server, program }) => stdio(server, program, ['--stdio']));
  gateway = await startGateway({ servers, settings: { gateway: { search: 'off' } } });
});
after(() => gateway?.stop());

for (const client of clients) {
  for (const { server, tool, page } of kApps) {
    describe(`${client.title}: ${server}`, () => {
      for (const where of ['/mcp', `/mcp/${server}`]) {
        const url = () => (where === '/mcp' ? gateway.url : gateway.urlOf(server));
        check(() => client.connect(url()))(`names its page on ${where}, lists it, and has it`, async (session) => {
          await hasItsPage(session, { server, tool, page });
        });
      }
    });
  }

  describe(`${client.title}: what pages may do`, () => {
    const it = check(() => client.connect(gateway.url));
    it('leaves the rules of a page as they are', async (session) => {
      const map = (await session.client.readResource({ uri: kApps[0].page })).contents[0];
      assert.ok(map._meta.ui.csp.resourceDomains.length > 0);
      const words = (await session.client.readResource({ uri: kApps[4].page })).contents[0];
      assert.ok(words._meta.ui.permissions.microphone);
    });

    it('keeps who may see a tool, and calls it', async (session) => {
      const tools = await allTools(session);
      const poll = tools.find(({ name }) => name === alias('monitor', 'poll-system-stats'));
      assert.deepEqual(poll._meta.ui.visibility, ['app']);
      const result = await session.call(poll.name, {});
      assert.notEqual(result.isError, true);
      assert.match(await session.text(alias('clock', 'get-time'), {}), /\d{4}-\d\d-\d\d/);
    });
  });
}

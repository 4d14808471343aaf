// The other example servers of MCP Apps behind the gateway: each has its page, and answers a call.
import assert from 'node:assert/strict';
import { after, before, describe } from 'node:test';
import { hasItsPage } from './support/app_pages.mjs';
import { check } from './support/behaviours.mjs';
import { clients, modernClient } from './support/clients.mjs';
import { alias, startGateway } from './support/gateway.mjs';
import { stdio } from './support/upstreams.mjs';

const app = (server, program, tool, folder, says, more = {}) => ({
  server,
  program,
  tool,
  page: `ui://${server}/${folder}/mcp-app.html`,
  says,
  ...more,
});
const basic = (server) =>
  app(server, `mcp-server-basic-${server}`, 'get-time', 'get-time', /^\d{4}-\d\d-\d\dT/);

// Not all at once: each is a Node of its own.
const kBatches = {
  'one app in five frameworks': ['react', 'vue', 'svelte', 'preact', 'solid'].map(basic),
  data: [
    app('budget', 'mcp-budget-allocator-server', 'get-budget-data', 'budget-allocator', /Default Budget/),
    app('scenario', 'mcp-scenario-modeler-server', 'get-scenario-data', 'scenario-modeler', /Available Templates/),
    app('cohorts', 'mcp-cohort-heatmap-server', 'get-cohort-data', 'get-cohort-data', /Average retention/),
    app('customers', 'mcp-customer-segmentation-server', 'get-customer-data', 'customer-segmentation', /cust-0001/),
    // What it reads is out on the Internet, but not this.
    app('wiki', 'mcp-wiki-explorer-server', 'get-first-degree-links', 'wiki-explorer', /error/i, {
      args: { url: 'https://en.wikipedia.invalid/wiki/Nothing' },
    }),
  ],
  media: [
    app('shader', 'mcp-shadertoy-server', 'render-shadertoy', 'shadertoy', /rendered/),
    app('video', 'mcp-video-resource-server', 'play_video', 'video-player', /bunny-1mb/),
    app('three', 'mcp-threejs-server', 'show_threejs_scene', 'threejs', /rendered/),
    app('music', 'mcp-sheet-music-server', 'play-sheet-music', 'sheet-music', /parsed/),
    app('pdf', 'mcp-pdf-server', 'display_pdf', 'pdf-viewer', /PDF/, { called: 'list_pdfs' }),
  ],
};

for (const [title, apps] of Object.entries(kBatches)) {
  describe(title, () => {
    let gateway;

    before(async () => {
      gateway = await startGateway({
        servers: apps.map(({ server, program }) => stdio(server, program, ['--stdio'])),
        settings: { gateway: { search: 'off' } },
      });
    });
    after(() => gateway?.stop());

    for (const client of [clients[0], modernClient]) {
      const it = check(() => client.connect(gateway.url));
      for (const each of apps) {
        it(`${client.title}: ${each.server} has its page, and answers`, async (session) => {
          await hasItsPage(session, each);
          const { content } = await session.call(alias(each.server, each.called ?? each.tool), each.args ?? {});
          assert.match(content[0].text, each.says);
        });
      }
    }
  });
}

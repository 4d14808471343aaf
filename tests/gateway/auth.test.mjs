// A server that wants a token for some of its tools only (OAuth on demand), behind a gateway that has
// none: what is public works, the rest says why it does not.
import assert from 'node:assert/strict';
import { after, before, describe } from 'node:test';
import { check } from './support/behaviours.mjs';
import { clients } from './support/clients.mjs';
import { alias, allResources, allTools, startGateway } from './support/gateway.mjs';
import { entry, listening } from './support/upstreams.mjs';

let server, gateway;
before(async () => {
  server = await listening('mcp-server-lazy-auth', [], { JWT_SECRET: 'a secret of thirty-two bytes, or more' });
  gateway = await startGateway({ servers: [entry('lazy', server)], settings: { gateway: { search: 'off' } } });
});
after(async () => {
  await gateway?.stop();
  await server?.stop();
});

for (const client of clients) {
  describe(client.title, () => {
    const it = check(() => client.connect(gateway.url));
    it('has the public tools and their page', async (session) => {
      const tool = (await allTools(session)).find(({ name }) => name === alias('lazy', 'show_auth_button'));
      const page = tool._meta.ui.resourceUri;
      assert.match(page, /^ui:\/\/lazy\//);
      assert.ok((await allResources(session)).some(({ uri }) => uri === page));
      assert.notEqual((await session.call(tool.name, {})).isError, true);
    });

    it('says that a protected tool wants a token, and goes on', async (session) => {
      const call = session.call(alias('lazy', 'get_secret'), {});
      const outcome = await call.catch((error) => ({ isError: true, content: [{ text: error.message }] }));
      assert.equal(outcome.isError, true);
      assert.match(outcome.content[0].text, /sign in|401|token|authori[sz]/i);
      assert.match(outcome.content[0].text, /lazy/, 'which server it was is not said');
      assert.notEqual((await session.call(alias('lazy', 'show_auth_button'), {})).isError, true);
    });
  });
}

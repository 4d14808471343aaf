// A server that wants a token for some of its tools only (OAuth on demand), behind a gateway that has
// none: what is public works, the rest says why it does not. Then somebody signs in.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { Home } from '../clients/support/program.mjs';
import { browse } from '../peers/browser.mjs';
import { check } from './support/behaviours.mjs';
import { clients } from './support/clients.mjs';
import { alias, allResources, allTools, startGateway } from './support/gateway.mjs';
import { entry, listening } from './support/upstreams.mjs';

let server, gateway;
before(async () => {
  server = await listening('mcp-server-lazy-auth', [], { JWT_SECRET: 'a secret of thirty-two bytes, or more' });
  // It takes whatever id a client has, and registers none.
  const lazy = { ...entry('lazy', server), oauth: { client_id: 'sallyport-test' } };
  gateway = await startGateway({ servers: [lazy], settings: { gateway: { search: 'off' } } });
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

// What a person does with the page that the server shows: agrees.
async function agree(url) {
  const page = await (await browse(url)).text();
  const [, link] = /class="btn approve"[^>]*href="([^"]+)"/.exec(page);
  return browse(link.replaceAll('&amp;', '&'));
}

describe('once somebody has signed in', () => {
  before(async () => {
    const home = new Home();
    home.folder = gateway.state;
    const login = home.start(['servers', 'login', 'lazy', '--no-browser', '--config', gateway.settings]);
    await agree((await login.said(/^http:\S+$/m))[0]);
    const { code, err } = await login.ended();
    assert.equal(code, 0, err);
  });

  const secretFor = async (client) => {
    const session = await client.connect(gateway.url);
    try {
      return await session.call(alias('lazy', 'get_secret'), {});
    } finally {
      await session.close();
    }
  };

  for (const client of clients) {
    test(`gives ${client.title} what it protects`, async () => {
      const outcome = await secretFor(client);
      assert.notEqual(outcome.isError, true, JSON.stringify(outcome));
    });
  }

  test('says that somebody has to sign in again when it has ended the sign-in', async () => {
    const session = await clients[0].connect(gateway.url);
    assert.notEqual((await session.call(alias('lazy', 'revoke_auth_token'), {})).isError, true);
    await session.close();
    const outcome = await secretFor(clients[0]).catch((error) => ({ isError: true, content: [{ text: error.message }] }));
    assert.equal(outcome.isError, true);
    assert.match(outcome.content[0].text, /sallyport servers login lazy/);
  });
});

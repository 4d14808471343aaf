// Tokens that are revoked in the middle of a load: an access token alone, then the whole sign-in. Of
// an authorization server, a guarded server behind the gateway and the clients, nothing is ours.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { Home } from '../clients/support/program.mjs';
import { eventually } from '../clients/support/session.mjs';
import { browse } from '../peers/browser.mjs';
import { AuthorizationServer } from './support/authorization_server.mjs';
import { clients } from './support/clients.mjs';
import { alias, startGateway } from './support/gateway.mjs';
import { entry, ownGuarded, ownStdio } from './support/upstreams.mjs';

const kOptions = { timeout: 120_000 };
const kCallers = 2;  // of each client, to each server
const kGuarded = 'vault';
const kOther = 'other';

/** Calls of all clients to both servers, one after another, until it is stopped. */
class Load {
  calls = [];
  #isOver = false;
  #callers;

  static async start(url) {
    const load = new Load();
    load.sessions = await Promise.all(clients.map(({ connect }) => connect(url)));
    load.#callers = load.sessions.flatMap((session) =>
      [kGuarded, kOther].flatMap((server) =>
        Array.from({ length: kCallers }, () => load.#call(session, server)),
      ),
    );
    return load;
  }

  async #call(session, server) {
    for (let i = 0; !this.#isOver; ++i) {
      const call = { server, begun: Date.now() };
      this.calls.push(call);
      try {
        const result = await session.call(alias(server, 'hello'), { name: `${i}` });
        const text = result.content[0].text;
        if (result.isError || text !== `Hello, ${i}!`) call.failure = text;
      } catch (error) {
        call.failure = error.message;
      }
      call.ms = Date.now() - call.begun;
      await sleep(5);
    }
  }

  ended(server, since = 0) {
    return this.calls.filter((call) => call.server === server && call.ms !== undefined && call.begun >= since);
  }

  failures(server, since = 0) {
    return this.ended(server, since).filter(({ failure }) => failure !== undefined);
  }

  /** Until each caller has had answers of calls that began after now. */
  async goesOn(server, many = 60) {
    const since = Date.now();
    await eventually(() => this.ended(server, since).length >= many, `${many} calls of ${server} end`, 20_000);
    return since;
  }

  async stop() {
    this.#isOver = true;
    await Promise.all(this.#callers);
    for (const session of this.sessions) await session.close().catch(() => {});
  }
}

/** How often each failure is among them. */
const summary = (calls) => {
  const groups = Object.groupBy(calls, ({ failure }) => failure ?? '');
  return Object.fromEntries(Object.entries(groups).map(([failure, { length }]) => [failure, length]));
};

for (const which of ['legacy', 'modern']) {
  describe(`a ${which} server that lets in who has a token`, () => {
    let authority, guarded, gateway, home, load;
    before(async () => {
      authority = await AuthorizationServer.start();
      guarded = await ownGuarded(which, authority);
      gateway = await startGateway({
        servers: [entry(kGuarded, guarded), ownStdio(kOther, 'modern')],
        settings: { egress: { open: [authority.host] } },
        isReady: (names) => names.includes(alias(kOther, 'hello')),
      });
      home = new Home();
      home.folder = gateway.state;
    });
    after(async () => {
      await load?.stop();
      await gateway?.stop();
      await guarded?.stop();
      await authority?.stop();
    });

    const sallyport = (...args) => home.run('servers', ...args, '--config', gateway.settings);
    async function signIn() {
      const login = home.start(['servers', 'login', kGuarded, '--no-browser', '--config', gateway.settings]);
      await browse((await login.said(/^http:\S+$/m))[0]);
      const { code, err } = await login.ended();
      assert.equal(code, 0, err);
    }
    async function readyz() {
      return (await (await fetch(`${gateway.origin}/readyz`)).json()).servers[kGuarded];
    }
    async function inTheList() {
      const { _meta } = await load.sessions.at(-1).client.listTools();
      return _meta['sallyport/servers'][kGuarded];
    }
    async function isReady() {
      return (await readyz()).state === 'ready';
    }

    test('is there once somebody has signed in', kOptions, async () => {
      assert.equal((await readyz()).state, 'needs sign-in');
      await signIn();
      await eventually(isReady, 'it is ready', 20_000);
      load = await Load.start(gateway.url);
      await load.goesOn(kGuarded);
      assert.deepEqual(summary(load.failures(kGuarded)), {});
    });

    test('goes on with another access token when one is revoked', kOptions, async () => {
      authority.forgetCounts();
      await authority.revokeAccessToken();
      await load.goesOn(kGuarded, 200);
      await load.goesOn(kOther);
      console.log(Object.fromEntries(authority.counts), authority.tokenRequests, load.calls.length);
      assert.deepEqual(summary(load.failures(kGuarded)), {});
      assert.deepEqual(summary(load.failures(kOther)), {});
      assert.deepEqual(authority.tokenRequests, [{ grant_type: 'refresh_token', status: 200 }]);
    });

    test('says that somebody has to sign in when the sign-in is revoked', kOptions, async () => {
      authority.forgetCounts();
      const begun = Date.now();
      await authority.revokeGrant();
      const revoked = Date.now();
      const since = await load.goesOn(kGuarded, 500);
      await load.goesOn(kOther);
      console.log(Object.fromEntries(authority.counts), authority.tokenRequests, load.calls.length);
      console.log(await readyz(), await inTheList());
      console.log((await sallyport('list')).out);
      console.log((await sallyport('test', kGuarded)).out);
      console.log((await sallyport('list')).out);
      console.log(Object.entries(Object.groupBy(load.ended(kGuarded, begun), (c) => c.failure ?? '')).map(([k, v]) => [k, v.length, Math.max(...v.map(c=>c.ms)), v[0].begun-begun, v.at(-1).begun-begun]));
      await sleep(12000);
      console.log(Object.entries(Object.groupBy(load.ended(kGuarded, begun), (c) => c.failure ?? '')).map(([k, v]) => [k, v.length, Math.max(...v.map(c=>c.ms)), v[0].begun-begun, v.at(-1).begun-begun]));
      console.log(Object.fromEntries(authority.counts), authority.tokenRequests, load.calls.length);
      console.log(await readyz(), await inTheList());
    });

    test('is back once somebody has signed in again', kOptions, async () => {
      await signIn();
      const since = await load.goesOn(kGuarded, 500);
      assert.deepEqual(summary(load.failures(kGuarded, since)), {});
      await eventually(isReady, 'it is ready', 70_000);
    });
  });
}

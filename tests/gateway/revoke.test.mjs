// Tokens that are revoked in the middle of a load: an access token alone, then the whole sign-in. The
// authorization server is oidc-provider; server and clients are on the TypeScript SDKs.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { Home } from '../clients/support/program.mjs';
import { eventually } from '../clients/support/session.mjs';
import { browse } from '../peers/browser.mjs';
import { AuthorizationServer } from './support/authorization_server.mjs';
import { clients } from './support/clients.mjs';
import { alias, startGateway, untilListed } from './support/gateway.mjs';
import { entry, ownGuarded, ownStdio } from './support/upstreams.mjs';

const kOptions = { timeout: 150_000 };
const kCallers = 2; // of each client, to each server
const kSoon = 60_000; // on a machine that is busy
const kGuarded = 'vault';
const kOther = 'other';
const kMetadata = '/.well-known/oauth-authorization-server';

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

  /** Waits until `many` calls have ended that began after now, and says when that was. */
  async goesOn(server, many = 40) {
    const since = Date.now();
    await eventually(() => this.ended(server, since).length >= many, `${many} calls of ${server} end`, kSoon);
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

    async function signIn() {
      const login = home.start(['servers', 'login', kGuarded, '--no-browser', '--config', gateway.settings]);
      await browse((await login.said(/^http:\S+$/m))[0]);
      const { code, err } = await login.ended();
      assert.equal(code, 0, err);
    }
    async function inReadyz() {
      return (await (await fetch(`${gateway.origin}/readyz`)).json()).servers[kGuarded];
    }
    // By a client of an older revision: the others may keep a list for a minute.
    async function inTheList() {
      const { _meta } = await load.sessions[0].client.listTools();
      return _meta['sallyport/servers'][kGuarded];
    }
    async function onTheCommandLine() {
      const { out } = await home.run('servers', 'list', '--json', '--config', gateway.settings);
      return JSON.parse(out).find(({ name }) => name === kGuarded);
    }
    const becomes = async (wanted) => {
      await eventually(async () => (await inReadyz()).state === wanted, `/readyz says ${wanted}`, kSoon);
      await eventually(async () => (await inTheList()).state === wanted, `tools/list says ${wanted}`, kSoon);
    };

    // Whoever is refused between the end of a search and the renewal that it was for looks again.
    const leftAlone = () => assert.ok(authority.count(kMetadata) <= 3, `asked ${authority.count(kMetadata)} times`);

    test('is there once somebody has signed in', kOptions, async () => {
      assert.equal((await inReadyz()).state, 'needs sign-in');
      assert.equal((await onTheCommandLine()).sign_in, 'needed');
      await signIn();
      assert.equal((await onTheCommandLine()).sign_in, 'done');
      await untilListed(gateway.url, (names) => names.includes(alias(kGuarded, 'hello')), kSoon);
      load = await Load.start(gateway.url);
      await load.goesOn(kGuarded);
      assert.deepEqual(summary(load.failures(kGuarded)), {});
    });

    test('goes on with another access token when one is revoked', kOptions, async () => {
      authority.forgetCounts();
      await authority.revokeAccessToken();
      await load.goesOn(kGuarded);
      await load.goesOn(kOther);
      assert.deepEqual(summary(load.failures(kGuarded)), {});
      assert.deepEqual(authority.tokenRequests, [{ grant_type: 'refresh_token', status: 200 }]);
      leftAlone();
      assert.equal((await inReadyz()).state, 'ready');
    });

    test('says that somebody has to sign in when the sign-in is revoked', kOptions, async () => {
      authority.forgetCounts();
      await authority.revokeGrant();
      const revoked = await load.goesOn(kGuarded, 150);
      await load.goesOn(kOther);
      const refused = load.ended(kGuarded, revoked);
      for (const { failure, ms } of refused) {
        assert.match(failure, /^vault.* sign in with `sallyport servers login vault`\.$/);
        assert.ok(ms < 15_000, `it took ${ms} ms`);
      }
      await becomes('needs sign-in');
      assert.match((await inReadyz()).error, /sallyport servers login vault/);
      // Renewals are ten seconds apart, whatever becomes of them.
      const isKnown = async () => (await onTheCommandLine()).sign_in === 'needed';
      await eventually(isKnown, 'the command line says so', kSoon);
      await load.goesOn(kGuarded);
      assert.deepEqual(authority.tokenRequests, [{ grant_type: 'refresh_token', status: 400 }]);
      leftAlone();
    });

    test('is back once somebody has signed in again', kOptions, async () => {
      await signIn();
      const since = await load.goesOn(kGuarded);
      assert.deepEqual(summary(load.failures(kGuarded, since)), {});
      await becomes('ready');
      assert.equal((await onTheCommandLine()).sign_in, 'done');
    });

    test('never kept anybody from the other server', kOptions, async () => {
      const calls = load.ended(kOther);
      assert.ok(calls.length > 100, `there were ${calls.length}`);
      assert.deepEqual(summary(load.failures(kOther)), {});
      const longest = Math.max(...load.calls.map(({ ms }) => ms ?? 0));
      assert.ok(longest < 30_000, `a call took ${longest} ms`);
    });
  });
}

// Servers that are not there, slow, killed, stopped or started again: the others go on, and what
// cannot be answered says so.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import net from 'node:net';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { eventually } from '../clients/support/session.mjs';
import { freePort } from '../peers/server.mjs';
import { clients, hearChanges, modernClient } from './support/clients.mjs';
import { alias, allTools, startGateway } from './support/gateway.mjs';
import { entry, ownListening, ownStdio } from './support/upstreams.mjs';

const kOptions = { timeout: 120_000 };
// Much more than anything here takes, and much less than what it would wait for.
const kSoon = 30_000;

/** The error or the failed result that a call ends with, as text, and how long that took. */
async function failureOf(call) {
  const begun = Date.now();
  const outcome = await call.then((result) => ({ result }), (error) => ({ error }));
  const ms = Date.now() - begun;
  if (outcome.error) return { text: outcome.error.message, ms };
  assert.equal(outcome.result.isError, true, `it did not fail: ${JSON.stringify(outcome.result)}`);
  return { text: outcome.result.content[0].text, ms };
}

/** Runs `body(gateway, session, started)`, then ends everything. */
async function withGateway({ servers, client = modernClient, started = [], ...options }, body) {
  let gateway, session;
  try {
    gateway = await startGateway({ servers, ...options });
    session = await client.connect(gateway.url);
    await body(gateway, session);
  } finally {
    await session?.close().catch(() => {});
    await gateway?.stop();
    for (const server of started) await server.stop?.().catch(() => {});
  }
}

/** Takes connections and never says a word. */
async function silentServer() {
  const sockets = new Set();
  const server = net.createServer((socket) => {
    sockets.add(socket.on('error', () => {}));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const stop = async () => {
    for (const socket of sockets) socket.destroy();
    server.close();
  };
  return { port: server.address().port, stop };
}

test('neither a server that is not there nor one that says nothing keeps the others', kOptions, async () => {
  const silent = await silentServer();
  const dead = { port: await freePort() };
  const servers = [
    entry('dead', dead),
    { ...entry('silent', silent), timeout: '90s' },
    { name: 'no_program', command: '/no/such/program' },
    { name: 'ends', command: '/bin/false' },
    ownStdio('good', 'modern'),
  ];
  const isReady = (names) => names.some((name) => name.startsWith('mcp_good_'));
  await withGateway({ servers, started: [silent], isReady }, async (gateway, session) => {
    for (let i = 0; i < 5; ++i) {
      assert.ok((await allTools(session)).some(({ name }) => name === alias('good', 'hello')));
    }
    const { silent: stillAsked } = (await (await fetch(`${gateway.origin}/readyz`)).json()).servers;
    assert.equal(stillAsked.state, 'connecting', 'the list waited for the silent one');
    assert.equal(await session.text(alias('good', 'hello'), { name: 'you' }), 'Hello, you!');
    await assert.rejects(session.call(alias('dead', 'hello'), {}), { code: -32602 });
  });
});

for (const which of ['legacy', 'modern']) {
  test(`a ${which} program that is killed in mid-call is started again`, kOptions, async () => {
    const servers = [ownStdio('victim', which), ownStdio('other', 'modern')];
    await withGateway({ servers }, async (_, session) => {
      const pid = Number(await session.text(alias('victim', 'pid'), {}));
      const wait = () => failureOf(session.call(alias('victim', 'slow'), { seconds: 60 }));
      const waiting = Array.from({ length: 5 }, wait);
      await eventually(async () => (await session.text(alias('victim', 'running'), {})) === '5', 'five calls run');
      const failed = [];
      let isOver = false;
      const load = Array.from({ length: 4 }, async () => {
        for (let i = 0; !isOver; ++i) {
          await session.text(alias('other', 'hello'), { name: `${i}` }).catch((error) => failed.push(error.message));
        }
      });
      process.kill(pid, 'SIGKILL');
      for (const { text, ms } of await Promise.all(waiting)) {
        assert.match(text, /victim/, 'which server ended is not said');
        assert.ok(ms < kSoon, `it took ${ms} ms`);
      }
      let again;
      const isBack = async () => {
        again = await session.text(alias('victim', 'pid'), {}).catch(() => undefined);
        return again !== undefined;
      };
      await eventually(isBack, 'the program is back', kSoon);
      isOver = true;
      await Promise.all(load);
      assert.notEqual(Number(again), pid);
      assert.deepEqual(failed, []);
    });
  });

  test(`a call of a ${which} HTTP server that stopped answering ends in time`, kOptions, async () => {
    const stopped = await ownListening(which);
    const servers = [
      { ...entry('stopped', stopped), call_timeout: '2s', timeout: '2s' },
      ownStdio('other', 'modern'),
    ];
    await withGateway({ servers, started: [stopped] }, async (_, session) => {
      try {
        assert.equal(await session.text(alias('stopped', 'hello'), { name: 'a' }), 'Hello, a!');
        process.kill(stopped.pid, 'SIGSTOP');
        const call = failureOf(session.call(alias('stopped', 'hello'), { name: 'b' }));
        assert.equal(await session.text(alias('other', 'hello'), { name: 'c' }), 'Hello, c!');
        const { text, ms } = await call;
        assert.match(text, /stopped/, 'which server it was is not said');
        assert.match(text, /too long|time|answer/i);
        assert.ok(ms > 1_500 && ms < kSoon, `it took ${ms} ms`);
      } finally {
        process.kill(stopped.pid, 'SIGCONT');
      }
      const isBack = () => session.text(alias('stopped', 'hello'), { name: 'd' }).then(() => true, () => false);
      await eventually(isBack, 'it answers again', kSoon);
    });
  });

  for (const client of [clients[0], modernClient]) {
    test(`${client.title}: the next call after a restart of a ${which} HTTP server works`, kOptions, async () => {
      let server = await ownListening(which);
      const started = [server];
      const servers = [entry('restarted', server)];
      await withGateway({ servers, client, started }, async (_, session) => {
        assert.equal(await session.text(alias('restarted', 'hello'), { name: 'a' }), 'Hello, a!');
        await server.kill();
        const { text } = await failureOf(session.call(alias('restarted', 'hello'), { name: 'b' }));
        assert.match(text, /restarted/, 'which server it was is not said');
        server = await ownListening(which, server.port);
        started.push(server);
        assert.equal(await session.text(alias('restarted', 'hello'), { name: 'c' }), 'Hello, c!');
      });
    });

    test(`${client.title}: hears of a ${which} server that comes later`, kOptions, async () => {
      const port = await freePort();
      const servers = [entry('late', { port }), ownStdio('other', 'modern')];
      const isReady = (names) => names.some((name) => name.startsWith('mcp_other_'));
      const started = [];
      await withGateway({ servers, client, isReady, started }, async (_, session) => {
        const told = await hearChanges(session, client);
        await sleep(500);
        started.push(await ownListening(which, port));
        await eventually(() => told() > 0, 'the change is told', 40_000);
        assert.equal(await session.text(alias('late', 'hello'), { name: 'a' }), 'Hello, a!');
      });
    });
  }
}

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
import { programBelow } from './support/processes.mjs';
import { entry, listening, ownListening, ownStdio, stdio } from './support/upstreams.mjs';

const kOptions = { timeout: 120_000 };
// Much more than anything here takes, and much less than what it would wait for.
const kSoon = 30_000;

// A tool that says a word back.
const ours = { tool: 'hello', args: (name) => ({ name }), answer: (name) => `Hello, ${name}!` };
const everything = { tool: 'echo', args: (message) => ({ message }), answer: (message) => `Echo: ${message}` };
const memory = {
  tool: 'search_nodes',
  args: (query) => ({ query }),
  answer: () => JSON.stringify({ entities: [], relations: [] }, null, 2),
};
const say = (session, server, { tool, args }, word) => session.call(alias(server, tool), args(word));

async function isAnswered(session, server, kind, word) {
  const result = await say(session, server, kind, word).catch(() => undefined);
  return result?.content?.[0]?.text === kind.answer(word);
}

/** Servers over HTTP, ours and one that nobody here wrote. */
const kOverHttp = [
  { which: 'a legacy HTTP server', start: (port) => ownListening('legacy', port), ...ours },
  { which: 'a modern HTTP server', start: (port) => ownListening('modern', port), ...ours },
  {
    which: 'server-everything over HTTP',
    start: (port) => listening('mcp-server-everything', ['streamableHttp'], {}, port),
    ...everything,
  },
];

/** Calls of other servers, several at a time. None of them may fail, or be kept waiting. */
class Load {
  #isOver = false;
  #failed = [];
  #ended = 0;
  #longest = 0;
  #callers;

  constructor(session, others) {
    const callers = others.flatMap((other) => [other, other]);
    this.#callers = callers.map((other, i) => this.#callOften(session, other, `caller ${i}`));
  }

  async #callOften(session, { name, kind }, caller) {
    for (let i = 0; !this.#isOver; ++i) {
      const word = `${caller}, call ${i}`;
      const begun = Date.now();
      const said = await say(session, name, kind, word).catch((error) => error.message);
      if (said.content?.[0].text !== kind.answer(word)) this.#failed.push(said);
      this.#longest = Math.max(this.#longest, Date.now() - begun);
      this.#ended += 1;
      await sleep(5);
    }
  }

  /** Waits until it has been answered a few times more. */
  async goesOn() {
    const wanted = this.#ended + 5 * this.#callers.length;
    await eventually(() => this.#ended >= wanted, 'the others answer', kSoon);
  }

  async stop() {
    this.#isOver = true;
    await Promise.all(this.#callers);
  }

  check() {
    assert.deepEqual(this.#failed, []);
    assert.ok(this.#longest < kSoon, `a call of another server took ${this.#longest} ms`);
  }
}

// Two servers that are well, and how they are called meanwhile.
const kOthers = [
  ownStdio('other', 'modern'),
  stdio('memory', 'mcp-server-memory', [], { MEMORY_FILE_PATH: '/nonexistent/memory.jsonl' }),
];
const kCalled = [{ name: 'other', kind: ours }, { name: 'memory', kind: memory }];

async function underLoad(session, body) {
  const load = new Load(session, kCalled);
  try {
    await body();
    await load.goesOn();
  } finally {
    await load.stop();
  }
  load.check();
}

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
    await withGateway({ servers: [ownStdio('victim', which), ...kOthers] }, async (_, session) => {
      const pid = Number(await session.text(alias('victim', 'pid'), {}));
      const wait = () => failureOf(session.call(alias('victim', 'slow'), { seconds: 60 }));
      const waiting = Array.from({ length: 5 }, wait);
      await eventually(async () => (await session.text(alias('victim', 'running'), {})) === '5', 'five calls run');
      let again;
      const isBack = async () => {
        again = await session.text(alias('victim', 'pid'), {}).catch(() => undefined);
        return again !== undefined;
      };
      await underLoad(session, async () => {
        process.kill(pid, 'SIGKILL');
        for (const { text, ms } of await Promise.all(waiting)) {
          assert.match(text, /victim/, 'which server ended is not said');
          assert.ok(ms < kSoon, `it took ${ms} ms`);
        }
        await eventually(isBack, 'the program is back', kSoon);
      });
      assert.notEqual(Number(again), pid);
    });
  });
}

/** Stops the process of the server called stopped, and lets it go on. */
async function stalls(session, pid, kind) {
  assert.ok(await isAnswered(session, 'stopped', kind, 'a'));
  try {
    process.kill(pid, 'SIGSTOP');
    const calls = ['b', 'c', 'd'].map((word) => failureOf(say(session, 'stopped', kind, word)));
    for (const { text, ms } of await Promise.all(calls)) {
      assert.match(text, /stopped/, 'which server it was is not said');
      assert.match(text, /too long|time|answer/i);
      assert.ok(ms > 1_500 && ms < kSoon, `it took ${ms} ms`);
    }
  } finally {
    process.kill(pid, 'SIGCONT');
  }
  await eventually(() => isAnswered(session, 'stopped', kind, 'e'), 'it answers again', kSoon);
}

for (const kind of kOverHttp) {
  test(`calls of ${kind.which} that stopped answering end in time`, kOptions, async () => {
    const stopped = await kind.start();
    const servers = [{ ...entry('stopped', stopped), call_timeout: '2s', timeout: '2s' }, ...kOthers];
    await withGateway({ servers, started: [stopped] }, (_, session) =>
      underLoad(session, () => stalls(session, stopped.pid, kind)),
    );
  });

  for (const client of [clients[0], modernClient]) {
    test(`${client.title}: the next call after a restart of ${kind.which} works`, kOptions, async () => {
      let server = await kind.start();
      const started = [server];
      const restarts = async (session) => {
        assert.ok(await isAnswered(session, 'restarted', kind, 'a'));
        await server.kill();
        const { text } = await failureOf(say(session, 'restarted', kind, 'b'));
        assert.match(text, /restarted/, 'which server it was is not said');
        server = await kind.start(server.port);
        started.push(server);
        assert.equal((await say(session, 'restarted', kind, 'c')).content[0].text, kind.answer('c'));
      };
      const servers = [entry('restarted', server), ...kOthers];
      await withGateway({ servers, client, started }, (_, session) => underLoad(session, () => restarts(session)));
    });
  }
}

const marked = (name) => stdio(name, 'mcp-server-everything', ['stdio'], { TEST_MARK: name });

test('calls of server-everything over stdio that stopped answering end in time', kOptions, async () => {
  // It may take longer than that to start.
  const servers = [{ ...marked('stopped'), call_timeout: '2s' }, ...kOthers];
  await withGateway({ servers }, async (gateway, session) => {
    const pid = await programBelow(gateway.pid, 'TEST_MARK=stopped');
    await underLoad(session, () => stalls(session, pid, everything));
  });
});

test('server-everything over stdio is started again when it is killed', kOptions, async () => {
  await withGateway({ servers: [marked('victim'), ...kOthers] }, async (gateway, session) => {
    const pid = await programBelow(gateway.pid, 'TEST_MARK=victim');
    await underLoad(session, async () => {
      process.kill(pid, 'SIGKILL');
      await eventually(() => isAnswered(session, 'victim', everything, 'a'), 'the program is back', kSoon);
    });
  });
});

for (const which of ['legacy', 'modern']) {
  for (const client of [clients[0], modernClient]) {
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

for (const [way, where] of [['sse', '/sse'], ['streamableHttp', '/mcp']]) {
  test(`the reference server over ${way} is used again after a restart`, kOptions, async () => {
    const start = (port) => listening('mcp-server-everything', [way], {}, port);
    let server = await start();
    const started = [server];
    const servers = [entry('restarted', server, where)];
    await withGateway({ servers, started }, async (_, session) => {
      const echo = (message) => session.text(alias('restarted', 'echo'), { message });
      assert.equal(await echo('a'), 'Echo: a');
      await server.kill();
      await failureOf(session.call(alias('restarted', 'echo'), { message: 'b' }));
      server = await start(server.port);
      started.push(server);
      assert.equal(await echo('c'), 'Echo: c');
    });
  });
}

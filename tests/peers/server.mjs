// Starts a server under test on a free port of 127.0.0.1, and stops it by its process id.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import net from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { conformanceServer } from './paths.mjs';

const kStartMs = 30_000;
const kStopMs = 15_000;

export async function freePort() {
  const probe = net.createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address();
  probe.close();
  await once(probe, 'close');
  return port;
}

/**
 * `args(port)` is the command line; the default is that of conformance_server. `env(port)` comes on
 * top of our own environment.
 */
export async function startServer({
  binary = conformanceServer,
  args = (port) => ['--port', String(port)],
  env = () => ({}),
  port: wanted,
} = {}) {
  const port = wanted ?? (await freePort());
  const options = { stdio: ['ignore', 'pipe', 'pipe'], env: { ...process.env, ...env(port) } };
  const child = spawn(binary, args(port), options);
  const server = new ServerUnderTest(child, port);
  try {
    await server.listening();
  } catch (error) {
    await server.stop().catch(() => {});
    throw error;
  }
  return server;
}

class ServerUnderTest {
  #child;
  #ended;
  output = '';

  constructor(child, port) {
    this.#child = child;
    this.pid = child.pid;
    this.port = port;
    this.origin = `http://127.0.0.1:${port}`;
    this.url = `${this.origin}/mcp`;
    this.#ended = new Promise((resolve) => {
      child.on('error', (error) => resolve({ error }));
      child.on('exit', (code, signal) => resolve({ code, signal }));
    });
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text) => (this.output += text));
    }
  }

  async listening() {
    const deadline = Date.now() + kStartMs;
    const ended = this.#ended.then((end) => ({ end }));
    while (Date.now() < deadline) {
      if (await accepts(this.port)) return;
      const race = await Promise.race([ended, sleep(20)]);
      if (race?.end) throw new Error(`the server ended at once: ${describe(race.end)}\n${this.output}`);
    }
    throw new Error(`the server did not listen on ${this.port} in time\n${this.output}`);
  }

  /** Ends it at once, as a crash would. */
  async kill() {
    this.#child.kill('SIGKILL');
    await this.#ended;
  }

  /** Throws when the server had crashed, does not stop, or reports a failure while stopping. */
  async stop() {
    this.#child.kill('SIGTERM');
    const inTime = await Promise.race([this.#ended, sleep(kStopMs, null, { ref: false })]);
    if (!inTime) this.#child.kill('SIGKILL');
    const end = await this.#ended;
    const isClean = end.code === 0 || end.code === 143 || end.signal === 'SIGTERM';
    if (!isClean) throw new Error(`the server did not end well: ${describe(end)}\n${this.output}`);
  }
}

const describe = ({ error, code, signal }) => error?.message ?? `exit code ${code}, signal ${signal}`;

function accepts(port) {
  return new Promise((resolve) => {
    const socket = net.connect(port, '127.0.0.1');
    socket.on('connect', () => (socket.destroy(), resolve(true)));
    socket.on('error', () => resolve(false));
  });
}

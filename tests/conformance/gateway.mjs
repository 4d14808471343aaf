// conformance_server behind the gateway, in each era and by each way: four servers of one gateway.
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { conformanceServer, rootDir, sallyport } from '../peers/paths.mjs';
import { startServer } from '../peers/server.mjs';

const kReadyMs = 15_000;

// Names of servers of the gateway; also those of the sets in sets.mjs.
export const upstreams = ['modern_http', 'modern_stdio', 'legacy_http', 'legacy_stdio'];

const olderServer = path.join(rootDir, 'tests/conformance/older_server.mjs');
const isLegacy = (name) => name.startsWith('legacy');

function entry(name, server) {
  if (server) return { name, url: server.url, private_network: true };
  if (!isLegacy(name)) return { name, command: conformanceServer, args: ['--stdio'] };
  const env = { TEST_CONFORMANCE_SERVER: conformanceServer };
  return { name, command: process.execPath, args: [olderServer, '--stdio'], env };
}

async function startUpstream(name, running) {
  const server = await startServer();
  running.push(server);
  if (!isLegacy(name)) return server;
  const args = (port) => [olderServer, '--port', String(port)];
  const env = () => ({ TEST_UPSTREAM: server.origin });
  const older = await startServer({ binary: process.execPath, args, env });
  running.push(older);
  return older;
}

// YAML reads JSON.
function writeSettings(folder, servers) {
  const file = path.join(folder, 'gateway.yaml');
  const state = (name) => path.join(folder, name);
  const settings = {
    audit: { file: state('audit.db') },
    gateway: {
      server_names: 'original',
      servers_file: state('servers.json'),
      grants_file: state('grants.db'),
      approvals_file: state('approvals.db'),
    },
    mcp_servers: upstreams.map((name) => entry(name, servers.get(name))),
  };
  fs.writeFileSync(file, JSON.stringify(settings, null, 2));
  return file;
}

async function waitUntilReady(gateway) {
  const deadline = Date.now() + kReadyMs;
  for (;;) {
    const { servers } = await (await fetch(`${gateway.origin}/readyz`)).json();
    if (upstreams.every((name) => servers?.[name]?.state === 'ready')) return;
    if (Date.now() > deadline) throw new Error(`not all servers are ready: ${JSON.stringify(servers)}`);
    await sleep(50);
  }
}

export async function startGateway() {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'conformance-gateway-'));
  const running = [];
  const stop = async () => {
    // The gateway first, so that no server goes away under it.
    for (const each of running.toReversed()) await each.stop();
    fs.rmSync(folder, { recursive: true, force: true });
  };
  try {
    const servers = new Map();
    for (const name of upstreams.filter((each) => each.endsWith('http'))) {
      servers.set(name, await startUpstream(name, running));
    }
    const file = writeSettings(folder, servers);
    const args = (port) => ['serve', '--config', file, '--port', String(port)];
    const gateway = await startServer({ binary: sallyport, args });
    running.push(gateway);
    await waitUntilReady(gateway);
    return { urlOf: (name) => (name ? `${gateway.url}/${name}` : gateway.url), stop };
  } catch (error) {
    await stop().catch(() => {});
    throw error;
  }
}

// Starts our gateway in front of servers, each with a state of its own, and knows what the things
// of these servers are called behind it.
import assert from 'node:assert/strict';
import fs from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { sallyport } from '../../peers/paths.mjs';
import { startServer } from '../../peers/server.mjs';
import * as sdk2 from '../../clients/support/sdk2.mjs';
import { eventually } from '../../clients/support/session.mjs';

/**
 * `servers` are entries of `mcp_servers`; `settings` are others of the configuration. `isReady` says
 * whether the names that are listed will do; the default waits for a tool of every server.
 */
export async function startGateway({ servers, settings = {}, isReady = hasToolsOf(servers) }) {
  const folder = await fs.mkdtemp(path.join(os.tmpdir(), 'sallyport-gateway-'));
  const file = path.join(folder, 'settings.yaml');
  // JSON is YAML.
  await fs.writeFile(file, JSON.stringify({ log: { level: 'warn' }, ...settings, mcp_servers: servers }));
  const server = await startServer({
    binary: sallyport,
    args: (port) => ['serve', '--port', String(port), '--config', file],
    env: () => ({ XDG_STATE_HOME: folder }),
  });
  const gateway = {
    url: server.url,
    origin: server.origin,
    settings: file,
    state: folder,
    urlOf: (name) => `${server.url}/${name}`,
    pid: server.pid,
    output: () => server.output,
    async stop() {
      await server.stop();
      await fs.rm(folder, { recursive: true, force: true });
    },
  };
  try {
    await untilListed(gateway.url, isReady);
  } catch (error) {
    await gateway.stop().catch(() => {});
    throw new Error(`${error.message}\n${server.output}`, { cause: error });
  }
  return gateway;
}

const hasToolsOf = (servers) => (names) =>
  servers.every(({ name }) => names.some((each) => each.startsWith(`mcp_${name}_`)));

export async function untilListed(url, isReady, timeoutMs = 30_000) {
  // A client of 2026-07-28 may keep a list for a minute, also one from before all servers were there.
  const session = await sdk2.overHttp(url, 'legacy');
  let names = [];
  const areListed = async () => {
    names = (await allTools(session)).map(({ name }) => name);
    return isReady(names);
  };
  try {
    await eventually(areListed, 'the tools are listed', timeoutMs);
  } catch (error) {
    throw new Error(`${error.message}; there are ${names.join(', ')}`, { cause: error });
  } finally {
    await session.close();
  }
}

async function allPages(ask, key) {
  const found = [];
  let cursor;
  do {
    const page = await ask(cursor === undefined ? {} : { cursor });
    found.push(...page[key]);
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  return found;
}

export const allTools = ({ client }) => allPages((params) => client.listTools(params), 'tools');
export const allResources = ({ client }) => allPages((params) => client.listResources(params), 'resources');
export const allTemplates = ({ client }) =>
  allPages((params) => client.listResourceTemplates(params), 'resourceTemplates');
export const allPrompts = ({ client }) => allPages((params) => client.listPrompts(params), 'prompts');

// The characters that names may have with us.
const clean = (name) => name.toLowerCase().replace(/[^a-z0-9]+/g, '_').replace(/^_|_$/g, '');
export const alias = (server, name) => `mcp_${server}_${clean(name)}`;
export const publicUri = (server, uri) =>
  uri.startsWith('ui://') ? `ui://${server}/${uri.slice('ui://'.length)}` : `mcp://${server}/${uri}`;

export function areGoodNames(names) {
  for (const name of names) assert.match(name, /^[A-Za-z0-9_-]{1,64}$/);
  assert.equal(new Set(names).size, names.length, 'names are not unique');
}

// Real servers behind the gateway: as entries of `mcp_servers`, and started where they listen.
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { peersDir, rootDir } from '../../peers/paths.mjs';
import { startServer } from '../../peers/server.mjs';

export const node = path.join(peersDir, 'node');
const here = path.dirname(fileURLToPath(import.meta.url));
const resolve = path.join(rootDir, 'tests/peers/resolve.mjs');
const loopback = path.join(rootDir, 'tests/peers/loopback.cjs');
const program = (name) => path.join(peersDir, 'node_modules/.bin', name);
const own = (name) => ['--import', resolve, path.join(here, '../upstreams', `${name}.mjs`)];
const peers = { TEST_PEERS_DIR: peersDir };

/** A program of a package, over stdio. */
export const stdio = (name, command, args = [], env = {}) => ({
  name,
  command: node,
  args: [program(command), ...args],
  env,
});

/** One of upstreams/, over stdio. */
export const ownStdio = (name, which) => ({ name, command: node, args: own(which), env: peers });

export const entry = (name, { port }, where = '/mcp') => ({
  name,
  url: `http://127.0.0.1:${port}${where}`,
  private_network: true,
});

/** A program of a package that listens where PORT says; `port` lets it come back where it was. */
export const listening = (command, args = [], env = {}, port = undefined) =>
  startServer({
    binary: node,
    args: () => ['-r', loopback, program(command), ...args],
    env: (given) => ({ ...env, PORT: String(given) }),
    port,
  });

/** One of upstreams/, over HTTP; `port` lets it come back where it was. */
export const ownListening = (which, port, env = {}) =>
  startServer({
    binary: node,
    args: (given) => [...own(which), String(given)],
    env: () => ({ ...peers, ...env }),
    port,
  });

/** The same, for those alone who have a token of `authority` (AuthorizationServer). */
export const ownGuarded = (which, authority) =>
  ownListening(which, undefined, {
    TEST_ISSUER: authority.issuer,
    TEST_INTROSPECTOR: authority.introspector,
  });

// Servers in other languages behind our gateway: those that others publish, and small ones on the
// official SDKs.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs/promises';
import http from 'node:http';
import os from 'node:os';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';
import { startServer } from '../../peers/server.mjs';
import { check } from '../../gateway/support/behaviours.mjs';
import { clients } from '../../gateway/support/clients.mjs';
import { alias, publicUri, startGateway } from '../../gateway/support/gateway.mjs';
import { entry } from '../../gateway/support/upstreams.mjs';
import { languages, published } from '../languages.mjs';
import { isInstalled, prepare } from '../prepare.mjs';

const present = languages.filter(({ tool, servers }) => servers && isInstalled(tool));
const missing = languages.filter(({ tool, servers }) => servers && !isInstalled(tool));
const onSdks = Object.assign({}, ...present.map(({ servers }) => servers()));
const kOverHttp = ['python', 'go'];
const named = [...Object.keys(onSdks), ...kOverHttp.filter((name) => onSdks[name]).map((name) => `${name}_http`)];
const started = [];
let gateway, folder, page;

const stdioEntry = (name, [command, args]) => ({ name, command, args });

async function startHttp(name) {
  const [binary, args] = onSdks[name];
  const server = await startServer({ binary, args: (port) => [...args, String(port)] });
  started.push(server);
  return entry(`${name}_http`, server);
}

async function makeRepository() {
  folder = await fs.realpath(await fs.mkdtemp(path.join(os.tmpdir(), 'sallyport-git-')));
  execFileSync('git', ['init', '--quiet', folder]);
  await fs.writeFile(path.join(folder, 'new.txt'), 'new');
}

async function servePage() {
  page = http.createServer((_, response) => response.end('<p>A page of the test</p>'));
  await once(page.listen(0, '127.0.0.1'), 'listening');
}

before(async () => {
  for (const language of [published, ...present]) await prepare(language);
  await Promise.all([makeRepository(), servePage()]);
  const module = (name, ...args) => [published.program('python'), ['-m', name, ...args]];
  gateway = await startGateway({
    servers: [
      stdioEntry('fetch', module('mcp_server_fetch', '--allow-private-ips', '--ignore-robots-txt')),
      stdioEntry('git', module('mcp_server_git', '--repository', folder)),
      stdioEntry('time', module('mcp_server_time')),
      ...Object.entries(onSdks).map(([name, program]) => stdioEntry(name, program)),
      ...(await Promise.all(kOverHttp.filter((name) => onSdks[name]).map(startHttp))),
    ],
    settings: { gateway: { search: 'off' } },
  });
});
after(async () => {
  await gateway?.stop();
  for (const server of started) await server.stop().catch(() => {});
  page?.close();
  if (folder) await fs.rm(folder, { recursive: true, force: true });
});

for (const { name, tool } of missing) test(name, { skip: `NOT TESTED: ${tool} is not installed` }, () => {});

for (const client of clients) {
  const it = check(() => client.connect(gateway.url));
  describe(`${client.title}: servers that others publish`, () => {
    it('fetches', async (session) => {
      const url = `http://127.0.0.1:${page.address().port}/`;
      assert.match(await session.text(alias('fetch', 'fetch'), { url, raw: true }), /A page of the test/);
    });

    it('tells the time', async (session) => {
      const time = JSON.parse(await session.text(alias('time', 'get_current_time'), { timezone: 'Etc/UTC' }));
      assert.equal(new Date(time.datetime).getUTCFullYear(), new Date().getUTCFullYear());
    });

    it('knows the state of a repository', async (session) => {
      assert.match(await session.text(alias('git', 'git_status'), { repo_path: folder }), /new\.txt/);
    });
  });

  for (const server of named) {
    describe(`${client.title}: ${server}`, () => {
      it('calls tools', async (session) => {
        assert.equal(await session.text(alias(server, 'hello'), { name: 'Zoë' }), 'Hello, Zoë!');
        assert.equal((await session.call(alias(server, 'fail'), {})).isError, true);
      });

      it('reports progress', async (session) => {
        await session.call(alias(server, 'steps'), {}, { onprogress: () => {} });
        const told = session.notificationsOf('notifications/progress').map(({ params }) => params.progress);
        assert.deepEqual(told, [1, 2, 3]);
      });

      it('has its resource', async (session) => {
        const uri = publicUri(server, 'note://one');
        const { contents } = await session.client.readResource({ uri });
        assert.deepEqual(contents.map((each) => [each.uri, each.text]), [[uri, 'The first note']]);
      });
    });
  }
}

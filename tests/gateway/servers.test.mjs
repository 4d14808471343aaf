// The reference servers behind one gateway: everything (over stdio, Streamable HTTP and HTTP+SSE),
// filesystem, memory.
import assert from 'node:assert/strict';
import fs from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { after, before, describe } from 'node:test';
import { check } from './support/behaviours.mjs';
import { clients } from './support/clients.mjs';
import * as names from './support/gateway.mjs';
import { entry, listening, stdio } from './support/upstreams.mjs';

const { alias, allPrompts, allResources, allTemplates, allTools, publicUri, startGateway } = names;
const kEverything = ['everything', 'everything_http', 'everything_sse'];
const kSomeTools = ['echo', 'get-sum', 'trigger-elicitation-request', 'trigger-sampling-request', 'get-roots-list'];
const started = [];
let gateway, folder;

before(async () => {
  folder = await fs.realpath(await fs.mkdtemp(path.join(os.tmpdir(), 'sallyport-files-')));
  await fs.writeFile(path.join(folder, 'hello.txt'), 'Hello from a file');
  const [http, sse] = await Promise.all(
    ['streamableHttp', 'sse'].map((way) => listening('mcp-server-everything', [way])),
  );
  started.push(http, sse);
  gateway = await startGateway({
    servers: [
      stdio('everything', 'mcp-server-everything', ['stdio']),
      entry('everything_http', http),
      entry('everything_sse', sse, '/sse'),
      stdio('files', 'mcp-server-filesystem', [folder]),
      stdio('memory', 'mcp-server-memory', [], { MEMORY_FILE_PATH: path.join(folder, 'memory.json') }),
    ],
    settings: { gateway: { search: 'off' } },
  });
});
after(async () => {
  await gateway?.stop();
  for (const server of started) await server.stop();
  await fs.rm(folder, { recursive: true, force: true });
});

for (const client of clients) {
  const it = check(() => client.connect(gateway.url));
  describe(`${client.title}: all servers`, () => {
    it('lists every tool under a name of its own', async (session) => {
      const listed = (await allTools(session)).map(({ name }) => name);
      names.areGoodNames(listed);
      for (const server of kEverything) {
        for (const name of kSomeTools) {
          assert.ok(listed.includes(alias(server, name)), `${alias(server, name)} is missing among ${listed}`);
        }
      }
      for (const name of [alias('files', 'read_text_file'), alias('memory', 'create_entities')]) {
        assert.ok(listed.includes(name), `${name} is missing`);
      }
    });

    it('lists everything that there is on each place, and nothing else', async (session) => {
      const all = (await allTools(session)).map(({ name }) => name);
      const here = await client.connect(gateway.urlOf('files'));
      const ours = (await allTools(here)).map(({ name }) => name);
      assert.equal(ours.length, 14);
      assert.deepEqual([...ours].sort(), all.filter((name) => name.startsWith('mcp_files_')).sort());
      assert.equal(here.client.getServerCapabilities().resources, undefined);
      await assert.rejects(here.call(alias('memory', 'read_graph'), {}), { code: -32602 });
      await here.close();
    });

    it('reads and writes files', async (session) => {
      const file = path.join(folder, 'hello.txt');
      assert.equal(await session.text(alias('files', 'read_text_file'), { path: file }), 'Hello from a file');
      const outside = await session.call(alias('files', 'read_text_file'), { path: '/etc/passwd' });
      assert.equal(outside.isError, true);
      assert.match(outside.content[0].text, /Access denied/);
    });

    it('remembers', async (session) => {
      const name = `thing of ${client.title}`;
      const entities = [{ name, entityType: 'thing', observations: ['it is there'] }];
      await session.text(alias('memory', 'create_entities'), { entities });
      assert.match(await session.text(alias('memory', 'search_nodes'), { query: name }), /it is there/);
      const uri = publicUri('memory', 'memory://knowledge-graph');
      const { contents } = await session.client.readResource({ uri });
      assert.match(contents[0].text, /it is there/);
    });
  });

  for (const server of kEverything) {
    describe(`${client.title}: ${server}`, () => {
      const tool = (name) => alias(server, name);
      it('calls tools', async (session) => {
        assert.equal(await session.text(tool('echo'), { message: 'hi' }), 'Echo: hi');
        assert.match(await session.text(tool('get-sum'), { a: 2, b: 40 }), /42/);
        const { content } = await session.call(tool('get-tiny-image'), {});
        const image = content.find(({ type }) => type === 'image');
        assert.equal(Buffer.from(image.data, 'base64').subarray(1, 4).toString(), 'PNG');
      });

      it('gives structured results', async (session) => {
        const { structuredContent } = await session.call(tool('get-structured-content'), { location: 'Chicago' });
        assert.equal(typeof structuredContent.temperature, 'number');
      });

      it('reports progress', async (session) => {
        const operation = { duration: 0.3, steps: 3 };
        await session.call(tool('trigger-long-running-operation'), operation, { onprogress: () => {} });
        const told = session.notificationsOf('notifications/progress').map(({ params }) => params.progress);
        assert.deepEqual(told, [1, 2, 3]);
      });

      it('asks the user and the model', async (session) => {
        const asked = await session.call(tool('trigger-elicitation-request'), {});
        assert.notEqual(asked.isError, true, JSON.stringify(asked));
        assert.equal(session.elicitations.length, 1);
        assert.match(await session.text(tool('trigger-sampling-request'), { prompt: 'x' }), /forty-two/);
      });

      it('offers resources as its own', async (session) => {
        const uri = publicUri(server, 'demo://resource/static/document/architecture.md');
        assert.ok((await allResources(session)).some((each) => each.uri === uri), uri);
        const { contents } = await session.client.readResource({ uri });
        assert.equal(contents[0].uri, uri);
        assert.match(contents[0].text, /architecture/i);
        const template = publicUri(server, 'demo://resource/dynamic/text/{resourceId}');
        assert.ok((await allTemplates(session)).some(({ uriTemplate }) => uriTemplate === template));
        const made = publicUri(server, 'demo://resource/dynamic/text/7');
        assert.equal((await session.client.readResource({ uri: made })).contents[0].uri, made);
      });

      it('names resources in results so that they can be read', async (session) => {
        const { content } = await session.call(tool('get-resource-links'), { count: 2 });
        const links = content.filter(({ type }) => type === 'resource_link');
        assert.equal(links.length, 2);
        for (const { uri } of links) {
          assert.ok(uri.startsWith(`mcp://${server}/`), uri);
          assert.equal((await session.client.readResource({ uri })).contents[0].uri, uri);
        }
        const reference = await session.call(tool('get-resource-reference'), { resourceType: 'Text', resourceId: 1 });
        const embedded = reference.content.find(({ type }) => type === 'resource').resource;
        assert.ok(embedded.uri.startsWith(`mcp://${server}/`), embedded.uri);
      });

      it('offers prompts, and completes their arguments and those of templates', async (session) => {
        const name = tool('completable-prompt');
        assert.ok((await allPrompts(session)).some((each) => each.name === name));
        const { messages } = await session.client.getPrompt({ name: tool('args-prompt'), arguments: { city: 'Oslo' } });
        assert.match(messages[0].content.text, /Oslo/);
        const prompt = { ref: { type: 'ref/prompt', name }, argument: { name: 'department', value: 'Eng' } };
        assert.deepEqual((await session.client.complete(prompt)).completion.values, ['Engineering']);
        const uri = publicUri(server, 'demo://resource/dynamic/text/{resourceId}');
        const resource = { ref: { type: 'ref/resource', uri }, argument: { name: 'resourceId', value: '7' } };
        assert.deepEqual((await session.client.complete(resource)).completion.values, ['7']);
      });

      it('says what is not there', async (session) => {
        await assert.rejects(session.call(tool('no-such-tool'), {}), { code: -32602 });
        await assert.rejects(session.client.readResource({ uri: publicUri(server, 'demo://nothing') }));
        await assert.rejects(session.client.getPrompt({ name: tool('no-such-prompt') }));
      });
    });
  }
}

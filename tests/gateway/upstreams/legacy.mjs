// The same server on the TypeScript SDK 1.x, which knows the legacy revisions only, and asks its
// client in the middle of a call.
//
//   node --import tests/peers/resolve.mjs legacy.mjs [PORT]      without a port: stdio
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { completable } from '@modelcontextprotocol/sdk/server/completable.js';
import { McpServer, ResourceTemplate } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { CreateMessageResultSchema, ElicitResultSchema } from '@modelcontextprotocol/sdk/types.js';
import { z } from 'zod';

const text = (words) => ({ content: [{ type: 'text', text: words }] });
const kNameSchema = { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] };
const servers = new Set();
let grown = 0;
let running = 0;

function addTools(server) {
  const tool = (name, inputSchema, handler) =>
    server.registerTool(name, { description: `The tool ${name}`, inputSchema }, handler);
  const log = ({ sendNotification }, level, data) =>
    sendNotification({ method: 'notifications/message', params: { level, data } });
  tool('hello', { name: z.string() }, async ({ name }) => text(`Hello, ${name}!`));
  tool('pid', {}, async () => text(String(process.pid)));
  tool('fail', {}, async () => ({ ...text('It did not work'), isError: true }));
  tool('ask', { question: z.string() }, async ({ question }, { sendRequest }) => {
    const params = { message: question, requestedSchema: kNameSchema };
    const answer = await sendRequest({ method: 'elicitation/create', params }, ElicitResultSchema);
    return text(answer.action === 'accept' ? `Asked ${question}: ${answer.content.name}` : 'Declined');
  });
  tool('ask_model', {}, async (_, { sendRequest }) => {
    const messages = [{ role: 'user', content: { type: 'text', text: '6 × 7?' } }];
    const request = { method: 'sampling/createMessage', params: { messages, maxTokens: 10 } };
    const answer = await sendRequest(request, CreateMessageResultSchema);
    return text(`Model: ${answer.content.text}`);
  });
  tool('steps', {}, async (_, { _meta, sendNotification }) => {
    for (const progress of [1, 2, 3]) {
      if (_meta?.progressToken !== undefined) {
        const params = { progressToken: _meta.progressToken, progress, total: 3 };
        await sendNotification({ method: 'notifications/progress', params });
      }
      await sleep(30);
    }
    return text('Three steps');
  });
  tool('talk', {}, async (_, extra) => {
    await log(extra, 'info', 'said quietly');
    await log(extra, 'error', 'said loudly');
    return text('Talked');
  });
  tool('slow', { seconds: z.number() }, async ({ seconds }, { signal }) => {
    running += 1;
    try {
      await sleep(seconds * 1000, undefined, { signal });
      return text('At last');
    } finally {
      running -= 1;
    }
  });
  tool('running', {}, async () => text(String(running)));
  tool('grow', {}, async () => {
    grown += 1;
    for (const each of servers) addGrown(each, grown);
    return text(`grown_${grown}`);
  });
  for (let i = 1; i <= grown; ++i) addGrown(server, i);
}

function addGrown(server, number) {
  const about = { description: 'One more', inputSchema: {} };
  server.registerTool(`grown_${number}`, about, async () => text(`I am number ${number}`));
}

function addOthers(server) {
  server.registerResource('note', 'note://one', { mimeType: 'text/plain' }, async (uri) => ({
    contents: [{ uri: uri.href, mimeType: 'text/plain', text: 'The first note' }],
  }));
  const notes = new ResourceTemplate('note://by-id/{id}', { list: undefined });
  server.registerResource('notes', notes, { mimeType: 'text/plain' }, async (uri, { id }) => ({
    contents: [{ uri: uri.href, mimeType: 'text/plain', text: `Note ${id}` }],
  }));
  const propose = (value) => ['paris', 'park', 'oslo'].filter((each) => each.startsWith(value));
  const argsSchema = { city: completable(z.string(), propose) };
  server.registerPrompt('visit', { description: 'A visit', argsSchema }, async ({ city }) => ({
    messages: [{ role: 'user', content: { type: 'text', text: `Visit ${city}` } }],
  }));
}

function makeServer() {
  const server = new McpServer({ name: 'legacy', version: '1.0.0' }, { capabilities: { logging: {} } });
  addTools(server);
  addOthers(server);
  servers.add(server);
  server.server.onclose = () => servers.delete(server);
  return server;
}

async function serveHttp(port) {
  const sessions = new Map();
  async function openSession() {
    const transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (id) => sessions.set(id, transport),
    });
    await makeServer().connect(transport);
    return transport;
  }
  const answer = async (request, response) => {
    const id = request.headers['mcp-session-id'];
    const transport = id === undefined ? await openSession() : sessions.get(id);
    if (transport === undefined) response.writeHead(404).end();
    else await transport.handleRequest(request, response);
  };
  const guarded = process.env.TEST_ISSUER && (await import('./guard.mjs')).guarded;
  createServer(guarded ? await guarded(answer, port) : answer).listen(port, '127.0.0.1');
}

const port = process.argv[2];
if (port === undefined) await makeServer().connect(new StdioServerTransport());
else await serveHttp(Number(port));

// A server on the TypeScript SDK 2.x, which agrees on 2026-07-28 with a client that knows it.
//
//   node --import tests/peers/resolve.mjs modern.mjs [PORT]      without a port: stdio
import { createServer } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { toNodeHandler } from '@modelcontextprotocol/node';
import {
  McpServer,
  ResourceTemplate,
  acceptedContent,
  completable,
  createMcpHandler,
  inputRequired,
  inputResponse,
} from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import * as z from 'zod/v4';

const text = (words) => ({ content: [{ type: 'text', text: words }] });
const kName = z.object({ name: z.string() });
let grown = 0;
let running = 0;

function addTools(server, onGrow) {
  const tool = (name, inputSchema, handler) =>
    server.registerTool(name, { description: `The tool ${name}`, inputSchema: z.object(inputSchema) }, handler);
  tool('hello', { name: z.string() }, async ({ name }) => text(`Hello, ${name}!`));
  tool('pid', {}, async () => text(String(process.pid)));
  tool('fail', {}, async () => ({ ...text('It did not work'), isError: true }));
  tool('ask', { question: z.string() }, async ({ question }, { mcpReq }) => {
    if (mcpReq.inputResponses === undefined) {
      const who = inputRequired.elicit({ message: question, requestedSchema: kName });
      return inputRequired({ inputRequests: { who } });
    }
    const answer = acceptedContent(mcpReq.inputResponses, 'who');
    return text(answer ? `Asked ${question}: ${answer.name}` : 'Declined');
  });
  tool('ask_model', {}, async (_, { mcpReq }) => {
    if (mcpReq.inputResponses === undefined) {
      const messages = [{ role: 'user', content: { type: 'text', text: '6 × 7?' } }];
      const model = inputRequired.createMessage({ messages, maxTokens: 10 });
      return inputRequired({ inputRequests: { model } });
    }
    const answer = inputResponse(mcpReq.inputResponses, 'model');
    return text(`Model: ${JSON.stringify(answer).includes('forty-two') ? 'forty-two' : JSON.stringify(answer)}`);
  });
  tool('steps', {}, async (_, { mcpReq }) => {
    const progressToken = mcpReq._meta?.progressToken;
    for (const progress of [1, 2, 3]) {
      if (progressToken !== undefined) {
        await mcpReq.notify({ method: 'notifications/progress', params: { progressToken, progress, total: 3 } });
      }
      await sleep(30);
    }
    return text('Three steps');
  });
  tool('talk', {}, async (_, { mcpReq }) => {
    await mcpReq.log('info', 'said quietly');
    await mcpReq.log('error', 'said loudly');
    return text('Talked');
  });
  tool('slow', { seconds: z.number() }, async ({ seconds }, { mcpReq }) => {
    running += 1;
    try {
      await sleep(seconds * 1000, undefined, { signal: mcpReq.signal });
      return text('At last');
    } finally {
      running -= 1;
    }
  });
  tool('running', {}, async () => text(String(running)));
  tool('grow', {}, async () => {
    grown += 1;
    onGrow(server, grown);
    return text(`grown_${grown}`);
  });
  for (let i = 1; i <= grown; ++i) addGrown(server, i);
}

function addGrown(server, number) {
  const about = { description: 'One more', inputSchema: z.object({}) };
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
  const argsSchema = z.object({ city: completable(z.string(), propose) });
  server.registerPrompt('visit', { description: 'A visit', argsSchema }, async ({ city }) => ({
    messages: [{ role: 'user', content: { type: 'text', text: `Visit ${city}` } }],
  }));
}

function makeServer(onGrow) {
  const capabilities = { logging: {}, tools: { listChanged: true } };
  const server = new McpServer({ name: 'modern', version: '1.0.0' }, { capabilities });
  addTools(server, onGrow);
  addOthers(server);
  return server;
}

const port = process.argv[2];
if (port === undefined) {
  serveStdio(() => makeServer(addGrown));
} else {
  // Each request has a server of its own: what grew is told by the handler.
  const handler = createMcpHandler(() => makeServer(() => handler.notify.toolsChanged()));
  const handle = toNodeHandler(handler);
  const answer = (request, response) => void handle(request, response);
  const guarded = process.env.TEST_ISSUER && (await import('./guard.mjs')).guarded;
  createServer(guarded ? await guarded(answer, port) : answer).listen(Number(port), '127.0.0.1');
}

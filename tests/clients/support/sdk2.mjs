// Clients of the TypeScript SDK 2.x, which knows the legacy revisions and 2026-07-28.
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { Session } from './session.mjs';

export const modern = '2026-07-28';
const negotiations = { auto: { mode: 'auto' }, legacy: undefined, [modern]: { mode: { pin: modern } } };

class Sdk2Session extends Session {
  get version() {
    return this.client.getNegotiatedProtocolVersion();
  }
  call(name, args, { meta, ...options } = {}) {
    return this.client.callTool({ name, arguments: args, ...(meta && { _meta: meta }) }, options);
  }
}

export const overHttp = (url, mode, options) =>
  connect(new StreamableHTTPClientTransport(new URL(url), options), mode);
export const overStdio = (command, args, mode) =>
  connect(new StdioClientTransport({ command, args, stderr: 'ignore', env: process.env }), mode);

async function connect(transport, mode) {
  const client = new Client(
    { name: 'sdk2', version: '1' },
    { capabilities: { elicitation: {}, sampling: {}, roots: {} }, versionNegotiation: negotiations[mode] },
  );
  const session = new Sdk2Session(client, transport);
  client.setRequestHandler('elicitation/create', ({ params }) => session.answerElicitation(params));
  client.setRequestHandler('sampling/createMessage', async () => session.answerSampling());
  client.setRequestHandler('roots/list', async () => session.answerRoots());
  await client.connect(transport);
  session.tapMessages();
  return session;
}

// Clients of the TypeScript SDK 1.x, which knows the legacy revisions.
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { SSEClientTransport } from '@modelcontextprotocol/sdk/client/sse.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { CreateMessageRequestSchema, ElicitRequestSchema, ListRootsRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { Session } from './session.mjs';

class Sdk1Session extends Session {
  get version() {
    return this.negotiated;
  }
  call(name, args, options) {
    return this.client.callTool({ name, arguments: args }, undefined, options);
  }
}

export const overHttp = (url, options) => connect(new StreamableHTTPClientTransport(new URL(url), options));
export const overSse = (url, options) => connect(new SSEClientTransport(new URL(url), options));
export const overStdio = (command, args) =>
  connect(new StdioClientTransport({ command, args, stderr: 'ignore', env: process.env }));

async function connect(transport) {
  const capabilities = { elicitation: {}, sampling: {}, roots: {} };
  const client = new Client({ name: 'sdk1', version: '1' }, { capabilities });
  const session = new Sdk1Session(client, transport);
  client.setRequestHandler(ElicitRequestSchema, ({ params }) => session.answerElicitation(params));
  client.setRequestHandler(CreateMessageRequestSchema, async () => session.answerSampling());
  client.setRequestHandler(ListRootsRequestSchema, async () => session.answerRoots());
  // Every transport is told the version after the handshake; the stdio one ignores it.
  const tell = transport.setProtocolVersion?.bind(transport);
  transport.setProtocolVersion = (version) => {
    session.negotiated = version;
    tell?.(version);
  };
  await client.connect(transport);
  session.tapMessages();
  return session;
}

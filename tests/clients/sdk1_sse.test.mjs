// TypeScript SDK 1.x over the HTTP+SSE transport of 2024-11-05.
import { after, before, describe } from 'node:test';
import { startServer } from '../peers/server.mjs';
import { behavesLikeAServer } from './support/behaviours.mjs';
import { behavesLikeALegacyServer } from './support/legacy.mjs';
import { overSse } from './support/sdk1.mjs';

describe('SDK 1, HTTP+SSE', () => {
  let server;
  before(async () => (server = await startServer()));
  after(() => server?.stop());
  const connect = () => overSse(`${server.origin}/sse`);
  behavesLikeAServer(connect, { version: '2025-11-25' });
  behavesLikeALegacyServer(connect);
});

// TypeScript SDK 1.x over Streamable HTTP.
import { after, before, describe } from 'node:test';
import { startServer } from '../peers/server.mjs';
import { behavesLikeAServer } from './support/behaviours.mjs';
import { behavesLikeALegacyServer } from './support/legacy.mjs';
import { keepsLegacySessions } from './support/resume.mjs';
import { overHttp } from './support/sdk1.mjs';

describe('SDK 1, Streamable HTTP', () => {
  let server;
  before(async () => (server = await startServer()));
  after(() => server?.stop());
  const connect = (options) => overHttp(server.url, options);
  behavesLikeAServer(connect, { version: '2025-11-25' });
  behavesLikeALegacyServer(connect);
  keepsLegacySessions(connect, () => server.url);
});

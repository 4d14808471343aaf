// TypeScript SDK 2.x over Streamable HTTP, in both eras.
import { after, before, describe } from 'node:test';
import { startServer } from '../peers/server.mjs';
import { behavesLikeAServer } from './support/behaviours.mjs';
import { behavesLikeALegacyServer } from './support/legacy.mjs';
import { behavesLikeAModernServer } from './support/modern.mjs';
import { keepsLegacySessions } from './support/resume.mjs';
import { modern, overHttp } from './support/sdk2.mjs';

let server;
before(async () => (server = await startServer()));
after(() => server?.stop());
const connectAs = (mode) => (options) => overHttp(server.url, mode, options);

describe('SDK 2, Streamable HTTP, legacy', () => {
  behavesLikeAServer(connectAs('legacy'), { version: '2025-11-25' });
  behavesLikeALegacyServer(connectAs('legacy'));
  keepsLegacySessions(connectAs('legacy'), () => server.url);
});

describe('SDK 2, Streamable HTTP, negotiated', () => {
  behavesLikeAServer(connectAs('auto'), { version: modern });
});

describe('SDK 2, Streamable HTTP, pinned to 2026-07-28', () => {
  behavesLikeAServer(connectAs(modern), { version: modern });
  behavesLikeAModernServer(connectAs(modern));
});

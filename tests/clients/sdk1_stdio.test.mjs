// TypeScript SDK 1.x over stdio.
import { describe } from 'node:test';
import { conformanceServer } from '../peers/paths.mjs';
import { behavesLikeAServer } from './support/behaviours.mjs';
import { behavesLikeALegacyServer } from './support/legacy.mjs';
import { overStdio } from './support/sdk1.mjs';
import { endsWithItsInput } from './support/stdio.mjs';

describe('SDK 1, stdio', () => {
  const connect = () => overStdio(conformanceServer, ['--stdio']);
  behavesLikeAServer(connect, { version: '2025-11-25' });
  behavesLikeALegacyServer(connect);
  endsWithItsInput(connect);
});

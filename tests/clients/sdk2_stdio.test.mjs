// TypeScript SDK 2.x over stdio, in both eras.
import { describe } from 'node:test';
import { conformanceServer } from '../peers/paths.mjs';
import { behavesLikeAServer } from './support/behaviours.mjs';
import { behavesLikeALegacyServer } from './support/legacy.mjs';
import { behavesLikeAModernServer } from './support/modern.mjs';
import { modern, overStdio } from './support/sdk2.mjs';
import { endsWithItsInput } from './support/stdio.mjs';

const connectAs = (mode) => () => overStdio(conformanceServer, ['--stdio'], mode);

describe('SDK 2, stdio, legacy', () => {
  behavesLikeAServer(connectAs('legacy'), { version: '2025-11-25' });
  behavesLikeALegacyServer(connectAs('legacy'));
  endsWithItsInput(connectAs('legacy'));
});

describe('SDK 2, stdio, negotiated', () => {
  behavesLikeAServer(connectAs('auto'), { version: modern });
});

describe('SDK 2, stdio, pinned to 2026-07-28', () => {
  behavesLikeAServer(connectAs(modern), { version: modern });
  behavesLikeAModernServer(connectAs(modern));
  endsWithItsInput(connectAs(modern));
});

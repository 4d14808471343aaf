// Where things are. The environment variables let a test run against another build or server.
import path from 'node:path';
import { fileURLToPath } from 'node:url';

export const rootDir = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../..');
export const peersDir = process.env.TEST_PEERS_DIR ?? path.join(rootDir, 'build/peers');
export const buildDir = process.env.TEST_BUILD_DIR ?? path.join(rootDir, 'build/release');
export const conformanceServer =
  process.env.TEST_CONFORMANCE_SERVER ?? path.join(buildDir, 'conformance_server');
export const sallyport = process.env.TEST_BINARY ?? path.join(buildDir, 'sallyport');

export const packageDir = (name) => path.join(peersDir, 'node_modules', name);

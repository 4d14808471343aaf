// Preload (node --import): packages are found in build/peers, so that tests can import them by name.
import { registerHooks } from 'node:module';
import { pathToFileURL } from 'node:url';
import { peersDir } from './paths.mjs';

const parentURL = pathToFileURL(`${peersDir}/package.json`).href;
const isPackage = (specifier) => !/^(\.|\/|file:|node:|data:)/.test(specifier);

registerHooks({
  resolve(specifier, context, nextResolve) {
    const ours = isPackage(specifier) && !context.parentURL?.includes('/node_modules/');
    return nextResolve(specifier, ours ? { ...context, parentURL } : context);
  },
});

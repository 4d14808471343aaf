// Runs the official suites and prints one line per set. Exits non-zero on any failed check.
import { parseArgs } from 'node:util';
import { startServer } from '../peers/server.mjs';
import { startGateway } from './gateway.mjs';
import { runSet } from './run_set.mjs';
import { directSets, gatewaySets } from './sets.mjs';

const { values: options } = parseArgs({
  options: {
    url: { type: 'string' },
    gateway: { type: 'boolean' },
    set: { type: 'string', multiple: true },
    list: { type: 'boolean' },
  },
});
const sets = options.gateway ? gatewaySets : directSets;

function chosenSets() {
  if (!options.set) return sets;
  const known = new Set(sets.map((set) => set.name));
  const unknown = options.set.filter((name) => !known.has(name));
  if (unknown.length > 0) {
    throw new Error(`no set ${unknown.join(', ')}; there are: ${[...known].join('; ')}`);
  }
  return sets.filter((set) => options.set.includes(set.name));
}

// Much of a set's time is waiting. Two lanes use it, each with a server of its own so that nothing
// one set does (subscriptions, list changes) reaches the other.
const kLanes = 2;

async function start() {
  if (options.url) return { urlOf: () => options.url, stop: () => {} };
  if (options.gateway) return startGateway();
  const server = await startServer();
  return { urlOf: () => server.url, stop: () => server.stop() };
}

async function lane(queue, results) {
  const tested = await start();
  try {
    for (let set = queue.shift(); set; set = queue.shift()) {
      const url = tested.urlOf(set.upstream);
      results.set(set.name, await (set.run ?? runSet)(set, url));
    }
  } finally {
    await tested.stop();
  }
}

async function main() {
  if (options.list) return console.log(sets.map((set) => set.name).join('\n'));
  const chosen = chosenSets();
  const queue = chosen.toSorted((a, b) => b.seconds - a.seconds);
  const results = new Map();
  const lanes = options.url ? 1 : Math.min(kLanes, chosen.length);
  const outcomes = await Promise.allSettled(Array.from({ length: lanes }, () => lane(queue, results)));
  for (const { name } of chosen) results.get(name)?.lines.forEach((line) => console.log(line));
  for (const { reason } of outcomes) if (reason) console.error(String(reason.message ?? reason));
  const allPassed = chosen.every(({ name }) => results.get(name)?.passed);
  process.exitCode = allPassed && outcomes.every(({ status }) => status === 'fulfilled') ? 0 : 1;
}

await main();

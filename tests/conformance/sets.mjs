// What is run. `total` is the number of scored scenarios in the pinned version of the suite: a suite
// that stops half-way, or that selects fewer, must not look like a pass.
import { packageDir } from '../peers/paths.mjs';
import { upstreams } from './gateway.mjs';
import { runUpdates } from './gateway_updates.mjs';
import { runScenarios } from './run_scenarios.mjs';

const stable = `${packageDir('conformance-0.1')}/dist/index.js`;
const preview = `${packageDir('@modelcontextprotocol/conformance')}/dist/index.js`;

// `seconds` only orders the queue: the longest start first.
export const directSets = [
  { name: '0.1.16 active', program: stable, args: ['--suite', 'active'], total: 30, seconds: 5 },
  { name: '0.1.16 pending', program: stable, args: ['--suite', 'pending'], total: 2, seconds: 3 },
  {
    name: '0.2.0-alpha.12 requirements 2025-11-25',
    program: preview,
    args: ['--requirements', '2025-11-25'],
    total: 30,
    seconds: 10,
  },
  {
    name: '0.2.0-alpha.12 requirements 2026-07-28',
    program: preview,
    args: ['--requirements', '2026-07-28'],
    total: 37,
    seconds: 60,
  },
  { name: '0.2.0-alpha.12 active', program: preview, args: ['--suite', 'active'], total: 31, seconds: 5 },
  { name: '0.2.0-alpha.12 draft', program: preview, args: ['--suite', 'draft'], total: 19, seconds: 5 },
  { name: '0.2.0-alpha.12 pending', program: preview, args: ['--suite', 'pending'], total: 17, seconds: 60 },
  {
    name: '0.2.0-alpha.12 all at 2025-06-18',
    program: preview,
    args: ['--suite', 'all', '--spec-version', '2025-06-18'],
    total: 27,
    seconds: 5,
  },
  {
    name: '0.2.0-alpha.12 all at 2025-03-26',
    program: preview,
    args: ['--suite', 'all', '--spec-version', '2025-03-26'],
    total: 1,
    seconds: 1,
  },
];

// Those of one server behind the gateway. Not `requirements 2026-07-28`, which runs the scenarios for
// tasks as well: the two after it are what it scores.
const behindGateway = [
  { name: 'updates of resources', run: runUpdates, seconds: 1 },
  { name: '0.1.16 active', program: stable, args: ['--suite', 'active'], total: 30, seconds: 2 },
  { name: '0.1.16 pending', program: stable, args: ['--suite', 'pending'], total: 2, seconds: 1 },
  {
    name: '0.2.0-alpha.12 requirements 2025-11-25',
    program: preview,
    args: ['--requirements', '2025-11-25'],
    total: 30,
    seconds: 2,
  },
  {
    name: '0.2.0-alpha.12 active at 2026-07-28',
    program: preview,
    args: ['--suite', 'active', '--spec-version', '2026-07-28'],
    total: 20,
    seconds: 2,
  },
  // The last: it leaves calls behind that wait for a client.
  {
    name: '0.2.0-alpha.12 draft',
    program: preview,
    args: ['--suite', 'draft'],
    total: 19,
    seconds: 0,
    impossible: [
      'server-stateless: sep-2575-server-rejects-undeclared-capability',
      'server-stateless: sep-2575-missing-capability-http-400',
      'input-required-result-basic-elicitation: sep-2322-elicitation-incomplete',
      'input-required-result-multiple-input-requests: sep-2322-multiple-inputs-incomplete',
    ],
  },
];

// Checks: what an older server cannot do for a client of the new era, whoever is between them; why is in
// docs/conformance.md. They must fail: one that passes is no longer to be here.
const possible = (set, upstream) => ({
  ...set,
  upstream,
  name: `${upstream}: ${set.name}`,
  impossible: upstream.startsWith('legacy') ? set.impossible : undefined,
});

// At /mcp, with everything of all four: scenarios that name nothing.
const atAll = [
  {
    name: 'all servers: 0.2.0-alpha.12 at 2025-11-25',
    run: runScenarios,
    program: preview,
    args: ['--spec-version', '2025-11-25'],
    scenarios: [
      'server-initialize',
      'server-session-lifecycle',
      'server-sse-multiple-streams',
      'ping',
      'logging-set-level',
      'tools-list',
      'resources-list',
      'prompts-list',
      'dns-rebinding-protection',
    ],
    seconds: 5,
  },
  {
    name: 'all servers: 0.2.0-alpha.12 at 2026-07-28',
    run: runScenarios,
    program: preview,
    args: ['--spec-version', '2026-07-28'],
    scenarios: ['tools-list', 'resources-list', 'prompts-list', 'caching', 'server-sse-multiple-streams'],
    seconds: 3,
  },
];

export const gatewaySets = [
  ...atAll,
  ...upstreams.flatMap((upstream) => behindGateway.map((set) => possible(set, upstream))),
];

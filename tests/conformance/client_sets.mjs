// The scenarios for clients: names as the suites list them. `total`: a suite that selects fewer must
// not look like a pass.
import { packageDir } from '../peers/paths.mjs';

const stable = `${packageDir('conformance-0.1')}/dist/index.js`;
const preview = `${packageDir('@modelcontextprotocol/conformance')}/dist/index.js`;

const auth = [
  'auth/metadata-default',
  'auth/metadata-var1',
  'auth/metadata-var2',
  'auth/metadata-var3',
  'auth/basic-cimd',
  'auth/scope-from-www-authenticate',
  'auth/scope-from-scopes-supported',
  'auth/scope-omitted-when-undefined',
  'auth/scope-step-up',
  'auth/scope-retry-limit',
  'auth/token-endpoint-auth-basic',
  'auth/token-endpoint-auth-post',
  'auth/token-endpoint-auth-none',
  'auth/pre-registration',
];
const core = ['initialize', 'tools_call', 'elicitation-sep1034-client-defaults', 'sse-retry', ...auth];
const draft = [
  'request-metadata',
  'auth/resource-mismatch',
  'auth/offline-access-scope',
  'auth/offline-access-not-supported',
  'auth/authorization-server-migration',
  'auth/iss-supported',
  'auth/iss-not-advertised',
  'auth/iss-supported-missing',
  'auth/iss-wrong-issuer',
  'auth/iss-unexpected',
  'auth/iss-normalized',
  'auth/metadata-issuer-mismatch',
  'sep-2322-client-request-state',
  'http-standard-headers',
  'http-custom-headers',
  'http-invalid-tool-headers',
  'json-schema-ref-no-deref',
];
const extensions = [
  'auth/client-credentials-jwt',
  'auth/client-credentials-basic',
  'auth/enterprise-managed-authorization',
  'auth/dpop',
  'auth/dpop-nonce',
  'auth/wif-jwt-bearer',
  'json-schema-2020-12-preservation',
];
const backcompat = [
  'auth/2025-03-26-oauth-metadata-backcompat',
  'auth/2025-03-26-oauth-endpoint-fallback',
];
const skills = [
  'sep-2640-client-no-prefetch',
  'sep-2640-client-verify-digest',
  'sep-2640-client-verify-size',
  'sep-2640-client-verify-frontmatter',
];

export const clientSets = [
  { name: '0.1.16 client core', program: stable, args: [], scenarios: core, total: 18 },
  {
    name: '0.2.0-alpha.12 client requirements 2025-11-25',
    program: preview,
    args: ['--spec-version', '2025-11-25'],
    scenarios: core,
    total: 18,
  },
  {
    name: '0.2.0-alpha.12 client requirements 2026-07-28',
    program: preview,
    args: ['--spec-version', '2026-07-28'],
    scenarios: ['tools_call', ...auth, ...draft],
    total: 32,
  },
  {
    // Whatever the suite has, each scenario at the revision that it chooses itself.
    name: '0.2.0-alpha.12 client all',
    program: preview,
    args: [],
    scenarios: [...core, ...draft, ...extensions, ...backcompat, ...skills],
    total: 48,
  },
];

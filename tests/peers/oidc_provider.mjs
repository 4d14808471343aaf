// A real authorization server (oidc-provider) for tests of our token checks.
//
//   node --import tests/peers/resolve.mjs tests/peers/oidc_provider.mjs
//
// Listens on a free port of 127.0.0.1, prints its issuer on a line, and ends when its input ends, so
// that it cannot outlive a test. The client `service` (secret `service-secret`, by Basic) gets access
// tokens by client credentials for any `resource`; the last part of the resource's path names the
// algorithm that the token is signed with. So do `poster` (secret `poster-secret`, in the body) and,
// where the variable TEST_CLIENT_JWK has a public key, `signer` (private_key_jwt). With TEST_REPORT
// set, one line of JSON for each request to the token endpoint tells what it was sent.
import { generateKeyPairSync } from 'node:crypto';
import { createServer } from 'node:http';
import Provider from 'oidc-provider';

const kTokenSeconds = 300;

function signingKey(algorithm, type, options) {
  const { privateKey } = generateKeyPairSync(type, options);
  return { ...privateKey.export({ format: 'jwk' }), kid: algorithm, alg: algorithm, use: 'sig' };
}

const keys = [
  signingKey('RS256', 'rsa', { modulusLength: 2048 }),
  signingKey('PS256', 'rsa', { modulusLength: 2048 }),
  signingKey('ES256', 'ec', { namedCurve: 'P-256' }),
  signingKey('ES384', 'ec', { namedCurve: 'P-384' }),
  signingKey('EdDSA', 'ed25519'),
];

function resourceServer(_context, resource) {
  const algorithm = new URL(resource).pathname.split('/').at(-1);
  const known = keys.some((key) => key.alg === algorithm);
  return {
    audience: resource,
    scope: 'mcp:read mcp:write',
    accessTokenFormat: 'jwt',
    accessTokenTTL: kTokenSeconds,
    jwt: { sign: { alg: known ? algorithm : 'RS256' } },
  };
}

function client(id, more) {
  return {
    client_id: id,
    grant_types: ['client_credentials'],
    redirect_uris: [],
    response_types: [],
    ...more,
  };
}

function clients() {
  const all = [
    client('service', { client_secret: 'service-secret' }),
    client('poster', {
      client_secret: 'poster-secret',
      token_endpoint_auth_method: 'client_secret_post',
    }),
  ];
  const jwk = process.env.TEST_CLIENT_JWK;
  if (jwk) {
    all.push(
      client('signer', {
        token_endpoint_auth_method: 'private_key_jwt',
        jwks: { keys: [JSON.parse(jwk)] },
      }),
    );
  }
  return all;
}

async function report(context, next) {
  await next();
  if (context.oidc?.route !== 'token') return;
  const sent = context.oidc.body;
  const line = { sent, authorization: context.get('authorization'), status: context.status };
  process.stdout.write(`${JSON.stringify(line)}\n`);
}

function configuration() {
  return {
    jwks: { keys },
    clients: clients(),
    scopes: ['openid', 'mcp:read', 'mcp:write'],
    features: {
      clientCredentials: { enabled: true },
      devInteractions: { enabled: false },
      resourceIndicators: { enabled: true, getResourceServerInfo: resourceServer },
    },
  };
}

const server = createServer();
server.listen(0, '127.0.0.1', () => {
  const issuer = `http://127.0.0.1:${server.address().port}`;
  const provider = new Provider(issuer, configuration());
  if (process.env.TEST_REPORT) provider.use(report);
  server.on('request', provider.callback());
  process.stdout.write(`${issuer}\n`);
});
process.stdin.resume().on('end', () => process.exit(0));

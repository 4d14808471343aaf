// An MCP server that wants to know who comes, and the authorization server that it trusts
// (oidc-provider), for tests of signing in. The person always agrees.
//
//   node --import tests/peers/resolve.mjs tests/peers/oidc_sign_in.mjs
//
// Both listen on free ports of 127.0.0.1. Prints the URL of the MCP server on a line and ends when
// its input ends. POST /mcp answers 401 with a challenge, or 200 and what the token says, as JSON; to
// messages of MCP it answers as a small server with one tool, `whoami`.
// The scope `mcp:write` is wanted of requests to /mcp?write. With TEST_DPOP set, tokens have to come
// with a proof, and both servers want a nonce in it. With TEST_REPORT set, one line of JSON for each
// request to the token endpoint tells what it was sent.
import { createHash, randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import { calculateJwkThumbprint, EmbeddedJWK, jwtVerify } from 'jose';
import Provider from 'oidc-provider';

const kNonce = 'nonce-of-the-resource';
const dpop = Boolean(process.env.TEST_DPOP);
const authorizationServer = createServer();
const resourceServer = createServer();

function urlOf(server) {
  return `http://127.0.0.1:${server.address().port}`;
}

async function report(context, next) {
  await next();
  if (context.oidc?.route !== 'token') return;
  const line = { sent: context.oidc.body, status: context.status };
  process.stdout.write(`${JSON.stringify(line)}\n`);
}

function configuration(resource) {
  return {
    clients: [],
    scopes: ['openid', 'offline_access', 'mcp:read', 'mcp:write'],
    clientAuthMethods: ['none', 'client_secret_basic', 'client_secret_post'],
    cookies: { keys: [randomBytes(16).toString('hex')] },
    rotateRefreshToken: true,
    interactions: { url: (_context, interaction) => `/interaction/${interaction.uid}` },
    features: {
      devInteractions: { enabled: false },
      registration: { enabled: true },
      revocation: { enabled: true },
      dPoP: dpop
        ? { enabled: true, nonceSecret: randomBytes(32), requireNonce: () => true }
        : { enabled: false },
      resourceIndicators: {
        enabled: true,
        useGrantedResource: () => true,
        getResourceServerInfo: () => ({
          audience: resource,
          scope: 'mcp:read mcp:write',
          accessTokenFormat: 'opaque',
          accessTokenTTL: 3600,
        }),
      },
    },
  };
}

// The person signs in and agrees to everything, without a page in between.
async function agree(provider, request, response) {
  const { params, prompt, grantId } = await provider.interactionDetails(request, response);
  if (prompt.name === 'login') {
    await provider.interactionFinished(request, response, { login: { accountId: 'ada' } });
    return;
  }
  const grant = grantId
    ? await provider.Grant.find(grantId)
    : new provider.Grant({ accountId: 'ada', clientId: params.client_id });
  if (prompt.details.missingOIDCScope) grant.addOIDCScope(prompt.details.missingOIDCScope.join(' '));
  for (const [resource, scopes] of Object.entries(prompt.details.missingResourceScopes ?? {})) {
    grant.addResourceScope(resource, scopes.join(' '));
  }
  await provider.interactionFinished(request, response, { consent: { grantId: await grant.save() } });
}

async function checkProof(request, token, resource) {
  const { payload, protectedHeader } = await jwtVerify(request.headers.dpop ?? '', EmbeddedJWK, {
    typ: 'dpop+jwt',
  });
  const good =
    payload.htm === request.method &&
    payload.htu === resource &&
    payload.ath === createHash('sha256').update(token.jti).digest('base64url') &&
    token.jkt === (await calculateJwkThumbprint(protectedHeader.jwk));
  return { good, nonce: payload.nonce };
}

async function refusal(provider, request, resource) {
  const [scheme, value] = (request.headers.authorization ?? ' ').split(' ');
  const token = value && (await provider.AccessToken.find(value));
  if (!token?.isValid || token.aud !== resource || scheme !== (dpop ? 'DPoP' : 'Bearer')) {
    return { status: 401, error: 'invalid_token', extra: '' };
  }
  if (dpop) {
    const proof = await checkProof(request, token, resource).catch(() => ({ good: false }));
    if (!proof.good) return { status: 401, error: 'invalid_dpop_proof', extra: '' };
    if (proof.nonce !== kNonce) return { status: 401, error: 'use_dpop_nonce', extra: '' };
  }
  const wanted = request.url.endsWith('?write') ? 'mcp:write' : 'mcp:read';
  if (!token.scope.split(' ').includes(wanted)) {
    return { status: 403, error: 'insufficient_scope', extra: `, scope="${wanted}"` };
  }
  return { token };
}

async function bodyOf(request) {
  let text = '';
  for await (const piece of request) text += piece;
  return text;
}

// What the server says to a message; nothing to a notification.
function mcpResult({ method }, token) {
  if (method === 'initialize') {
    return {
      protocolVersion: '2025-11-25',
      capabilities: { tools: {} },
      serverInfo: { name: 'signed-in', version: '1.0.0' },
    };
  }
  if (method === 'tools/list') {
    return { tools: [{ name: 'whoami', inputSchema: { type: 'object' } }] };
  }
  if (method === 'tools/call') return { content: [{ type: 'text', text: token.accountId }] };
  return undefined;
}

function answerMessage(message, token, response) {
  if (message.id === undefined) {
    response.writeHead(202).end();
    return;
  }
  const result = mcpResult(message, token);
  const rest = result ? { result } : { error: { code: -32601, message: 'Method not found' } };
  response.writeHead(200, { 'Content-Type': 'application/json' });
  response.end(JSON.stringify({ jsonrpc: '2.0', id: message.id, ...rest }));
}

async function serveResource(provider, request, response) {
  const body = await bodyOf(request);
  const resource = `${urlOf(resourceServer)}/mcp`;
  const metadata = '/.well-known/oauth-protected-resource/mcp';
  if (request.url === metadata) {
    response.setHeader('Content-Type', 'application/json');
    response.end(
      JSON.stringify({
        resource,
        authorization_servers: [urlOf(authorizationServer)],
        scopes_supported: ['mcp:read'],
      }),
    );
    return;
  }
  if (!request.url.startsWith('/mcp')) {
    response.writeHead(404).end();
    return;
  }
  const { status, error, extra, token } = await refusal(provider, request, resource);
  if (!token) {
    const place = `resource_metadata="${urlOf(resourceServer)}${metadata}"`;
    const fields = {
      'WWW-Authenticate': `${dpop ? 'DPoP' : 'Bearer'} error="${error}", ${place}${extra}`,
      ...(error === 'use_dpop_nonce' && { 'DPoP-Nonce': kNonce }),
    };
    response.writeHead(status, fields).end();
    return;
  }
  if (body.startsWith('{')) {
    answerMessage(JSON.parse(body), token, response);
    return;
  }
  response.setHeader('Content-Type', 'application/json');
  response.end(JSON.stringify({ account: token.accountId, scope: token.scope }));
}

await Promise.all(
  [authorizationServer, resourceServer].map(
    (server) => new Promise((resolve) => server.listen(0, '127.0.0.1', resolve)),
  ),
);
const provider = new Provider(
  urlOf(authorizationServer),
  configuration(`${urlOf(resourceServer)}/mcp`),
);
if (process.env.TEST_REPORT) provider.use(report);
const answer = provider.callback();
authorizationServer.on('request', (request, response) => {
  if (!request.url.startsWith('/interaction/')) {
    answer(request, response);
    return;
  }
  agree(provider, request, response).catch((error) => response.writeHead(500).end(String(error)));
});
resourceServer.on('request', (request, response) => {
  serveResource(provider, request, response).catch(() => response.writeHead(500).end());
});
process.stdout.write(`${urlOf(resourceServer)}/mcp\n`);
process.stdin.resume().on('end', () => process.exit(0));

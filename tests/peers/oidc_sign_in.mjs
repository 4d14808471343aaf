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
import { agreeingProvider } from './agreeing_provider.mjs';

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
const proofs = { enabled: true, nonceSecret: randomBytes(32), requireNonce: () => true };
const { provider, answer } = agreeingProvider(
  urlOf(authorizationServer),
  `${urlOf(resourceServer)}/mcp`,
  {
    features: { dPoP: dpop ? proofs : { enabled: false } },
    middleware: process.env.TEST_REPORT ? report : undefined,
  },
);
authorizationServer.on('request', answer);
resourceServer.on('request', (request, response) => {
  serveResource(provider, request, response).catch(() => response.writeHead(500).end());
});
process.stdout.write(`${urlOf(resourceServer)}/mcp\n`);
process.stdin.resume().on('end', () => process.exit(0));

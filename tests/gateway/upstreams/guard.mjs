// Lets nobody at a server who has no good token, with the middleware of the TypeScript SDK. A token
// is good as long as the authorization server says so: it is asked each time (RFC 7662).
import { getOAuthProtectedResourceMetadataUrl, mcpAuthMetadataRouter } from '@modelcontextprotocol/sdk/server/auth/router.js';
import { InvalidTokenError } from '@modelcontextprotocol/sdk/server/auth/errors.js';
import { requireBearerAuth } from '@modelcontextprotocol/sdk/server/auth/middleware/bearerAuth.js';
import express from 'express';

/** TEST_ISSUER names the authorization server; TEST_INTROSPECTOR is `id:secret` of a client there. */
const { TEST_ISSUER: issuer, TEST_INTROSPECTOR: introspector } = process.env;

function verifierAt(endpoint) {
  const authorization = `Basic ${Buffer.from(introspector).toString('base64')}`;
  const verifyAccessToken = async (token) => {
    const body = new URLSearchParams({ token, token_type_hint: 'access_token' });
    const answer = await fetch(endpoint, { method: 'POST', body, headers: { authorization } });
    const about = await answer.json();
    if (!about.active) throw new InvalidTokenError('The token is not active');
    const scopes = about.scope.split(' ');
    return { token, clientId: about.client_id, scopes, expiresAt: about.exp, resource: new URL(about.aud) };
  };
  return { verifyAccessToken };
}

/** What answers requests to a server that listens on `port`: `answer`, to those who are let in. */
export async function guarded(answer, port) {
  const metadata = await (await fetch(`${issuer}/.well-known/openid-configuration`)).json();
  const resource = new URL(`http://127.0.0.1:${port}/mcp`);
  const scopes = ['mcp:read'];
  const guard = requireBearerAuth({
    verifier: verifierAt(metadata.introspection_endpoint),
    requiredScopes: scopes,
    resourceMetadataUrl: getOAuthProtectedResourceMetadataUrl(resource),
    expectedResource: resource,
  });
  const app = express();
  app.use(mcpAuthMetadataRouter({ oauthMetadata: metadata, resourceServerUrl: resource, scopesSupported: scopes }));
  app.all('/mcp', guard, (request, response) => answer(request, response));
  return app;
}

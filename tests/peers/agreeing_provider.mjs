// An authorization server (oidc-provider) at which a person always signs in and agrees at once,
// without a page in between. Clients register themselves; tokens are opaque and can be revoked.
import { randomBytes } from 'node:crypto';
import Provider from 'oidc-provider';

function configuration(audience, { clients = [], features = {} }) {
  return {
    clients,
    scopes: ['openid', 'offline_access', 'mcp:read', 'mcp:write'],
    clientAuthMethods: ['none', 'client_secret_basic', 'client_secret_post'],
    cookies: { keys: [randomBytes(16).toString('hex')] },
    rotateRefreshToken: true,
    interactions: { url: (_context, interaction) => `/interaction/${interaction.uid}` },
    features: {
      devInteractions: { enabled: false },
      registration: { enabled: true },
      revocation: { enabled: true },
      resourceIndicators: {
        enabled: true,
        useGrantedResource: () => true,
        getResourceServerInfo: (_context, resource) => ({
          audience: audience ?? resource,
          scope: 'mcp:read mcp:write',
          accessTokenFormat: 'opaque',
          accessTokenTTL: 3600,
        }),
      },
      ...features,
    },
  };
}

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

/**
 * The provider, and what answers requests to it. Tokens are for `audience`; without one, for the
 * resource that was asked for. `clients` and `features` are those of oidc-provider.
 */
export function agreeingProvider(issuer, audience, options = {}) {
  const provider = new Provider(issuer, configuration(audience, options));
  if (options.middleware) provider.use(options.middleware);
  const callback = provider.callback();
  const answer = (request, response) => {
    if (!request.url.startsWith('/interaction/')) {
      callback(request, response);
      return;
    }
    agree(provider, request, response).catch((error) => response.writeHead(500).end(String(error)));
  };
  return { provider, answer };
}

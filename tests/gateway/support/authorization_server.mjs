// An authorization server that guards a server behind the gateway, and knows who asked it for what.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { agreeingProvider } from '../../peers/agreeing_provider.mjs';

const kIntrospector = { client_id: 'guard', client_secret: 'secret-of-the-guard' };

export class AuthorizationServer {
  /** Requests by path, since it began or since forgetCounts(). */
  counts = new Map();
  /** What it answered to requests for tokens: `grant_type`, `status`. */
  tokenRequests = [];
  /** The last tokens that it gave out, and to which client. */
  last;

  static async start() {
    const authority = new AuthorizationServer();
    authority.server = createServer();
    await once(authority.server.listen(0, '127.0.0.1'), 'listening');
    authority.host = `127.0.0.1:${authority.server.address().port}`;
    authority.issuer = `http://${authority.host}`;
    const { provider, answer } = agreeingProvider(authority.issuer, undefined, {
      clients: [{ ...kIntrospector, grant_types: [], redirect_uris: [], response_types: [] }],
      features: { introspection: { enabled: true } },
      middleware: (context, next) => authority.#note(context, next),
    });
    authority.provider = provider;
    authority.server.on('request', answer);
    return authority;
  }

  get introspector() {
    return `${kIntrospector.client_id}:${kIntrospector.client_secret}`;
  }

  async #note(context, next) {
    this.counts.set(context.path, this.count(context.path) + 1);
    await next();
    if (context.oidc?.route !== 'token') return;
    this.tokenRequests.push({ grant_type: context.oidc.body.grant_type, status: context.status });
    if (context.status !== 200) return;
    const { access_token: access, refresh_token: refresh } = context.body;
    this.last = { access, refresh, client: context.oidc.client.clientId };
  }

  count(path) {
    return this.counts.get(path) ?? 0;
  }

  forgetCounts() {
    this.counts.clear();
    this.tokenRequests = [];
  }

  /** The access token alone, as an administrator would: the refresh token stays good. */
  async revokeAccessToken() {
    const token = await this.provider.AccessToken.find(this.last.access);
    await token.destroy();
  }

  /** The whole grant, as the client would (RFC 7009). */
  async revokeGrant() {
    const body = new URLSearchParams({ token: this.last.refresh, client_id: this.last.client });
    const answer = await fetch(`${this.issuer}/token/revocation`, { method: 'POST', body });
    assert.equal(answer.status, 200, await answer.text());
    assert.equal(await this.provider.AccessToken.find(this.last.access), undefined);
  }

  async stop() {
    this.server.closeAllConnections();
    this.server.close();
  }
}

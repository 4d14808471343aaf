// Another real authorization server (oauth2-mock-server) for tests of the tokens that we ask for.
//
//   node --import tests/peers/resolve.mjs tests/peers/oauth2_mock_server.mjs
//
// Listens on a free port of 127.0.0.1, prints its issuer on a line, then one line of JSON for each
// request to the token endpoint: what it was sent and what it answered. Gives a refresh token with
// each token; a token for the scope `brief` lives for a second, one for `unstated` has no
// `expires_in`. Ends when its input ends.
import { OAuth2Server, Events } from 'oauth2-mock-server';

const kBriefSeconds = 1;
const scopes = new Map(); // of each refresh token

const server = new OAuth2Server();
await server.issuer.keys.generate('RS256');
await server.start(0, '127.0.0.1');
server.issuer.url = `http://127.0.0.1:${server.address().port}`;

function parameters(body) {
  return body instanceof URLSearchParams ? Object.fromEntries(body) : { ...body };
}

server.service.on(Events.BeforeTokenSigning, (token, request) => {
  const { client_id, audience } = parameters(request.body);
  Object.assign(token.payload, { azp: client_id, ...(audience && { aud: audience }) });
});

server.service.on(Events.BeforeResponse, (response, request) => {
  const sent = parameters(request.body);
  const scope = sent.scope ?? scopes.get(sent.refresh_token);
  response.body.refresh_token ??= crypto.randomUUID();
  scopes.set(response.body.refresh_token, scope);
  if (scope === 'brief') response.body.expires_in = kBriefSeconds;
  if (scope === 'unstated') delete response.body.expires_in;
  const line = { sent, authorization: request.headers.authorization, answer: response.body };
  process.stdout.write(`${JSON.stringify(line)}\n`);
});

process.stdout.write(`${server.issuer.url}\n`);
process.stdin.resume().on('end', () => process.exit(0));

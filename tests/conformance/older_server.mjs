// conformance_server as a server of 2025-11-25 that has never heard of later revisions, the way the
// servers on the first SDK are: between it and its client, and strict about what such a server would
// not know. Whatever else is said passes through as it is.
//
//   node older_server.mjs --port N    over HTTP, for the server at TEST_UPSTREAM
//   node older_server.mjs --stdio     starts the server and is its standard input and output
import { spawn } from 'node:child_process';
import http from 'node:http';
import readline from 'node:readline';
import { conformanceServer } from '../peers/paths.mjs';

const kVersionClaim = 'io.modelcontextprotocol/protocolVersion';
const kKnown = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05', '2024-10-07'];

const problem = (id, code, message) => JSON.stringify({ jsonrpc: '2.0', id, error: { code, message } });

const parsed = (text) => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

function relay(request, body, response) {
  const { method, url, headers } = request;
  const onwards = http.request(new URL(url, process.env.TEST_UPSTREAM), { method, headers }, (answer) => {
    response.writeHead(answer.statusCode, answer.headers);
    response.flushHeaders();
    answer.pipe(response);
  });
  onwards.on('error', () => response.destroy());
  response.on('close', () => onwards.destroy());
  onwards.end(body);
}

// As StreamableHTTPServerTransport looks at a request: its version first, then its session.
function refusal(request, message) {
  const version = request.headers['mcp-protocol-version'];
  if (message?.method === 'initialize') return undefined;
  if (!request.headers['mcp-session-id']) return 'Bad Request: Server not initialized';
  if (version && !kKnown.includes(version)) return `Bad Request: Unsupported protocol version: ${version}`;
  return undefined;
}

async function take(request, response) {
  const pieces = [];
  for await (const piece of request) pieces.push(piece);
  const body = Buffer.concat(pieces);
  const refused = refusal(request, parsed(body.toString('utf8')));
  if (!refused) return relay(request, body, response);
  response.writeHead(400, { 'content-type': 'application/json' });
  response.end(problem(null, -32000, refused));
}

function serveHttp(port) {
  http.createServer((request, response) => take(request, response)).listen(port, '127.0.0.1');
}

// On stdio such a server answers whatever it knows, and ignores `_meta` of others.
function withoutClaim(message) {
  if (!message?.params?._meta?.[kVersionClaim]) return message;
  const { _meta, ...params } = message.params;
  return { ...message, params };
}

function serveStdio() {
  const child = spawn(conformanceServer, ['--stdio'], { stdio: ['pipe', 'inherit', 'inherit'] });
  const lines = readline.createInterface({ input: process.stdin });
  lines.on('line', (line) => {
    const message = parsed(line);
    if (message?.method === 'server/discover') {
      process.stdout.write(`${problem(message.id, -32601, 'Method not found')}\n`);
    } else {
      child.stdin.write(`${message === undefined ? line : JSON.stringify(withoutClaim(message))}\n`);
    }
  });
  lines.on('close', () => child.stdin.end());
  process.on('SIGTERM', () => child.kill('SIGTERM'));
  child.on('exit', (code) => process.exit(code ?? 1));
}

const [how, port] = process.argv.slice(2);
if (how === '--stdio') serveStdio();
else serveHttp(Number(port));

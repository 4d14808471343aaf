// Many MCP servers in one process, for what a gateway's catalogue costs: /s0/mcp, /s1/mcp, …, each
// with many tools whose definitions are as long as real ones (some 600 bytes). Both eras, no
// sessions, every answer made beforehand. A tool repeats its argument `query`.
//
//   node many_servers.mjs PORT SERVERS TOOLS
import { createServer } from 'node:http';

const [port, servers, tools] = process.argv.slice(2).map(Number);
const kVersions = ['2026-07-28', '2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'];
const kSubjects = ['invoices', 'customers', 'tickets', 'deployments', 'messages', 'documents', 'meetings'];
const kVerbs = ['search', 'create', 'update', 'archive', 'export', 'summarise', 'watch'];

function tool(server, index) {
  const subject = kSubjects[(server + index) % kSubjects.length];
  const verb = kVerbs[index % kVerbs.length];
  const text = (description) => ({ type: 'string', description });
  return {
    name: `${verb}_${subject}_${index}`,
    title: `${verb} ${subject} ${index}`,
    description:
      `${verb} ${subject} of workspace ${server} in collection ${index}. Gives at most fifty entries, the ` +
      'newest first; use the cursor of the answer for more. Nothing is changed unless dry_run is false.',
    inputSchema: {
      type: 'object',
      properties: {
        query: text(`Words that the ${subject} must have; quotes keep words together.`),
        cursor: text('Where the answer before this one ended.'),
        limit: { type: 'integer', minimum: 1, maximum: 50, default: 20 },
        dry_run: { type: 'boolean', default: true },
      },
      required: ['query'],
    },
    annotations: { readOnlyHint: index % 2 === 0, openWorldHint: false },
  };
}

const lists = Array.from({ length: servers }, (_, server) =>
  JSON.stringify(Array.from({ length: tools }, (_, index) => tool(server, index))),
);
const meta = (server) => ({ 'io.modelcontextprotocol/serverInfo': { name: `s${server}`, version: '1.0.0' } });
const isModern = (request) => request.params?._meta?.['io.modelcontextprotocol/protocolVersion'] === kVersions[0];

const kMethods = {
  initialize: (server, { params }) =>
    JSON.stringify({
      protocolVersion: kVersions.includes(params.protocolVersion) ? params.protocolVersion : kVersions[1],
      capabilities: { tools: {} },
      serverInfo: { name: `s${server}`, version: '1.0.0' },
    }),
  'server/discover': (server) =>
    JSON.stringify({
      resultType: 'complete',
      supportedVersions: kVersions,
      capabilities: { tools: {} },
      ttlMs: 60_000,
      cacheScope: 'public',
      _meta: meta(server),
    }),
  'tools/list': (server, request) =>
    isModern(request)
      ? `{"resultType":"complete","ttlMs":60000,"cacheScope":"public","tools":${lists[server]}}`
      : `{"tools":${lists[server]}}`,
  'tools/call': (server, request) => {
    const content = [{ type: 'text', text: String(request.params.arguments?.query) }];
    return JSON.stringify(isModern(request) ? { resultType: 'complete', content } : { content });
  },
  ping: () => '{}',
};

function answer(server, body) {
  const request = JSON.parse(body);
  if (request.id === undefined) return null;
  const method = kMethods[request.method];
  const outcome = method
    ? `"result":${method(server, request)}`
    : '"error":{"code":-32601,"message":"There is no such method"}';
  return `{"jsonrpc":"2.0","id":${JSON.stringify(request.id)},${outcome}}`;
}

createServer((request, response) => {
  const server = Number(/^\/s(\d+)\/mcp$/.exec(request.url)?.[1] ?? -1);
  if (!(server >= 0 && server < servers)) return response.writeHead(404).end();
  if (request.method !== 'POST') return response.writeHead(405).end();
  const chunks = [];
  request.on('data', (chunk) => chunks.push(chunk));
  request.on('end', () => {
    const text = answer(server, Buffer.concat(chunks).toString());
    if (text === null) return response.writeHead(202).end();
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) });
    response.end(text);
  });
}).listen(port, '127.0.0.1');

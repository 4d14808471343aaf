// A fetch tool on the TypeScript SDK 1.x as its documentation shows it: express, a server and a
// transport for each request, JSON answers. The page comes back as it is.
//
//   node sdk1_fetch.mjs PORT
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import express from 'express';
import { z } from 'zod';

function makeServer() {
  const server = new McpServer({ name: 'bench', version: '1.0.0' });
  server.registerTool(
    'fetch',
    { description: 'Fetches a URL.', inputSchema: { url: z.string().url() } },
    async ({ url }) => {
      const response = await fetch(url);
      return { content: [{ type: 'text', text: await response.text() }] };
    },
  );
  return server;
}

const app = express();
app.use(express.json());
app.post('/mcp', async (request, response) => {
  const server = makeServer();
  const transport = new StreamableHTTPServerTransport({
    sessionIdGenerator: undefined,
    enableJsonResponse: true,
  });
  response.on('close', () => {
    transport.close();
    server.close();
  });
  await server.connect(transport);
  await transport.handleRequest(request, response, request.body);
});
app.listen(Number(process.argv[2]), '127.0.0.1');

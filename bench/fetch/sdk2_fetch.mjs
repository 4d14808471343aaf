// The fetch tool of sdk1_fetch.mjs on the TypeScript SDK 2.x, as its documentation recommends for
// Node.
//
//   node sdk2_fetch.mjs PORT
import { createServer } from 'node:http';
import { toNodeHandler } from '@modelcontextprotocol/node';
import { McpServer, createMcpHandler } from '@modelcontextprotocol/server';
import * as z from 'zod/v4';

const handler = toNodeHandler(
  createMcpHandler(() => {
    const server = new McpServer({ name: 'bench', version: '1.0.0' });
    server.registerTool(
      'fetch',
      { description: 'Fetches a URL.', inputSchema: z.object({ url: z.url() }) },
      async ({ url }) => {
        const response = await fetch(url);
        return { content: [{ type: 'text', text: await response.text() }] };
      },
    );
    return server;
  }),
);

createServer((request, response) => void handler(request, response)).listen(
  Number(process.argv[2]),
  '127.0.0.1',
);

// The echo tool on the TypeScript SDK 2.x, as its documentation recommends for Node: one handler
// for both eras, behind the checks of Host and Origin.
//
//   node sdk2.mjs PORT
import { createServer } from 'node:http';
import {
  localhostHostValidation,
  localhostOriginValidation,
  toNodeHandler,
} from '@modelcontextprotocol/node';
import { McpServer, createMcpHandler } from '@modelcontextprotocol/server';
import * as z from 'zod/v4';

const handler = toNodeHandler(
  createMcpHandler(() => {
    const server = new McpServer({ name: 'bench', version: '1.0.0' });
    server.registerTool(
      'echo',
      { description: 'Returns the text.', inputSchema: z.object({ text: z.string() }) },
      async ({ text }) => ({ content: [{ type: 'text', text }] }),
    );
    return server;
  }),
);
const hostIsLocal = localhostHostValidation();
const originIsLocal = localhostOriginValidation();

createServer((request, response) => {
  if (hostIsLocal(request, response) && originIsLocal(request, response)) {
    void handler(request, response);
  }
}).listen(Number(process.argv[2]), '127.0.0.1');

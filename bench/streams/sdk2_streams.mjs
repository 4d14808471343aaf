// The same opening and pulls on the TypeScript SDK 2.x, as short as they can be: one stream, no
// acknowledgements kept, no credit, no guard, no log.
//
//   node sdk2_streams.mjs PORT ORIGIN
import { randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import { toNodeHandler } from '@modelcontextprotocol/node';
import { McpServer, createMcpHandler } from '@modelcontextprotocol/server';
import * as z from 'zod/v4';

const [port, origin] = process.argv.slice(2);
const kFrame = 256 * 1024;
const kMost = 1024 * 1024;
const streams = new Map();

async function nextFrames({ reader, held, id, stream }) {
  const frames = [];
  for (let bytes = 0; bytes < kMost; ) {
    while (held.size < kFrame && !held.ended) {
      const { value, done } = await reader.read();
      held.ended = done;
      if (!done) {
        held.pieces.push(value);
        held.size += value.length;
      }
    }
    if (held.size === 0) {
      frames.push({ id, seq: stream.seq++, kind: 'end' });
      break;
    }
    const whole = Buffer.concat(held.pieces);
    const frame = whole.subarray(0, kFrame);
    held.pieces = [whole.subarray(kFrame)];
    held.size = whole.length - frame.length;
    bytes += frame.length;
    frames.push({ id, seq: stream.seq++, kind: 'data', b64: frame.toString('base64') });
  }
  return frames;
}

const handler = toNodeHandler(
  createMcpHandler(() => {
    const server = new McpServer({ name: 'bench', version: '1.0.0' });
    server.registerTool(
      'http_request_stream',
      { description: 'Opens.', inputSchema: z.object({ view: z.string(), url: z.string() }) },
      async ({ url }) => {
        const response = await fetch(new URL(url, origin));
        const id = randomBytes(16).toString('base64url');
        streams.set(id, { reader: response.body.getReader(), seq: 0, held: { pieces: [], size: 0, ended: false } });
        return { content: [], structuredContent: { status: response.status, streamId: id } };
      },
    );
    server.registerTool(
      'stream_pull',
      {
        description: 'Pulls.',
        inputSchema: z.object({
          view: z.string(),
          acks: z.record(z.string(), z.number()),
          credit: z.record(z.string(), z.number()).optional(),
          maxBytes: z.number().optional(),
        }),
      },
      async ({ acks }) => {
        const [id] = Object.keys(acks);
        const stream = streams.get(id);
        const frames =
          stream === undefined ? [] : await nextFrames({ ...stream, held: stream.held, id, stream });
        if (frames.at(-1)?.kind === 'end') streams.delete(id);
        return { content: [], structuredContent: { frames, closed: [], open: streams.size } };
      },
    );
    return server;
  }),
);

createServer((request, response) => void handler(request, response)).listen(Number(port), '127.0.0.1');

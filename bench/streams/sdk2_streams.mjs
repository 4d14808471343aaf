// The same tools on the TypeScript SDK 2.x, as short as they can be: no acknowledgements kept, no
// credit, no guard, no log.
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

const newId = () => randomBytes(16).toString('base64url');
const answer = (structuredContent) => ({ content: [], structuredContent });
const bodyOf = (reader) => ({ reader, seq: 0, pieces: [], size: 0, ended: false });

async function bodyFrames(id, stream) {
  const frames = [];
  for (let bytes = 0; bytes < kMost; ) {
    while (stream.size < kFrame && !stream.ended) {
      const { value, done } = await stream.reader.read();
      stream.ended = done;
      if (!done) {
        stream.pieces.push(value);
        stream.size += value.length;
      }
    }
    if (stream.size === 0) {
      frames.push({ id, seq: stream.seq++, kind: 'end' });
      break;
    }
    const whole = Buffer.concat(stream.pieces);
    const frame = whole.subarray(0, kFrame);
    stream.pieces = [whole.subarray(kFrame)];
    stream.size = whole.length - frame.length;
    bytes += frame.length;
    frames.push({ id, seq: stream.seq++, kind: 'data', b64: frame.toString('base64') });
  }
  return frames;
}

async function messageFrames(id, stream) {
  while (stream.messages.length === 0) await new Promise((resolve) => (stream.wake = resolve));
  return stream.messages.splice(0).map((text) => ({ id, seq: stream.seq++, kind: 'text', text }));
}

async function uploadFrames(id, stream) {
  const response = await stream.response;
  streams.set(id, bodyOf(response.body.getReader()));
  return bodyFrames(id, streams.get(id));
}

const tools = {
  http_request_stream: {
    inputSchema: z.object({
      view: z.string(),
      url: z.string(),
      method: z.string().optional(),
      upload: z.boolean().optional(),
    }),
    async run({ url, method, upload }) {
      const id = newId();
      if (upload) {
        const { readable, writable } = new TransformStream();
        const response = fetch(new URL(url, origin), { method, body: readable, duplex: 'half' });
        streams.set(id, { response, writer: writable.getWriter() });
        return answer({ streamId: id });
      }
      const response = await fetch(new URL(url, origin));
      streams.set(id, bodyOf(response.body.getReader()));
      return answer({ status: response.status, streamId: id });
    },
  },
  stream_push: {
    inputSchema: z.object({
      view: z.string(),
      id: z.string(),
      seq: z.number(),
      fin: z.boolean().optional(),
      b64: z.string(),
    }),
    async run({ id, seq, fin, b64 }) {
      const { writer } = streams.get(id);
      await writer.write(Buffer.from(b64, 'base64'));
      if (fin) await writer.close();
      return answer({ ack: seq + 1 });
    },
  },
  ws_connect: {
    inputSchema: z.object({ view: z.string(), url: z.string() }),
    async run({ url }) {
      const id = newId();
      const socket = new WebSocket(new URL(url, origin.replace('http', 'ws')));
      const stream = { socket, messages: [], seq: 0, wake: undefined };
      await new Promise((resolve, reject) => ((socket.onopen = resolve), (socket.onerror = reject)));
      socket.onmessage = ({ data }) => {
        stream.messages.push(data);
        stream.wake?.();
      };
      streams.set(id, stream);
      return answer({ connectionId: id });
    },
  },
  ws_send: {
    inputSchema: z.object({
      view: z.string(),
      connectionId: z.string(),
      seq: z.number(),
      messages: z.array(z.object({ text: z.string() })),
    }),
    run({ connectionId, seq, messages }) {
      for (const { text } of messages) streams.get(connectionId).socket.send(text);
      return answer({ ack: seq + 1 });
    },
  },
  stream_pull: {
    inputSchema: z.object({
      view: z.string(),
      acks: z.record(z.string(), z.number()),
      credit: z.record(z.string(), z.number()).optional(),
      maxBytes: z.number().optional(),
    }),
    async run({ acks }) {
      const [id] = Object.keys(acks);
      const stream = streams.get(id);
      const next = stream?.socket ? messageFrames : stream?.response ? uploadFrames : bodyFrames;
      const frames = stream === undefined ? [] : await next(id, stream);
      if (frames.at(-1)?.kind === 'end') streams.delete(id);
      return answer({ frames, closed: [], open: streams.size });
    },
  },
};

const handler = toNodeHandler(
  createMcpHandler(() => {
    const server = new McpServer({ name: 'bench', version: '1.0.0' });
    for (const [name, { inputSchema, run }] of Object.entries(tools)) {
      server.registerTool(name, { description: name, inputSchema }, run);
    }
    return server;
  }),
);

createServer((request, response) => void handler(request, response)).listen(Number(port), '127.0.0.1');

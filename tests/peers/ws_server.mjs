// A real server of WebSockets (the package ws) for tests of those that we open.
//
//   node --import tests/peers/resolve.mjs tests/peers/ws_server.mjs
//
// Listens on a free port of 127.0.0.1 (with TLS where TEST_CERTIFICATE and TEST_KEY name files),
// prints its URL on a line, then one line of JSON for each handshake and for each end. Speaks the
// subprotocols `chat` and `superchat`, compresses what is longer than 100 bytes, and sends back
// what comes; the texts `headers`, `close CODE REASON`, `break` and `count N` are orders. Ends when
// its input ends.
import { readFileSync } from 'node:fs';
import http from 'node:http';
import https from 'node:https';
import { WebSocketServer } from 'ws';

const { TEST_CERTIFICATE, TEST_KEY } = process.env;
const isSecure = TEST_CERTIFICATE !== undefined;
const server = isSecure
  ? https.createServer({ cert: readFileSync(TEST_CERTIFICATE), key: readFileSync(TEST_KEY) })
  : http.createServer();
const sockets = new WebSocketServer({
  server,
  perMessageDeflate: { threshold: 100 },
  handleProtocols: (offered) => ['superchat', 'chat'].find((name) => offered.has(name)) ?? false,
});
const report = (line) => process.stdout.write(`${JSON.stringify(line)}\n`);

sockets.on('connection', (socket, request) => {
  report({ url: request.url, headers: request.headers, extensions: socket.extensions });
  socket.on('message', (data, isBinary) => {
    const text = isBinary ? '' : data.toString();
    const [order, argument, ...rest] = text.split(' ');
    if (text === 'headers') socket.send(JSON.stringify(request.headers));
    else if (text === 'break') socket.terminate();
    else if (order === 'close') socket.close(Number(argument), rest.join(' '));
    else if (order === 'count') {
      for (let i = 0; i < Number(argument); ++i) socket.send(`${i}`.padEnd(1000, '.'));
    } else socket.send(data, { binary: isBinary });
  });
  socket.on('close', (code, reason) => report({ closed: code, reason: reason.toString() }));
});

server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`${isSecure ? 'wss' : 'ws'}://127.0.0.1:${server.address().port}\n`);
});
process.stdin.resume().on('end', () => process.exit(0));

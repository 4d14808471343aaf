// The shop's backend: an ordinary web server that knows nothing of MCP.
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { type WebSocket, WebSocketServer } from "ws";

interface Item {
  name: string;
  count: number;
}

const prices = new Map([
  ["Apple", 120],
  ["Bread", 340],
  ["Cheese", 780],
]);
const cart: Item[] = [];

async function bodyOf(request: IncomingMessage): Promise<unknown> {
  let text = "";
  for await (const chunk of request) text += String(chunk);
  return JSON.parse(text || "null");
}

const json = (response: ServerResponse, value: unknown, status = 200): void =>
  void response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(value));

async function serveCart(request: IncomingMessage, response: ServerResponse): Promise<void> {
  if (request.method !== "POST") return json(response, cart);
  const { name } = ((await bodyOf(request).catch(() => null)) ?? {}) as { name?: string };
  if (name === undefined || !prices.has(name)) return json(response, { error: "No such item." }, 422);
  const known = cart.find((item) => item.name === name);
  if (known === undefined) cart.push({ name, count: 1 });
  else known.count += 1;
  json(response, cart);
}

/** Prices move a little every second; who was away hears all of them again. */
function servePrices(response: ServerResponse): void {
  response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-store" });
  const say = (): void =>
    void response.write(`id: ${Date.now()}\ndata: ${JSON.stringify(Object.fromEntries(prices))}\n\n`);
  say();
  const timer = setInterval(say, 1000);
  response.on("close", () => clearInterval(timer));
}

export async function startBackend(page: () => string): Promise<{ url: string; close(): void }> {
  const moving = setInterval(() => {
    for (const [name, price] of prices)
      prices.set(name, Math.max(50, price + Math.round(Math.random() * 20 - 10)));
  }, 1000);
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? "/", "http://shop");
    if (pathname === "/api/cart") return void serveCart(request, response);
    if (pathname === "/api/prices") return servePrices(response);
    if (pathname !== "/") return json(response, { error: "Nothing here." }, 404);
    response.writeHead(200, { "content-type": "text/html;charset=utf-8" }).end(page());
  });
  const chat = new WebSocketServer({ server, path: "/api/chat", maxPayload: 4096 });
  const everybody = new Set<WebSocket>();
  chat.on("connection", (socket) => {
    everybody.add(socket);
    socket.send("Welcome to the shop.");
    socket.on("message", (text) => {
      for (const each of everybody) each.send(String(text));
    });
    socket.on("close", () => everybody.delete(socket));
    socket.on("error", () => {});
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () => {
      clearInterval(moving);
      server.closeAllConnections();
      server.close();
    },
  };
}

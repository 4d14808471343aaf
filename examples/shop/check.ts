// Starts the shop as people do, and asks it once: its pages, its backend, and the backend through the gateway.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";

const shop = spawn(process.execPath, ["--no-warnings", "shop/main.ts"], {
  stdio: ["ignore", "pipe", "inherit"],
});

/** The two addresses that it prints. */
const addresses = new Promise<string[]>((resolve, reject) => {
  let text = "";
  shop.stdout.on("data", (chunk) => {
    text += String(chunk);
    const found = text.match(/http:\S+/g) ?? [];
    if (found.length >= 2) resolve(found);
  });
  shop.once("exit", () => reject(new Error(`The shop ended:\n${text}`)));
});

async function textOf(url: string | URL): Promise<string> {
  const response = await fetch(url);
  assert.equal(response.status, 200, String(url));
  return response.text();
}

try {
  const [frame, page] = await addresses;
  assert.match(await textOf(frame), /<script>/);
  assert.match(await textOf(new URL("/app.html?app=shop", frame)), /<title>Shop/);
  assert.match(await textOf(page), /<title>Shop/);
  assert.equal(await textOf(new URL("/api/cart", page)), "[]");

  const client = new Client({ name: "shop-check", version: "1.0.0" });
  await client.connect(new StreamableHTTPClientTransport(new URL("/mcp", frame)));
  const body = JSON.stringify({ name: "Apple" });
  const order = { method: "POST", url: "/api/cart", body, bodyType: "text" };
  const { structuredContent } = await client.callTool({ name: "http_request", arguments: order });
  assert.equal((structuredContent as { status?: number }).status, 200);
  await client.close();
  assert.equal(await textOf(new URL("/api/cart", page)), '[{"name":"Apple","count":1}]');
  console.log("The shop is open.");
} finally {
  shop.kill();
}

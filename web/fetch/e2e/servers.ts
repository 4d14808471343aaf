// The servers under test: the gateway as it is built, and the one that is scripted.
import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Progress, ToolCallParams } from "../src/calls/tool-caller.ts";
import { kTools, ScriptedGateway } from "../test/gateway/scripted-gateway.ts";

export interface McpServerUnderTest {
  readonly name: string;
  /** The address of its MCP endpoint. */
  readonly url: string;
  hasTool(name: string): Promise<boolean>;
  restart(): Promise<void>;
  close(): Promise<void>;
}

/** The scripted gateway as a server of MCP over HTTP, as small as it can be. */
export class ScriptedServer implements McpServerUnderTest {
  readonly name = "scripted";
  readonly gateway: ScriptedGateway;
  #server = createServer((request, response) => void this.#serve(request, response));
  #running = new Map<string, AbortController>();

  constructor(backend: string) {
    this.gateway = new ScriptedGateway({ baseUrl: backend, paths: ["/api"] });
  }

  async listen(): Promise<this> {
    await new Promise<void>((resolve) => this.#server.listen(0, "127.0.0.1", resolve));
    return this;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/mcp`;
  }

  hasTool(name: string): Promise<boolean> {
    return Promise.resolve((kTools as readonly string[]).includes(name));
  }

  async restart(): Promise<void> {
    const { port } = this.#server.address() as AddressInfo;
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
    this.gateway.restart();
    await new Promise((resolve) => setTimeout(resolve, 500));
    await new Promise<void>((resolve) => this.#server.listen(port, "127.0.0.1", resolve));
  }

  async close(): Promise<void> {
    this.gateway.close();
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.method !== "POST") return void response.writeHead(405).end();
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const message = JSON.parse(Buffer.concat(chunks).toString()) as Message;
    const { id, method, params } = message;
    if (method === "notifications/cancelled") this.#running.get(String(params?.requestId))?.abort();
    if (id === undefined) return void response.writeHead(202).end();
    if (method === "tools/call") return this.#call(message, response);
    response.setHeader("content-type", "application/json");
    const result =
      method === "initialize"
        ? {
            protocolVersion: params?.protocolVersion,
            capabilities: { tools: {} },
            serverInfo: { name: "scripted", version: "1.0.0" },
          }
        : method === "tools/list"
          ? { tools: kTools.map((name) => ({ name, inputSchema: { type: "object" } })) }
          : {};
    response.end(JSON.stringify({ jsonrpc: "2.0", id, result }));
  }

  async #call({ id, params }: Message, response: ServerResponse): Promise<void> {
    const controller = new AbortController();
    this.#running.set(String(id), controller);
    response.on("close", () => controller.abort());
    response.writeHead(200, { "content-type": "text/event-stream" });
    const say = (message: object): void =>
      void response.write(
        `event: message\ndata: ${JSON.stringify({ jsonrpc: "2.0", ...message })}\n\n`,
      );
    const token = (params?._meta as { progressToken?: unknown } | undefined)?.progressToken;
    const onprogress = (progress: Progress): void =>
      say({ method: "notifications/progress", params: { ...progress, progressToken: token } });
    const call = params as unknown as ToolCallParams;
    try {
      const { signal } = controller;
      say({
        id,
        result: await this.gateway.call(call, {
          signal,
          ...(token === undefined ? {} : { onprogress }),
        }),
      });
    } catch (error) {
      say({ id, error: { code: -32602, message: (error as Error).message } });
    }
    this.#running.delete(String(id));
    response.end();
  }
}

interface Message {
  id?: number | string;
  method?: string;
  params?: Record<string, unknown>;
}

/** The program of this project, with one backend. */
export class Sallyport implements McpServerUnderTest {
  readonly name = "sallyport";
  url = "";
  #binary: string;
  #folder = mkdtempSync(join(tmpdir(), "sallyport-e2e-"));
  #process: ChildProcess | undefined;
  #port = 0;

  constructor(
    binary: string,
    backend: string,
    more: object = {},
    settings: { backends?: object[]; [name: string]: unknown } = {},
  ) {
    this.#binary = binary;
    const usual = {
      private_network: true,
      request_bytes: "200MiB",
      response_bytes: "200MiB",
    };
    const shop = { name: "shop", base_url: backend, paths: ["/api"], ...more };
    const backends = [shop, ...(settings.backends ?? [])].map((each) => ({ ...usual, ...each }));
    const all = { ...settings, backends };
    writeFileSync(join(this.#folder, "sallyport.yaml"), JSON.stringify(all)); // JSON is YAML
  }

  get pid(): number {
    return this.#process!.pid!;
  }

  async listen(): Promise<this> {
    const program = spawn(
      this.#binary,
      ["serve", "-c", "sallyport.yaml", "--port", String(this.#port), "--insecure-no-auth"],
      { cwd: this.#folder, env: { ...process.env, XDG_STATE_HOME: this.#folder }, stdio: "pipe" },
    );
    this.#process = program;
    this.url = await new Promise<string>((resolve, reject) => {
      let log = "";
      const listen = (chunk: Buffer): void => {
        log += chunk.toString();
        const found = /mcp="([^"]+)"/.exec(log);
        if (found !== null) resolve(found[1]!);
      };
      program.stdout?.on("data", listen);
      program.stderr?.on("data", listen);
      program.once("exit", () => reject(new Error(`sallyport ended:\n${log}`)));
    });
    this.#port = Number(new URL(this.url).port);
    return this;
  }

  async hasTool(name: string): Promise<boolean> {
    const _meta = {
      "io.modelcontextprotocol/protocolVersion": "2026-07-28",
      "io.modelcontextprotocol/clientInfo": { name: "e2e", version: "1.0.0" },
      "io.modelcontextprotocol/clientCapabilities": {},
    };
    const response = await fetch(this.url, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        "mcp-protocol-version": "2026-07-28",
        "mcp-method": "tools/list",
      },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list", params: { _meta } }),
    });
    return (await response.text()).includes(`"name":"${name}"`);
  }

  async #stop(): Promise<void> {
    const program = this.#process;
    if (program === undefined || program.exitCode !== null) return;
    const ended = new Promise((resolve) => program.once("exit", resolve));
    program.kill("SIGTERM");
    const timer = setTimeout(() => program.kill("SIGKILL"), 3000);
    await ended;
    clearTimeout(timer);
  }

  async restart(): Promise<void> {
    await this.#stop();
    await this.listen();
  }

  async close(): Promise<void> {
    await this.#stop();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

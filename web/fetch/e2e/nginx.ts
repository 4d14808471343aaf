// A real nginx with files: a backend that nobody here has written.
import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

const kProgram = "/usr/sbin/nginx"; // Debian's nginx-light

// Its workers would become somebody else, who may not read our folder.
const kUser = process.getuid?.() === 0 ? "user root;" : "";

const configuration = (port: number): string => `
${kUser}
daemon off;
worker_processes 1;
pid nginx.pid;
error_log stderr crit;
events { worker_connections 256; }
http {
  access_log off;
  client_body_temp_path body;
  proxy_temp_path proxy;
  fastcgi_temp_path fastcgi;
  uwsgi_temp_path uwsgi;
  scgi_temp_path scgi;
  types { application/json json; }
  server {
    listen 127.0.0.1:${port};
    root files;
  }
}
`;

// Free a moment ago; good enough, since the system does not give it out again soon.
async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

export class Nginx {
  static readonly isInstalled = existsSync(kProgram);
  url = "";
  #folder = mkdtempSync(join(tmpdir(), "nginx-e2e-"));
  #process: ChildProcess | undefined;

  async listen(): Promise<this> {
    const port = await freePort();
    mkdirSync(join(this.#folder, "files"));
    writeFileSync(join(this.#folder, "nginx.conf"), configuration(port));
    this.#process = spawn(kProgram, ["-p", this.#folder, "-c", "nginx.conf", "-e", "stderr"], {
      stdio: "inherit",
    });
    this.url = `http://127.0.0.1:${port}`;
    for (const until = Date.now() + 10_000; ;) {
      if (await fetch(this.url).catch(() => undefined)) return this;
      if (Date.now() > until) throw new Error("nginx did not start.");
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }

  put(name: string, pieces: Iterable<Uint8Array>): void {
    const file = join(this.#folder, "files", name);
    for (const piece of pieces) writeFileSync(file, piece, { flag: "a" });
  }

  async close(): Promise<void> {
    const program = this.#process;
    if (program !== undefined && program.exitCode === null) {
      const ended = new Promise((resolve) => program.once("exit", resolve));
      program.kill("SIGTERM");
      await ended;
    }
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

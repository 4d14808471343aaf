// Serves the pages, and hands /mcp on to the server under test, so that the host's page and the server
// are one origin. `view.localhost` is the origin of the sandbox.
import {
  createServer,
  request as httpRequest,
  type IncomingMessage,
  type ServerResponse,
} from "node:http";
import type { AddressInfo } from "node:net";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const here = dirname(fileURLToPath(import.meta.url));

async function bundle(entry: string, isNative = false): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [join(here, "pages", `${entry}.ts`)],
    bundle: true,
    write: false,
    format: "iife",
    target: "es2022",
    minify: true,
    // ext-apps logs every message, and the console keeps them: a download would be held whole.
    pure: ["console.debug"],
    // A validator in the SDK takes origin + pathname of the page for a URL, which blob: pages have not.
    define: { __native: String(isNative), "self.location": "undefined" },
    logLevel: "error",
  });
  return outputFiles[0]!.text.replaceAll("</script", "<\\/script");
}

const page = (script: string): string =>
  `<!doctype html><meta charset="utf-8"><title>e2e</title><body><script>${script}</script>`;

// The default policy of the specification, and no more: nothing can be asked natively.
const kStrict =
  "default-src 'none'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'; " +
  "img-src 'self' data:; media-src 'self' data:; connect-src 'none'; frame-src blob: data: 'self'";

export class PageServer {
  /** Where /mcp leads. */
  target = "";
  #pages = new Map<string, string>();
  #server = createServer((request, response) => this.#serve(request, response));

  async listen(): Promise<this> {
    for (const name of ["host", "sandbox", "app", "webmcp-app"])
      this.#pages.set(name, page(await bundle(name)));
    this.#pages.set("native", page(await bundle("app", true)));
    await new Promise<void>((resolve) => this.#server.listen(0, "127.0.0.1", resolve));
    return this;
  }

  /** One more app. */
  add(name: string, html: string): void {
    this.#pages.set(name, html);
  }

  get native(): string {
    return this.#pages.get("native")!;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #serve(request: IncomingMessage, response: ServerResponse): void {
    const url = new URL(request.url ?? "/", "http://page");
    if (url.pathname === "/mcp") return this.#forward(request, response);
    const name =
      url.pathname === "/app.html" ? url.searchParams.get("app")! : url.pathname.slice(1, -5);
    const text = this.#pages.get(name);
    response.setHeader("content-type", "text/html;charset=utf-8");
    if (name === "sandbox") response.setHeader("content-security-policy", kStrict);
    if (text === undefined) response.writeHead(404).end();
    else response.end(text);
  }

  #forward(request: IncomingMessage, response: ServerResponse): void {
    const { host: _, origin: __, ...headers } = request.headers;
    const outgoing = httpRequest(
      this.target,
      { method: request.method ?? "POST", headers },
      (answer) => {
        response.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(response);
      },
    );
    outgoing.on("error", () =>
      response.headersSent ? response.destroy() : response.writeHead(502).end(),
    );
    response.on("close", () => outgoing.destroy());
    request.pipe(outgoing);
  }
}

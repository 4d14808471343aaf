// Starts the backend, the gateway before it, and a page that plays the host.
import { build } from "esbuild";
import { PageServer } from "../e2e/page-server.ts";
import { Sallyport, ScriptedServer } from "../e2e/servers.ts";
import { startBackend } from "./backend.ts";

const binary = process.env.SHOP_GATEWAY;

const { outputFiles } = await build({
  entryPoints: ["shop/app.ts"],
  bundle: true,
  write: false,
  format: "iife",
  minify: true,
  alias: { "@sallyport/fetch": "./src/index.ts" },
  logLevel: "error",
});
const script = outputFiles[0]!.text.replaceAll("</script", "<\\/script");
const page = `<!doctype html><meta charset="utf-8"><title>Shop</title><body><script>${script}</script>`;

const backend = await startBackend(() => page);
const pages = await new PageServer().listen();
pages.add("shop", page);
const gateway =
  binary === undefined
    ? await new ScriptedServer(backend.url).listen()
    : await new Sallyport(binary, backend.url, { paths: ["/api"] }).listen();
pages.target = gateway.url;

console.log(`the app in a frame, through the gateway   ${pages.url}/host.html?app=shop`);
console.log(`the same app as a page of its backend     ${backend.url}/`);
if (!(await gateway.hasTool("stream_pull")))
  console.log("This gateway has no streams: prices and chat stay silent in the frame.");

const stop = async (): Promise<void> => {
  await gateway.close();
  await pages.close();
  backend.close();
  process.exit(0);
};
process.on("SIGINT", () => void stop());
process.on("SIGTERM", () => void stop());

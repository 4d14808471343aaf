// A server that runs each script in an isolate of its own, all in one process:
//   node isolated_vm.mjs PORT
import { createServer } from "node:http";
import ivm from "isolated-vm";

async function run(code) {
  const isolate = new ivm.Isolate({ memoryLimit: 128 });
  try {
    const context = await isolate.createContext();
    const script = await isolate.compileScript(code);
    return await script.run(context, { timeout: 30_000, copy: true });
  } finally {
    isolate.dispose();
  }
}

createServer((request, response) => {
  const parts = [];
  request.on("data", (part) => parts.push(part));
  request.on("end", async () => {
    const { code } = JSON.parse(Buffer.concat(parts).toString());
    const body = JSON.stringify({ value: await run(code) });
    response.writeHead(200, { "content-type": "application/json", "content-length": body.length });
    response.end(body);
  });
}).listen(Number(process.argv[2]), "127.0.0.1");

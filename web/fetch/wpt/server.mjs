// The suite's server, on this machine's own address only, and in spite of the test that would end it.
import { Server } from "node:net";

const { listen } = Server.prototype;
Server.prototype.listen = function (port) {
  return listen.call(this, port, "127.0.0.1");
};
process.on("uncaughtException", (error) => console.error(String(error)));
await import(process.argv[2]);

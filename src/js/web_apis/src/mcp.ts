// mcp.callTool(server, tool, args), mcp.listTools(server?): the tools behind the gateway.
import { type Place, currentPlace, movedTo } from "./base/place.js";
import { defineProperty, toJson } from "./base/intrinsics.js";
import { defineGlobal, isObject } from "./base/webidl.js";
import { type AbortSignal, abortInside } from "./events/abort.js";
import { Call, RawJson, errorOf, needApi } from "./run/calls.js";

function ask(request: object, place: Place, signal?: AbortSignal): Promise<unknown> {
  return new Promise((resolve, reject) => {
    needApi("mcp");
    if (signal !== undefined && abortInside.isAborted(signal)) throw abortInside.reasonOf(signal);
    let forget = () => {};
    const call = new Call(request, {
      onAnswer(answer) {
        forget();
        call.close();
        if (answer.error !== undefined) reject(movedTo(errorOf(answer.error), place));
        else resolve(answer.value);
      },
    });
    call.hold();
    if (signal === undefined) return;
    forget = abortInside.add(signal, () => {
      call.cancel();
      reject(abortInside.reasonOf(signal));
    });
  });
}

function toName(value: unknown, what: string): string {
  if (typeof value !== "string" || value === "")
    throw new TypeError(`${what} must be a text that is not empty`);
  return value;
}

function toSignal(options: unknown): AbortSignal | undefined {
  const signal = isObject(options) ? (options as { signal?: unknown }).signal : undefined;
  if (signal !== undefined && !abortInside.isSignal(signal))
    throw new TypeError("The option signal is not an AbortSignal");
  return signal as AbortSignal | undefined;
}

const mcp = {
  async callTool(
    server: unknown,
    tool: unknown,
    args: unknown = {},
    options: unknown = undefined,
  ): Promise<unknown> {
    const names = {
      server: toName(server, "The name of the server"),
      tool: toName(tool, "The name of the tool"),
    };
    if (!isObject(args) || Array.isArray(args))
      throw new TypeError("The arguments of a tool are an object");
    const text = toJson(args) as string | undefined;
    if (text === undefined) throw new TypeError("The arguments of a tool have no form in JSON");
    return ask(
      { operation: "mcp.callTool", ...names, arguments: new RawJson(text) },
      currentPlace(mcp.callTool),
      toSignal(options),
    );
  },
  async listTools(server: unknown = undefined): Promise<unknown> {
    const name =
      server === undefined || server === null
        ? {}
        : { server: toName(server, "The name of the server") };
    return ask({ operation: "mcp.listTools", ...name }, currentPlace(mcp.listTools));
  },
};
defineProperty(mcp, Symbol.toStringTag, { value: "mcp", configurable: true });
defineGlobal("mcp", mcp, true);

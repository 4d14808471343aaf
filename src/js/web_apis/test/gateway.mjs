// A gateway that answers fetches from a function, and keeps what it was sent.
import { Kind } from "./world.mjs";

export function serve(world, handler) {
  const calls = new Map();
  world.onSend = ({ kind, call: id, json, bytes, text }) => {
    if (kind === Kind.Call) {
      const call = { id, request: json, body: [], ended: undefined, cancelled: false, credits: [] };
      calls.set(id, call);
      handler.last = call;
      if (!json.body || handler.early) setImmediate(() => handler(call, world));
      return;
    }
    const call = calls.get(id);
    if (call === undefined) return;
    if (kind === Kind.Chunk) call.body.push(Buffer.from(bytes));
    else if (kind === Kind.Cancel) call.cancelled = true;
    else if (kind === Kind.Credit) call.credits.push(Buffer.from(bytes).readUInt32LE());
    else if (kind === Kind.End) {
      call.ended = text === undefined || text === "" ? {} : json;
      if (!handler.early) setImmediate(() => handler(call, world));
    }
    handler.onFrame?.(call, kind);
  };
  return calls;
}

export function respond(
  call,
  world,
  {
    status = 200,
    reason = "OK",
    headers = [],
    body = "",
    url,
    redirected = false,
    type = "basic",
  } = {},
) {
  world.answer(call.id, {
    value: { status, reason, headers, url: url ?? call.request.url, redirected, type, body: true },
  });
  if (body.length > 0) world.chunk(call.id, body);
  world.end(call.id);
}

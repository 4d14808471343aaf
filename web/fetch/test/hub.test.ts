import { describe, expect, it } from "vitest";
import { Gateway } from "../src/calls/gateway.ts";
import { IncomingBody } from "../src/fetch/response-body.ts";
import { streamFactsOf } from "../src/streams/frames.ts";
import { StreamHub } from "../src/streams/hub.ts";
import { world } from "./support/world.ts";

const kView = "0123456789abcdef";

describe("a hub whose host loses answers without saying so", () => {
  const the = world();

  it.each([false, true])("asks again (push: %s)", async (isPush) => {
    const gateway = new Gateway(the.app, () => "http_request");
    const hub = new StreamHub(gateway, kView, () => isPush, { pullMs: 300, pushMs: 300 });
    the.app.faults = [{ tool: "stream_pull", when: "silently", times: 2 }];
    const call = gateway.call("http_request", { view: kView, url: "/api/bytes?size=1000000" });
    const { stream } = await hub.opening(call);
    const incoming = new IncomingBody();
    incoming.comeFrom(hub.attach(streamFactsOf(stream)!, incoming));
    expect((await new Response(incoming.stream).arrayBuffer()).byteLength).toBe(1_000_000);
    await hub.closeAll(new Error("over") as never);
  });
});

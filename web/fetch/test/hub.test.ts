import { describe, expect, it } from "vitest";
import { Gateway } from "../src/calls/gateway.ts";
import { IncomingBody } from "../src/fetch/response-body.ts";
import { streamFactsOf } from "../src/streams/frames.ts";
import { StreamHub } from "../src/streams/hub.ts";
import { eventually, world } from "./support/world.ts";

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

describe("a hub whose frames come twice, late or out of order", () => {
  it("hands on each once and in order, and asks for what is missing", async () => {
    const frame = (seq: number, text: string): object => ({
      id: "stream",
      seq,
      kind: seq === 4 ? "end" : "data",
      b64: btoa(text),
    });
    const answers = [
      [frame(0, "a"), frame(1, "b")],
      [frame(0, "a"), frame(1, "b"), frame(2, "c")], // as after a call that superseded another
      [frame(4, ""), frame(3, "d")], // the wrong way round: 4 is not taken
      [frame(2, "c"), frame(4, "")],
      [],
    ];
    const acks: unknown[] = [];
    const gateway = {
      call: (_: string, args: { acks?: Record<string, number> }) => {
        acks.push(args.acks?.stream);
        return Promise.resolve({ frames: answers.shift() ?? [] });
      },
    } as unknown as Gateway;
    const hub = new StreamHub(gateway, kView);
    const incoming = new IncomingBody();
    incoming.comeFrom(hub.attach(streamFactsOf({ id: "stream" })!, incoming));
    expect(await new Response(incoming.stream).text()).toBe("abcd");
    await eventually(() => acks.length === 5);
    expect(acks).toEqual([0, 2, 3, 4, 5]);
  });
});

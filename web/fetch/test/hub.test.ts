import { describe, expect, it } from "vitest";
import { Gateway } from "../src/calls/gateway.ts";
import { IncomingBody } from "../src/fetch/response-body.ts";
import { streamFactsOf } from "../src/streams/frames.ts";
import { StreamHub } from "../src/streams/hub.ts";
import { eventually, sleep, world } from "./support/world.ts";

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

describe("a hub that hears of a stream before its opener does", () => {
  const the = world();

  it("keeps the frames, takes no more, and hands them on when it is known whose they are", async () => {
    const gateway = new Gateway(the.app, () => "http_request");
    const hub = new StreamHub(gateway, kView);
    const open = async (path: string): Promise<IncomingBody> => {
      const { stream } = await gateway.call("http_request", { view: kView, url: path });
      const incoming = new IncomingBody();
      incoming.comeFrom(hub.attach(streamFactsOf(stream)!, incoming));
      return incoming;
    };
    // Something else keeps the hub pulling.
    const other = await open("/api/slow?count=100&ms=20");
    const late = gateway
      .call("http_request", { view: kView, url: "/api/bytes?size=6000000" })
      .then(async (answer) => {
        await sleep(400);
        return answer;
      });
    const { stream } = await hub.opening(late);
    const id = (stream as { id: string }).id;
    const named = (): unknown[] =>
      the.app.calls.flatMap(
        ({ arguments: { credit } }) => (credit as Record<string, unknown>)?.[id] ?? [],
      );
    expect(new Set(named())).toEqual(new Set([0]));
    const incoming = new IncomingBody();
    incoming.comeFrom(hub.attach(streamFactsOf(stream)!, incoming));
    expect((await new Response(incoming.stream).arrayBuffer()).byteLength).toBe(6_000_000);
    await other.stream.cancel();
    await eventually(() => the.gateway.openStreams === 0);
  });
});

describe("an answer that breaks", () => {
  it("is read up to where it broke, although both came at once", async () => {
    const frames = [
      { id: "stream", seq: 0, kind: "data", b64: btoa("half of it") },
      { id: "stream", seq: 1, kind: "error", code: "upstream", message: "It broke." },
    ];
    const gateway = {
      call: () => Promise.resolve({ frames: frames.splice(0) }),
    } as unknown as Gateway;
    const hub = new StreamHub(gateway, kView);
    const incoming = new IncomingBody();
    incoming.comeFrom(hub.attach(streamFactsOf({ id: "stream" })!, incoming));
    await sleep(50);
    const reader = incoming.stream.getReader();
    expect(new TextDecoder().decode((await reader.read()).value)).toBe("half of it");
    await expect(reader.read()).rejects.toThrow(TypeError);
  });
});

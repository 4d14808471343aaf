import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { blocks, drained, hashOf } from "./support/origin.ts";
import { eventually, sleep, world } from "./support/world.ts";

const kMiB = 1024 * 1024;

async function hashOfStream(body: ReadableStream<Uint8Array>): Promise<string> {
  const hash = createHash("sha256");
  for await (const chunk of body) hash.update(chunk);
  return hash.digest("hex");
}

describe.each([
  ["pulled", false, false],
  ["pushed", true, false],
  ["pushed by a server whose host drops progress", true, true],
])("long answers, %s", (_, push, dropsProgress) => {
  const the = world({ push });

  it("come whole and in order", async () => {
    the.app.dropsProgress = dropsProgress;
    const size = 9 * kMiB + 12345;
    const response = await the.fetch(`/api/bytes?size=${size}`);
    expect(response.headers.get("content-length")).toBe(String(size));
    expect(await hashOfStream(response.body!)).toBe(hashOf(size));
    await eventually(() => the.gateway.openStreams === 0);
    // A host that drops progress is found out by the first call that pushes.
    const pushes = the.app.calls.filter((call) => call.arguments.push === true).length;
    if (!push) expect(pushes).toBe(0);
    else if (dropsProgress) expect(pushes).toBe(1);
    else expect(pushes).toBeGreaterThan(5);
  });

  it("come while they are made", async () => {
    the.app.dropsProgress = dropsProgress;
    const response = await the.fetch("/api/slow?count=3&ms=300");
    const chunks: string[] = [];
    for await (const chunk of response.body!) chunks.push(new TextDecoder().decode(chunk));
    expect(chunks.join("")).toBe("part 0;part 1;part 2;");
    if (!dropsProgress) expect(chunks.length).toBeGreaterThan(1);
  });

  it("come again when an answer is lost", async () => {
    the.app.dropsProgress = dropsProgress;
    the.app.faults = [
      { tool: "stream_pull", when: "after", times: 2 },
      { tool: "stream_pull", when: "before", times: 1 },
    ];
    const response = await the.fetch(`/api/bytes?size=${3 * kMiB}`);
    expect(await hashOfStream(response.body!)).toBe(hashOf(3 * kMiB));
  });

  it("of many requests share one pull at a time", async () => {
    the.app.dropsProgress = dropsProgress;
    const answers = await Promise.all(
      Array.from({ length: 12 }, () => the.fetch(`/api/bytes?size=${kMiB}`)),
    );
    const hashes = await Promise.all(answers.map((each) => hashOfStream(each.body!)));
    expect(new Set(hashes)).toEqual(new Set([hashOf(kMiB)]));
  });
});

describe.each([
  ["pulled", false],
  ["pushed", true],
])("a reader that does not read, %s", (_, push) => {
  const the = world({ push });

  it("holds back the origin at about the window", async () => {
    let sent = 0;
    the.origin.routes.set("/api/endless", async (_, response) => {
      for (const block of blocks(200 * kMiB)) {
        if (response.destroyed) return;
        sent += block.length;
        if (!response.write(block)) await drained(response);
      }
    });
    const response = await the.fetch("/api/endless");
    await sleep(400);
    const before = sent;
    const pulls = the.app.count("stream_pull");
    await sleep(600);
    expect(sent).toBe(before); // nothing moves; the rest is in buffers of sockets
    expect(the.app.count("stream_pull")).toBeLessThan(pulls + 3); // and nobody asks whether it does
    expect(sent).toBeLessThan(20 * kMiB);
    const reader = response.body!.getReader();
    for (let read = 0; read < 8 * kMiB;) read += (await reader.read()).value!.length;
    await eventually(() => sent > before + 4 * kMiB);
    await reader.cancel();
    await eventually(() => the.origin.cutOff === 1 && the.gateway.openStreams === 0);
  });

  it("does not hold back others", async () => {
    await the.fetch(`/api/bytes?size=${4 * kMiB}`);
    const other = await the.fetch(`/api/bytes?size=${4 * kMiB}`);
    expect(await hashOfStream(other.body!)).toBe(hashOf(4 * kMiB));
  });

  it("can be read with a buffer of one's own", async () => {
    const response = await the.fetch("/api/slow?count=2&ms=80");
    const reader = response.body!.getReader({ mode: "byob" });
    let text = "";
    for (;;) {
      const { done, value } = await reader.read(new Uint8Array(3));
      if (done) break;
      text += new TextDecoder().decode(value);
    }
    expect(text).toBe("part 0;part 1;");
  });
});

describe("streams that end badly", () => {
  const the = world();

  it("break the body with a TypeError that knows why", async () => {
    const response = await the.fetch("/api/broken");
    expect(response.status).toBe(200);
    const error = (await response.text().catch((failure: unknown) => failure)) as TypeError;
    expect(error).toBeInstanceOf(TypeError);
    expect((error.cause as { code: string }).code).toBe("upstream_failed");
  });

  it("break when the gateway was started again", async () => {
    const response = await the.fetch("/api/slow?count=100");
    await response.body!.getReader().read();
    const other = await the.fetch("/api/slow?count=100");
    the.gateway.restart();
    const error = (await other.text().catch((failure: unknown) => failure)) as TypeError;
    expect((error.cause as { code: string }).code).toBe("lost");
  });

  it("are closed where the call that opened them was given up", async () => {
    const controller = new AbortController();
    // It comes too late for the abort, as on hosts that do not hand on a cancellation.
    const call = the.app.gateway.call.bind(the.app.gateway);
    the.app.gateway.call = (params, extras = {}) => {
      const { signal: _, ...rest } = extras;
      return call(params, rest);
    };
    const pending = the.fetch("/api/slow?head=100&count=100", { signal: controller.signal });
    const keepsPulling = the.fetch("/api/slow?count=20");
    await sleep(30);
    controller.abort();
    await expect(pending).rejects.toMatchObject({ name: "AbortError" });
    await eventually(() => the.origin.cutOff === 1);
    await (await keepsPulling).body!.cancel();
  });

  it.each([0, 1])("are closed again when the word of it is lost (%i others)", async (others) => {
    const path = "/api/slow?count=1000&ms=20";
    const [response, ...rest] = await Promise.all(
      Array.from({ length: 1 + others }, () => the.fetch(path)),
    );
    the.app.faults = [{ tool: "stream_close", when: "before", times: 1 }];
    await response!.body!.cancel();
    await eventually(() => the.origin.cutOff === 1);
    expect([the.app.count("stream_close"), the.gateway.openStreams]).toEqual([2, others]);
    await Promise.all(rest.map(({ body }) => body!.cancel()));
  });

  it("are closed when the app is torn down, after the app's own handler", async () => {
    const order: string[] = [];
    the.app.onteardown = () => {
      order.push("app");
      return {};
    };
    const response = await the.fetch("/api/slow?count=100");
    const failure = response.text().catch((error: TypeError) => order.push(error.name));
    await the.app.tearDown();
    await failure;
    expect(order).toEqual(["app", "TypeError"]);
    expect(the.gateway.openStreams).toBe(0);
  });
});

describe("long bodies of requests", () => {
  const the = world();

  it("are pushed in pieces, with their length", async () => {
    const body = new Blob([...blocks(5 * kMiB)]);
    const response = await the.fetch("/api/inspect", { method: "POST", body });
    const seen = (await response.json()) as Record<string, unknown>;
    expect(seen.size).toBe(5 * kMiB);
    expect(seen.sha256).toBe(hashOf(5 * kMiB));
    expect((seen.headers as Record<string, string>)["content-length"]).toBe(String(5 * kMiB));
    expect(the.app.count("stream_push")).toBeGreaterThan(9);
  });

  it("are sent while they are made", async () => {
    const body = new ReadableStream<Uint8Array>({
      async pull(controller) {
        const count = (this as { count?: number }).count ?? 0;
        (this as { count?: number }).count = count + 1;
        if (count === 5) return controller.close();
        await sleep(20);
        controller.enqueue(new TextEncoder().encode(`chunk ${count};`));
      },
    });
    const response = await the.fetch("/api/echo", {
      method: "POST",
      body,
      duplex: "half",
    } as RequestInit);
    expect(await response.text()).toBe("chunk 0;chunk 1;chunk 2;chunk 3;chunk 4;");
  });

  it("are not sent twice when an answer is lost", async () => {
    the.app.faults = [{ tool: "stream_push", when: "after", times: 3 }];
    const body = new Blob([...blocks(2 * kMiB)]);
    const response = await the.fetch("/api/inspect", { method: "POST", body });
    expect(((await response.json()) as { sha256: string }).sha256).toBe(hashOf(2 * kMiB));
  });

  it("that break are not taken for complete ones", async () => {
    const body = new ReadableStream({
      start: (controller) => controller.enqueue(new Uint8Array(1000)),
      pull: (controller) => sleep(50).then(() => controller.error(new Error("no more"))),
    });
    const init = { method: "POST", body, duplex: "half" } as RequestInit;
    await expect(the.fetch("/api/echo", init)).rejects.toThrow(TypeError);
    await sleep(50);
    expect(the.origin.seen.length).toBe(0); // it was never read to its end
  });

  it("are cancelled with the request", async () => {
    let cancelled: unknown;
    const controller = new AbortController();
    const body = new ReadableStream({
      pull: (inner) => sleep(5).then(() => inner.enqueue(new Uint8Array(100))),
      cancel: (reason) => void (cancelled = reason),
    });
    const init = { method: "POST", body, duplex: "half", signal: controller.signal } as RequestInit;
    const pending = the.fetch("/api/echo", init);
    await sleep(60);
    const reason = new Error("enough");
    controller.abort(reason);
    await expect(pending).rejects.toBe(reason);
    await eventually(() => cancelled === reason);
    await eventually(() => the.gateway.openStreams === 0);
  });

  it("are cancelled where they cannot be sent", async () => {
    the.app.faults = [{ tool: "http_request_stream", when: "before", times: 1 }];
    let isCancelled = false;
    const body = new ReadableStream({ cancel: () => void (isCancelled = true) });
    const init = { method: "POST", body, duplex: "half" } as RequestInit;
    await expect(the.fetch("/api/echo", init)).rejects.toThrow(TypeError);
    await eventually(() => isCancelled);
  });

  it("are in the call itself where the server has no streams", async () => {
    the.app.missing = new Set(["http_request_stream", "stream_pull"]);
    const body = new Blob([...blocks(kMiB)]);
    const response = await the.fetch("/api/inspect", { method: "POST", body });
    expect(((await response.json()) as { sha256: string }).sha256).toBe(hashOf(kMiB));
    await the.fetch("/api/json");
    expect(the.app.calls.at(-1)!.arguments.view).toBe(undefined);
  });
});

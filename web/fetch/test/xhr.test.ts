import { describe, expect, it } from "vitest";
import { createMcpXmlHttpRequest } from "../src/index.ts";
import { kBase, world } from "./support/world.ts";

describe("XMLHttpRequest", () => {
  const the = world();
  const make = (): XMLHttpRequest => new (createMcpXmlHttpRequest(the.app, { baseUrl: kBase }))();

  const done = (request: XMLHttpRequest): Promise<string[]> => {
    const events: string[] = [];
    for (const type of ["loadstart", "load", "error", "abort", "timeout", "loadend"])
      request.addEventListener(type, () => events.push(type));
    request.addEventListener("readystatechange", () => events.push(String(request.readyState)));
    return new Promise((resolve) => request.addEventListener("loadend", () => resolve(events)));
  };

  it("goes through its states", async () => {
    const request = make();
    const events = done(request);
    request.open("GET", "/api/json");
    request.setRequestHeader("X-A", "1");
    request.setRequestHeader("x-a", "2");
    request.send();
    const seen = await events;
    expect(seen.filter((each) => each !== "3")).toEqual([
      "1",
      "loadstart",
      "2",
      "4",
      "load",
      "loadend",
    ]);
    expect([request.status, request.statusText]).toEqual([200, "OK"]);
    expect(request.responseText).toContain("12345678901234567890");
    expect(request.responseURL).toBe(`${kBase}api/json`);
    expect(request.getResponseHeader("Content-Type")).toBe("application/json");
    expect(request.getAllResponseHeaders()).toContain("content-type: application/json\r\n");
    expect(the.origin.last.headers["x-a"]).toBe("1, 2");
  });

  it.each([
    ["json", { a: 1 }],
    ["text", '{"a":1}'],
    ["arraybuffer", new TextEncoder().encode('{"a":1}').buffer],
  ] as const)("has a response of type %s", async (type, expected) => {
    const request = make();
    const events = done(request);
    request.open("POST", "/api/echo");
    request.responseType = type;
    request.setRequestHeader("Content-Type", "application/json");
    request.send('{"a":1}');
    await events;
    expect(request.response).toEqual(expected);
    expect(the.origin.last.headers["content-type"]).toBe("application/json");
    if (type !== "text") expect(() => request.responseText).toThrow(DOMException);
  });

  it("tells how far an upload and a download are", async () => {
    const request = make();
    const events = done(request);
    const sent: number[] = [];
    const came: ProgressEvent[] = [];
    request.upload.onprogress = ({ loaded }) => sent.push(loaded);
    request.onprogress = (event) => came.push(event);
    request.open("POST", "/api/bytes?size=3000000");
    request.responseType = "blob";
    request.send(new Blob([new Uint8Array(2_000_000)]));
    await events;
    expect(sent.length).toBeGreaterThan(2);
    expect(sent.at(-1)).toBe(2_000_000);
    expect(came.at(-1)).toMatchObject({
      loaded: 3_000_000,
      total: 3_000_000,
      lengthComputable: true,
    });
    expect((request.response as Blob).size).toBe(3_000_000);
  });

  it("fails with status 0 and without a response", async () => {
    const request = make();
    const events = done(request);
    request.open("GET", "/secret");
    request.send();
    expect(await events).toEqual(["1", "loadstart", "4", "error", "loadend"]);
    expect([request.status, request.responseText]).toEqual([0, ""]);
  });

  it("times out", async () => {
    const request = make();
    const events = done(request);
    request.open("GET", "/api/slow?head=5000");
    request.timeout = 50;
    request.send();
    expect(await events).toEqual(["1", "loadstart", "4", "timeout", "loadend"]);
  });

  it("counts a timeout from send(), whenever it is set", async () => {
    const request = make();
    const events = done(request);
    request.open("GET", "/api/slow?head=5000");
    request.send();
    const setting = setInterval(() => (request.timeout = 100), 20);
    expect((await events).at(-2)).toBe("timeout");
    clearInterval(setting);
  });

  it("can be aborted", async () => {
    const request = make();
    const events = done(request);
    request.open("GET", "/api/slow?head=5000");
    request.send();
    request.abort();
    expect(await events).toEqual(["1", "loadstart", "4", "abort", "loadend"]);
    expect(request.readyState).toBe(0);
  });

  it("is not synchronous", () => {
    const request = make();
    expect(() => request.open("GET", "/api/json", false)).toThrow(
      expect.objectContaining({ name: "InvalidAccessError" }),
    );
    expect(() => request.send()).toThrow(expect.objectContaining({ name: "InvalidStateError" }));
  });
});

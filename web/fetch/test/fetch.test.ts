import { describe, expect, it } from "vitest";
import { McpFetchError } from "../src/index.ts";
import { eventually, kBase, sleep, world } from "./support/world.ts";

describe("fetch", () => {
  const the = world();

  it("gives back the very bytes of a JSON answer", async () => {
    const response = await the.fetch("/api/json");
    expect(response).toBeInstanceOf(Response);
    expect(response.status).toBe(200);
    expect(response.ok).toBe(true);
    expect(response.type).toBe("basic");
    expect(response.url).toBe(`${kBase}api/json`);
    expect(response.redirected).toBe(false);
    expect(await response.text()).toBe('{"b":1,  "a": 12345678901234567890, "ü": "\\u00fc"}');
    expect(response.bodyUsed).toBe(true);
  });

  it.each([
    ["string", "häß \u{1f600}", "text/plain;charset=UTF-8"],
    ["JSON with spaces", '{"b": 1,\n "a":12345678901234567890}', "text/plain;charset=UTF-8"],
    [
      "URLSearchParams",
      new URLSearchParams({ a: "1 2" }),
      "application/x-www-form-urlencoded;charset=UTF-8",
    ],
    ["Blob", new Blob([new Uint8Array([0, 255, 128])], { type: "image/x" }), "image/x"],
    ["Uint8Array", new Uint8Array([1, 2, 3, 254]).subarray(1), undefined],
    ["ArrayBuffer", new Uint8Array([9, 0]).buffer, undefined],
    [
      "text that is not UTF-8",
      new Blob([new Uint8Array([0xff, 0xfe])], { type: "text/plain" }),
      "text/plain",
    ],
    ["text with a BOM", new Blob(["\ufeffx"], { type: "text/plain" }), "text/plain"],
  ])("sends the bytes of a body: %s", async (_, body, type) => {
    const expected = Buffer.from(await new Response(body).arrayBuffer());
    const response = await the.fetch("/api/echo", { method: "POST", body });
    expect(the.origin.last.body).toEqual(expected);
    expect(the.origin.last.headers["content-type"]).toBe(type);
    expect(Buffer.from(await response.arrayBuffer())).toEqual(expected);
  });

  it("sends a form with a file, boundary and all", async () => {
    const form = new FormData();
    form.set("name", "ä");
    form.set("file", new File([new Uint8Array([0, 1, 2, 255])], "a.bin", { type: "x/y" }));
    const response = await the.fetch("/api/echo", { method: "POST", body: form });
    const back = await response.formData();
    expect(back.get("name")).toBe("ä");
    const file = back.get("file") as File;
    expect(file.name).toBe("a.bin");
    expect(new Uint8Array(await file.arrayBuffer())).toEqual(new Uint8Array([0, 1, 2, 255]));
  });

  it("takes a Request, and marks it as used", async () => {
    const request = new Request(`${kBase}api/echo`, {
      method: "PUT",
      body: "x",
      headers: { "X-A": "1" },
    });
    const response = await the.fetch(request);
    expect(await response.text()).toBe("x");
    expect(request.bodyUsed).toBe(true);
    expect(the.origin.last.method).toBe("PUT");
    expect(the.origin.last.headers["x-a"]).toBe("1");
    await expect(the.fetch(request)).rejects.toThrow(TypeError);
  });

  it.each([
    ["GET with a body", "/api/echo", { method: "GET", body: "x" }],
    ["a forbidden method", "/api/echo", { method: "TRACE" }],
    ["credentials in the URL", "https://u:p@shop.example/", {}],
    ["no URL", "http://[", {}],
    ["a port that is blocked", "http://shop.example:25/", {}],
    ["another scheme", "ftp://shop.example/", {}],
    [
      "another origin with mode same-origin",
      "https://other.example/",
      { mode: "same-origin" as const },
    ],
  ])("refuses %s before anything is sent", async (_, url, init) => {
    await expect(the.fetch(url, init)).rejects.toThrow(TypeError);
    expect(the.app.calls).toEqual([]);
  });

  it("keeps the case of methods that fetch() keeps", async () => {
    await the.fetch("/api/echo", { method: "post", body: "" });
    expect(the.app.calls.at(-1)!.arguments.method).toBe("POST");
    await the.fetch("/api/echo", { method: "patch", body: "" }).catch(() => {});
    expect(the.app.calls.at(-1)!.arguments.method).toBe("patch");
  });

  it("says why, with the code of the policy", async () => {
    const error = await the.fetch("/secret").catch((failure: unknown) => failure);
    expect(error).toBeInstanceOf(TypeError);
    expect((error as Error).message).toBe("Failed to fetch");
    const { cause } = error as { cause: McpFetchError };
    expect(cause).toBeInstanceOf(McpFetchError);
    expect(cause.code).toBe("policy_denied");
    expect(cause.message).toBe("The backend does not offer this path.");
    expect(cause.callId).toBe("0123456789abcdef");
  });

  it("has answers of 400 and more as answers", async () => {
    const response = await the.fetch("/api/status?code=503&body=no");
    expect([response.status, response.ok, await response.text()]).toEqual([503, false, "no"]);
    expect(response.headers.get("x-a")).toBe("1, 2");
  });

  it.each([204, 205, 304])("has no body with %i", async (code) => {
    const response = await the.fetch(`/api/status?code=${code}`);
    expect(response.status).toBe(code);
    expect(response.body).toBe(null);
  });

  it("has no body for HEAD", async () => {
    const response = await the.fetch("/api/json", { method: "HEAD" });
    expect(response.body).toBe(null);
    expect(response.headers.get("content-type")).toBe("application/json");
  });

  it("has headers that cannot be changed, also after clone()", async () => {
    const response = await the.fetch("/api/json");
    const copy = response.clone();
    for (const each of [response, copy]) {
      expect(() => each.headers.set("a", "b")).toThrow(TypeError);
      expect(() => each.headers.append("a", "b")).toThrow(TypeError);
      expect(() => each.headers.delete("content-type")).toThrow(TypeError);
      expect(each.type).toBe("basic");
      expect(each.url).toBe(`${kBase}api/json`);
    }
    expect(copy.clone().url).toBe(response.url);
    expect(await copy.text()).toBe(await response.text());
  });

  it("follows redirects, and says so", async () => {
    const response = await the.fetch("/api/redirect?to=/api/json");
    expect(response.redirected).toBe(true);
    expect(response.url).toBe(`${kBase}api/json`);
    expect(response.clone().redirected).toBe(true);
  });

  it("fails on a redirect with redirect: error", async () => {
    await expect(the.fetch("/api/redirect", { redirect: "error" })).rejects.toThrow(TypeError);
  });

  it("shows nothing of a redirect with redirect: manual", async () => {
    const response = await the.fetch("/api/redirect", { redirect: "manual" });
    expect(response.type).toBe("opaqueredirect");
    expect(response.status).toBe(0);
    expect(response.ok).toBe(false);
    expect([...response.headers]).toEqual([]);
    expect(response.body).toBe(null);
    expect(response.url).toBe(`${kBase}api/redirect`);
    expect(response.clone().type).toBe("opaqueredirect");
  });

  it("checks integrity", async () => {
    const bytes = await (await the.fetch("/api/json")).arrayBuffer();
    const digest = Buffer.from(await crypto.subtle.digest("SHA-384", bytes)).toString("base64");
    const good = await the.fetch("/api/json", { integrity: `sha256-AAAA sha384-${digest}` });
    expect((await good.arrayBuffer()).byteLength).toBe(bytes.byteLength);
    await expect(the.fetch("/api/json", { integrity: "sha256-AAAA" })).rejects.toThrow(TypeError);
  });

  it("goes nowhere for data: URLs", async () => {
    expect(await (await the.fetch("data:text/plain,hi")).text()).toBe("hi");
    expect(the.app.calls).toEqual([]);
  });

  it("names URLs of other origins in full, and their answers are cors", async () => {
    const response = await the.fetch(`${the.origin.url}/api/json#x`);
    expect(the.app.calls[0]!.arguments.url).toBe(`${the.origin.url}/api/json`);
    expect(response.type).toBe("cors");
    expect(response.url).toBe(`${the.origin.url}/api/json`);
    const opaque = await the.fetch(`${the.origin.url}/api/json`, { mode: "no-cors" });
    expect([opaque.type, opaque.status, opaque.url, opaque.body]).toEqual(["opaque", 0, "", null]);
  });

  it("says that the server has no such tool", async () => {
    the.app.missing.add("http_request");
    const error = await the.fetch("/api/json").catch((failure: unknown) => failure);
    expect((error as { cause: McpFetchError }).cause.code).toBe("unavailable");
  });
});

describe("abort", () => {
  const the = world();
  const reason = new Error("my reason");

  it("rejects with the reason before anything is sent", async () => {
    await expect(the.fetch("/api/json", { signal: AbortSignal.abort(reason) })).rejects.toBe(
      reason,
    );
    expect(the.app.calls).toEqual([]);
  });

  it("rejects with the reason while it waits, and the origin hears of it", async () => {
    const controller = new AbortController();
    const pending = the.fetch("/api/slow?head=5000", { signal: controller.signal });
    await eventually(() => the.origin.seen.length === 1);
    controller.abort(reason);
    await expect(pending).rejects.toBe(reason);
    await eventually(() => the.origin.cutOff === 1);
  });

  it("breaks a body that is being read, and the origin hears of it", async () => {
    const controller = new AbortController();
    const response = await the.fetch("/api/slow?count=100", { signal: controller.signal });
    const reader = response.body!.getReader();
    expect(new TextDecoder().decode((await reader.read()).value)).toContain("part 0;");
    controller.abort(reason);
    await expect(reader.read()).rejects.toBe(reason);
    await eventually(() => the.origin.cutOff === 1);
    expect(the.gateway.openStreams).toBe(0);
  });

  it("breaks a body that is here already and was not read", async () => {
    const controller = new AbortController();
    const response = await the.fetch("/api/json", { signal: controller.signal });
    controller.abort(reason);
    await expect(response.text()).rejects.toBe(reason);
  });

  it("does nothing to what was read", async () => {
    const controller = new AbortController();
    const response = await the.fetch("/api/json", { signal: controller.signal });
    const text = await response.text();
    controller.abort(reason);
    expect(text).toContain("12345678901234567890");
  });

  it("has a TimeoutError for AbortSignal.timeout()", async () => {
    const pending = the.fetch("/api/slow?head=5000", { signal: AbortSignal.timeout(50) });
    await expect(pending).rejects.toMatchObject({ name: "TimeoutError" });
  });
});

describe("which requests go where", () => {
  const the = world({ interceptPaths: ["/api"] });

  it("does not take /apix for /api, and never asks the network by itself", async () => {
    await the.fetch("/api/json");
    for (const path of ["/apix", "/", "/ap%69/../secret"]) {
      const error = await the.fetch(path).catch((failure: unknown) => failure);
      expect((error as { cause: McpFetchError }).cause.code).toBe("not_intercepted");
    }
    expect(the.app.calls.length).toBe(1);
  });
});

describe("keepalive", () => {
  const the = world();

  it("is done before the app is torn down", async () => {
    let isDone = false;
    void the.fetch("/api/slow?head=200&count=0", { keepalive: true }).then(() => (isDone = true));
    await sleep(20);
    await the.app.tearDown();
    expect(isDone).toBe(true);
  });

  it("has a body of at most 64 KiB", async () => {
    const body = new Uint8Array(64 * 1024 + 1);
    await expect(the.fetch("/api/echo", { method: "POST", body, keepalive: true })).rejects.toThrow(
      TypeError,
    );
  });
});

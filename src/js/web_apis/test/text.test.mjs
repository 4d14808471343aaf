import assert from "node:assert/strict";
import { test } from "node:test";
import { World } from "./world.mjs";

// With the host's UTF-8, and with our own where the host has none.
for (const knowsUtf8 of [true, false]) {
  const world = new World({ knowsUtf8 });
  const value = async (code) => {
    const result = await world.run(code);
    assert.equal(result.error, undefined, JSON.stringify(result.error));
    return result.value;
  };
  const name = (text) => `${text} (${knowsUtf8 ? "by the host" : "by ourselves"})`;

  test(name("UTF-8 in pieces is what it is as a whole, wherever it is cut"), async () => {
    assert.deepEqual(
      await value(`
        const samples = [[0x61, 0xe2, 0x82, 0xac, 0xf0, 0x9f, 0x98, 0x80, 0x7a], [0xe2, 0x82],
          [0xef, 0xbb, 0xbf, 0x61, 0xef, 0xbb, 0xbf], [0xf0, 0x9f, 0x61, 0xc0, 0xaf],
          [0xed, 0xa0, 0x80, 0xe0, 0x80, 0xf4, 0x90, 0x80, 0x80, 0xf5], [0xf0, 0x90, 0x80, 0xe2]];
        const wrong = [];
        for (const sample of samples) for (const ignoreBOM of [false, true]) {
          const whole = new TextDecoder("utf-8", { ignoreBOM }).decode(Uint8Array.from(sample));
          for (let a = 0; a <= sample.length; ++a) for (let b = a; b <= sample.length; ++b) {
            const decoder = new TextDecoder("utf-8", { ignoreBOM });
            const text = [sample.slice(0, a), sample.slice(a, b), sample.slice(b)]
              .map((part) => decoder.decode(Uint8Array.from(part), { stream: true })).join("");
            if (text + decoder.decode() !== whole) wrong.push([sample, ignoreBOM, a, b]);
          }
        }
        return wrong`),
      [],
    );
  });

  test(name("Broken bytes are errors where they are fatal, also at the end"), async () => {
    assert.deepEqual(
      await value(`
        const outcome = (...parts) => {
          const decoder = new TextDecoder("utf-8", { fatal: true });
          try {
            for (const part of parts) decoder.decode(Uint8Array.from(part), { stream: true });
            return decoder.decode() === "" && "fine";
          } catch (error) {
            return error.name + decoder.decode(Uint8Array.of(0x61));
          }
        };
        return [outcome([0xff]), outcome([0xe2, 0x82]), outcome([0xe2], [0x82, 0xac]),
          outcome([0xef, 0xbf, 0xbd]), outcome([0xed], [0xa0])]`),
      ["TypeErrora", "TypeErrora", "fine", "fine", "TypeErrora"],
    );
  });
}

test("A script may wait for what keeps no run alive by itself", async () => {
  const own = new World({ manualClock: true });
  const { value } = await own.run(`
    const signal = AbortSignal.timeout(1000);
    await new Promise((done) => signal.addEventListener("abort", done));
    return signal.reason.name`);
  assert.equal(value, "TimeoutError");
});

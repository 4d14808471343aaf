// Randomness comes from the kernel. The runs of a machine are forks of one warm process, so nothing
// random may be kept from before begin(): each run would see the same.
import { random } from "../base/host.js";
import { defineProperty } from "../base/intrinsics.js";

const kPool = 4096;
const pool = new Uint8Array(kPool);
const words = new Uint32Array(pool.buffer);
let next = words.length;

export function forgetRandomness(): void {
  next = words.length;
}

function word(): number {
  if (next === words.length) {
    random(pool);
    next = 0;
  }
  return words[next++]!;
}

// V8's own generator is seeded once in the warm process: every run would get the same numbers.
const { random: ours } = {
  random(): number {
    return (word() * 2 ** 21 + (word() >>> 11)) / 2 ** 53;
  },
};
defineProperty(Math, "random", { value: ours, writable: true, configurable: true });

const kHex: string[] = [];
for (let i = 0; i < 256; ++i) kHex[i] = (i + 256).toString(16).slice(1);

export function uuid(): string {
  const bytes = new Uint8Array(16);
  random(bytes);
  bytes[6] = (bytes[6]! & 15) | 64;
  bytes[8] = (bytes[8]! & 63) | 128;
  let text = "";
  for (let i = 0; i < 16; ++i) {
    if (i === 4 || i === 6 || i === 8 || i === 10) text += "-";
    text += kHex[bytes[i]!]!;
  }
  return text;
}

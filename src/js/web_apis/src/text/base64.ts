import { DOMException } from "../base/dom-exception.js";
import { defineGlobal, needArguments, toText } from "../base/webidl.js";

const kAlphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const kValues = new Int8Array(128).fill(-1);
for (let i = 0; i < 64; ++i) kValues[kAlphabet.charCodeAt(i)] = i;

export function toBase64(bytes: Uint8Array): string {
  const parts: string[] = [];
  for (let begin = 0; begin < bytes.length; begin += 6144) {
    let part = "";
    const end = Math.min(begin + 6144, bytes.length);
    for (let i = begin; i < end; i += 3) {
      const left = end - i;
      const word =
        (bytes[i]! << 16) | ((left > 1 ? bytes[i + 1]! : 0) << 8) | (left > 2 ? bytes[i + 2]! : 0);
      part +=
        kAlphabet[word >> 18]! +
        kAlphabet[(word >> 12) & 63]! +
        (left > 1 ? kAlphabet[(word >> 6) & 63]! : "=") +
        (left > 2 ? kAlphabet[word & 63]! : "=");
    }
    parts.push(part);
  }
  return parts.join("");
}

// "forgiving-base64 decode"; undefined: not base64.
export function fromBase64(text: string): Uint8Array | undefined {
  let data = text.replace(/[\t\n\f\r ]+/g, "");
  if (data.length % 4 === 0) data = data.replace(/={1,2}$/, "");
  if (data.length % 4 === 1) return undefined;
  const bytes = new Uint8Array(Math.floor((data.length * 3) / 4));
  let word = 0;
  let bits = 0;
  let at = 0;
  for (let i = 0; i < data.length; ++i) {
    const code = data.charCodeAt(i);
    const value = code < 128 ? kValues[code]! : -1;
    if (value < 0) return undefined;
    word = ((word << 6) | value) & 0xffffff;
    bits += 6;
    if (bits >= 8) {
      bits -= 8;
      bytes[at++] = (word >> bits) & 255;
    }
  }
  return bytes;
}

export function latin1Of(bytes: Uint8Array): string {
  let text = "";
  for (let i = 0; i < bytes.length; i += 8192) {
    text += String.fromCharCode.apply(null, bytes.subarray(i, i + 8192) as unknown as number[]);
  }
  return text;
}

export function bytesOfLatin1(text: string): Uint8Array {
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; ++i) bytes[i] = text.charCodeAt(i);
  return bytes;
}

function btoa(data: unknown): string {
  needArguments(arguments.length, 1, "btoa");
  const text = toText(data);
  for (let i = 0; i < text.length; ++i) {
    if (text.charCodeAt(i) > 255) {
      throw new DOMException(
        `The character at index ${i} is outside of the Latin1 range`,
        "InvalidCharacterError",
      );
    }
  }
  return toBase64(bytesOfLatin1(text));
}

function atob(data: unknown): string {
  needArguments(arguments.length, 1, "atob");
  const bytes = fromBase64(toText(data));
  if (bytes === undefined) {
    throw new DOMException("The text is not correctly encoded base64", "InvalidCharacterError");
  }
  return latin1Of(bytes);
}

defineGlobal("btoa", btoa, true);
defineGlobal("atob", atob, true);

import { DOMException } from "../base/dom-exception.js";
import { hmac, random } from "../base/host.js";
import { copyOf, exactBuffer, freeze } from "../base/intrinsics.js";
import {
  expose,
  isObject,
  kInternal,
  refuseScripts,
  toEnforcedLength,
  toSequence,
  toText,
} from "../base/webidl.js";
import { fromBase64, toBase64 } from "../text/base64.js";
import { toBytesSource } from "../text/encoding.js";
import { notSupported, toHashName } from "./names.js";

export interface Algorithm {
  name: string;
  hash?: unknown;
  length?: unknown;
}

const kUsages = [
  "encrypt",
  "decrypt",
  "sign",
  "verify",
  "deriveKey",
  "deriveBits",
  "wrapKey",
  "unwrapKey",
];
const kBlockBits: Record<string, number> = {
  "SHA-1": 512,
  "SHA-256": 512,
  "SHA-384": 1024,
  "SHA-512": 1024,
};
const kJwkNames: Record<string, string> = {
  "SHA-1": "HS1",
  "SHA-256": "HS256",
  "SHA-384": "HS384",
  "SHA-512": "HS512",
};

interface KeyInside {
  bytes: Uint8Array;
  hash: string;
  usages: readonly string[];
  extractable: boolean;
}
let insideOf: (value: unknown) => KeyInside;

export class CryptoKey {
  readonly #inside: KeyInside;
  readonly #algorithm: object;

  constructor(token: unknown = undefined, inside: unknown = undefined) {
    refuseScripts(token);
    this.#inside = inside as KeyInside;
    const { hash, bytes } = this.#inside;
    this.#algorithm = { name: "HMAC", hash: { name: hash }, length: bytes.byteLength * 8 };
  }
  static {
    insideOf = (value) => {
      if (!isObject(value) || !(#inside in value))
        throw new TypeError("The key is not a CryptoKey");
      return value.#inside;
    };
  }
  get type(): string {
    void this.#inside;
    return "secret";
  }
  get extractable(): boolean {
    return this.#inside.extractable;
  }
  get algorithm(): object {
    return this.#algorithm;
  }
  get usages(): readonly string[] {
    return this.#inside.usages;
  }
}
expose(CryptoKey, "CryptoKey");

function toUsages(value: unknown): readonly string[] {
  if (!isObject(value)) throw new TypeError("The usages of a key are a sequence");
  const given = toSequence(value, "The usages of a key").map((usage) => {
    const text = toText(usage);
    if (!kUsages.includes(text)) throw new TypeError(`'${text}' is not a usage of keys`);
    return text;
  });
  for (const usage of given) {
    if (usage !== "sign" && usage !== "verify") {
      throw new DOMException(`A key of HMAC cannot '${usage}'`, "SyntaxError");
    }
  }
  return freeze(kUsages.filter((usage) => given.includes(usage)));
}

function makeKey(
  bytes: Uint8Array,
  hash: string,
  extractable: boolean,
  usages: readonly string[],
): CryptoKey {
  if (usages.length === 0)
    throw new DOMException("A secret key needs at least one usage", "SyntaxError");
  return new CryptoKey(kInternal, { bytes, hash, extractable, usages });
}

function dataError(message: string): DOMException {
  return new DOMException(message, "DataError");
}

function bytesOfJwk(
  data: unknown,
  hash: string,
  usages: readonly string[],
  extractable: boolean,
): Uint8Array {
  if (!isObject(data)) throw new TypeError("A key of the format jwk is an object");
  const { kty, k, alg, use, ext, key_ops } = data as Record<string, unknown>;
  if (kty !== "oct") throw dataError("The member kty of the key must be 'oct'");
  if (alg !== undefined && alg !== kJwkNames[hash])
    throw dataError(`The member alg of the key must be '${kJwkNames[hash]}'`);
  if (use !== undefined && use !== "sig")
    throw dataError("The member use of the key must be 'sig'");
  if (Array.isArray(key_ops) && !usages.every((usage) => key_ops.includes(usage))) {
    throw dataError("The member key_ops of the key does not allow these usages");
  }
  if (ext === false && extractable)
    throw dataError("The member ext of the key does not allow extraction");
  const bytes =
    typeof k === "string" ? fromBase64(k.replace(/-/g, "+").replace(/_/g, "/")) : undefined;
  if (bytes === undefined) throw dataError("The member k of the key is not base64url");
  return bytes;
}

export function importKey(
  format: string,
  data: unknown,
  algorithm: Algorithm,
  extractable: boolean,
  usages: unknown,
): CryptoKey {
  const allowed = toUsages(usages);
  const hash = toHashName(algorithm.hash);
  let bytes: Uint8Array;
  if (format === "raw" || format === "raw-secret")
    bytes = copyOf(toBytesSource(data, "The key data"));
  else if (format === "jwk") bytes = bytesOfJwk(data, hash, allowed, extractable);
  else throw notSupported(`${format} for HMAC`);
  if (bytes.byteLength === 0) throw dataError("The key is empty");
  if (algorithm.length !== undefined) {
    const bits = toEnforcedLength(algorithm.length, "length");
    const bytesNeeded = Math.ceil(bits / 8);
    if (bits === 0 || bytesNeeded !== bytes.byteLength)
      throw dataError("The length does not fit the key data");
    if (bits % 8 !== 0) bytes[bytesNeeded - 1]! &= 0xff << (8 - (bits % 8));
  }
  return makeKey(bytes, hash, extractable, allowed);
}

export function generateKey(
  algorithm: Algorithm,
  extractable: boolean,
  usages: unknown,
): CryptoKey {
  const allowed = toUsages(usages);
  const hash = toHashName(algorithm.hash);
  const bits =
    algorithm.length === undefined
      ? kBlockBits[hash]!
      : toEnforcedLength(algorithm.length, "length");
  if (bits === 0 || bits > 65536 * 8)
    throw new DOMException("This length is not possible", "OperationError");
  const bytes = new Uint8Array(Math.ceil(bits / 8));
  random(bytes);
  return makeKey(bytes, hash, extractable, allowed);
}

export function exportKey(format: string, key: unknown): unknown {
  const { bytes, hash, extractable, usages } = insideOf(key);
  if (!["raw", "raw-secret", "jwk"].includes(format)) throw notSupported(`${format} for HMAC`);
  if (!extractable) throw new DOMException("The key is not extractable", "InvalidAccessError");
  if (format !== "jwk") return exactBuffer(copyOf(bytes));
  const k = toBase64(bytes).replace(/\+/g, "-").replace(/\//g, "_").replace(/=+$/, "");
  return { kty: "oct", k, alg: kJwkNames[hash], key_ops: [...usages], ext: true };
}

function needUsage(key: unknown, usage: string): KeyInside {
  const inside = insideOf(key);
  if (!inside.usages.includes(usage))
    throw new DOMException(`The key may not be used to ${usage}`, "InvalidAccessError");
  return inside;
}

export function sign(key: unknown, data: Uint8Array): ArrayBuffer {
  const { hash, bytes } = needUsage(key, "sign");
  return exactBuffer(hmac(hash, bytes, data));
}

export function verify(key: unknown, signature: Uint8Array, data: Uint8Array): boolean {
  const { hash, bytes } = needUsage(key, "verify");
  const expected = hmac(hash, bytes, data);
  if (expected.byteLength !== signature.byteLength) return false;
  // Takes the same time wherever they differ.
  let difference = 0;
  for (let i = 0; i < expected.byteLength; ++i) difference |= expected[i]! ^ signature[i]!;
  return difference === 0;
}

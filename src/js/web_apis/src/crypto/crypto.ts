import { DOMException, QuotaExceededError } from "../base/dom-exception.js";
import { digest, random } from "../base/host.js";
import { bytesOf, copyOf, exactBuffer, typedArrayName } from "../base/intrinsics.js";
import {
  defineGlobal,
  expose,
  isObject,
  kInternal,
  needArguments,
  refuseScripts,
  toText,
} from "../base/webidl.js";
import { uuid } from "../run/random.js";
import { toBytesSource } from "../text/encoding.js";
import {
  type Algorithm,
  CryptoKey,
  exportKey,
  generateKey,
  importKey,
  sign,
  verify,
} from "./hmac.js";
import { kHashes, notSupported } from "./names.js";

const kIntegerArrays = [
  "Int8Array",
  "Uint8Array",
  "Uint8ClampedArray",
  "Int16Array",
  "Uint16Array",
  "Int32Array",
  "Uint32Array",
  "BigInt64Array",
  "BigUint64Array",
];

function toAlgorithm(value: unknown): Algorithm {
  if (isObject(value)) {
    // Each member is read once: it may be a getter.
    const { name, hash, length } = value as { name?: unknown; hash?: unknown; length?: unknown };
    if (name === undefined) throw new TypeError("An algorithm needs a name");
    return { name: toText(name).toUpperCase(), hash, length };
  }
  return { name: toText(value).toUpperCase() };
}

function needHmac(algorithm: Algorithm): Algorithm {
  if (algorithm.name !== "HMAC") throw notSupported(algorithm.name);
  return algorithm;
}

// digest, and HMAC in full; everything else is refused by name.
export class SubtleCrypto {
  readonly #brand = true;

  constructor(token: unknown = undefined) {
    refuseScripts(token);
  }
  async digest(algorithm: unknown, data: unknown): Promise<ArrayBuffer> {
    void this.#brand;
    needArguments(arguments.length, 2, "digest");
    const { name } = toAlgorithm(algorithm);
    const bytes = copyOf(toBytesSource(data, "The data"));
    if (!kHashes.has(name)) throw notSupported(name);
    return exactBuffer(digest(name, bytes));
  }
  async importKey(
    format: unknown,
    data: unknown,
    algorithm: unknown,
    extractable: unknown,
    usages: unknown,
  ): Promise<CryptoKey> {
    void this.#brand;
    needArguments(arguments.length, 5, "importKey");
    const wanted = needHmac(toAlgorithm(algorithm));
    return importKey(toText(format), data, wanted, Boolean(extractable), usages);
  }
  async exportKey(format: unknown, key: unknown): Promise<unknown> {
    void this.#brand;
    needArguments(arguments.length, 2, "exportKey");
    return exportKey(toText(format), key);
  }
  async generateKey(algorithm: unknown, extractable: unknown, usages: unknown): Promise<CryptoKey> {
    void this.#brand;
    needArguments(arguments.length, 3, "generateKey");
    const wanted = needHmac(toAlgorithm(algorithm));
    return generateKey(wanted, Boolean(extractable), usages);
  }
  async sign(algorithm: unknown, key: unknown, data: unknown): Promise<ArrayBuffer> {
    void this.#brand;
    needArguments(arguments.length, 3, "sign");
    needHmac(toAlgorithm(algorithm));
    return sign(key, copyOf(toBytesSource(data, "The data")));
  }
  async verify(
    algorithm: unknown,
    key: unknown,
    signature: unknown,
    data: unknown,
  ): Promise<boolean> {
    void this.#brand;
    needArguments(arguments.length, 4, "verify");
    needHmac(toAlgorithm(algorithm));
    const given = copyOf(toBytesSource(signature, "The signature"));
    return verify(key, given, copyOf(toBytesSource(data, "The data")));
  }
  async encrypt(algorithm: unknown, key: unknown, data: unknown): Promise<never> {
    return this.#refuse(algorithm, [key, data]);
  }
  async decrypt(algorithm: unknown, key: unknown, data: unknown): Promise<never> {
    return this.#refuse(algorithm, [key, data]);
  }
  async deriveBits(algorithm: unknown, key: unknown, length: unknown = null): Promise<never> {
    return this.#refuse(algorithm, [key, length]);
  }
  async deriveKey(
    algorithm: unknown,
    key: unknown,
    derived: unknown,
    extractable: unknown,
    usages: unknown,
  ): Promise<never> {
    return this.#refuse(algorithm, [key, derived, extractable, usages]);
  }
  async wrapKey(
    format: unknown,
    key: unknown,
    wrapping: unknown,
    algorithm: unknown,
  ): Promise<never> {
    return this.#refuse(algorithm, [format, key, wrapping]);
  }
  async unwrapKey(
    format: unknown,
    wrapped: unknown,
    key: unknown,
    algorithm: unknown,
    keyAlgorithm: unknown,
    extractable: unknown,
    usages: unknown,
  ): Promise<never> {
    return this.#refuse(algorithm, [format, wrapped, key, keyAlgorithm, extractable, usages]);
  }
  #refuse(algorithm: unknown, rest: unknown[]): never {
    void rest;
    throw notSupported(toAlgorithm(algorithm).name);
  }
}
expose(SubtleCrypto, "SubtleCrypto");

export class Crypto {
  readonly #subtle = new SubtleCrypto(kInternal);

  constructor(token: unknown = undefined) {
    refuseScripts(token);
  }
  get subtle(): SubtleCrypto {
    return this.#subtle;
  }
  getRandomValues(array: unknown): unknown {
    void this.#subtle;
    needArguments(arguments.length, 1, "getRandomValues");
    if (!ArrayBuffer.isView(array))
      throw new TypeError("getRandomValues needs an array of integers");
    if (!kIntegerArrays.includes(typedArrayName(array) ?? "")) {
      throw new DOMException("getRandomValues needs an array of integers", "TypeMismatchError");
    }
    const bytes = bytesOf(array);
    if (bytes.byteLength > 65536) {
      throw new QuotaExceededError(
        `getRandomValues gives 65536 bytes at most, not ${bytes.byteLength}`,
      );
    }
    random(bytes);
    return array;
  }
  randomUUID(): string {
    void this.#subtle;
    return uuid();
  }
}
expose(Crypto, "Crypto");
defineGlobal("crypto", new Crypto(kInternal), true);

// structuredClone: written here and not left to V8's serializer, which knows nothing of Blob and
// DOMException and would run the traps of a proxy. V8 only detaches the buffers that are transferred.
import { DOMException, isDOMException } from "../base/dom-exception.js";
import { clone as hostClone, proxyDetails } from "../base/host.js";
import {
  defineProperty,
  isArrayBuffer,
  isSharedArrayBuffer,
  toStringTagOf,
  typedArrayName,
  uncurry,
} from "../base/intrinsics.js";
import {
  defineGlobal,
  isObject,
  isPlatformObject,
  needArguments,
  toDictionary,
  toSequence,
} from "../base/webidl.js";
import { isDetached } from "./array-buffer.js";
import { File, blobOf, bytesOfBlob, isBlob, isFile } from "../files/blob.js";

function cannotClone(what: string): DOMException {
  return new DOMException(`${what} could not be cloned.`, "DataCloneError");
}

const kErrors: Record<string, ErrorConstructor> = {
  Error,
  EvalError,
  RangeError,
  ReferenceError,
  SyntaxError,
  TypeError,
  URIError,
};
const timeOf = uncurry(Date.prototype.getTime as (this: unknown) => number);
const mapEach = uncurry(
  Map.prototype.forEach as (this: unknown, f: (v: unknown, k: unknown) => void) => void,
);
const setEach = uncurry(Set.prototype.forEach as (this: unknown, f: (v: unknown) => void) => void);
const sourceOf = uncurry(
  Object.getOwnPropertyDescriptor(RegExp.prototype, "source")!.get as (this: unknown) => string,
);
const flagsOf = uncurry(
  Object.getOwnPropertyDescriptor(RegExp.prototype, "flags")!.get as (this: unknown) => string,
);
const sliceOf = uncurry(ArrayBuffer.prototype.slice as (this: unknown, b: number) => ArrayBuffer);
const kOpaque = [Promise, WeakMap, WeakSet, WeakRef];

class Cloner {
  readonly #known = new Map<object, unknown>();

  remember(value: object, copy: unknown): unknown {
    this.#known.set(value, copy);
    return copy;
  }

  clone(value: unknown): unknown {
    if (typeof value === "symbol") throw cannotClone(String(value));
    if (typeof value === "function")
      throw cannotClone(Function.prototype.toString.call(value).slice(0, 100));
    if (!isObject(value)) return value;
    if (this.#known.has(value)) return this.#known.get(value);
    if (proxyDetails(value) !== undefined) throw cannotClone("#<Object>");
    return this.#object(value);
  }

  #object(value: object): unknown {
    const tag = toStringTagOf(value).slice(8, -1);
    return (
      this.#builtin(value, tag) ??
      this.#platform(value, tag) ??
      this.#properties(value, Array.isArray(value))
    );
  }

  // By the tag first, then by what only an object of that class can do: a tag alone proves nothing.
  #builtin(value: object, tag: string): unknown {
    const attempt = (make: () => unknown): unknown => {
      try {
        return make();
      } catch (error) {
        if (isDOMException(error) || error instanceof RangeError) throw error;
        return undefined;
      }
    };
    switch (tag) {
      case "Boolean":
        return attempt(() => this.remember(value, Object(Boolean.prototype.valueOf.call(value))));
      case "Number":
        return attempt(() => this.remember(value, Object(Number.prototype.valueOf.call(value))));
      case "String":
        return attempt(() => this.remember(value, Object(String.prototype.valueOf.call(value))));
      case "BigInt":
        return attempt(() => this.remember(value, Object(BigInt.prototype.valueOf.call(value))));
      case "Date":
        return attempt(() => this.remember(value, new Date(timeOf(value))));
      case "RegExp":
        return attempt(() => this.remember(value, new RegExp(sourceOf(value), flagsOf(value))));
      case "Error":
        return isDOMException(value) ? undefined : this.#error(value as Error);
      case "Map":
        return this.#map(value);
      case "Set":
        return this.#set(value);
      default:
        return this.#buffer(value);
    }
  }

  #buffer(value: object): unknown {
    if (isSharedArrayBuffer(value)) throw cannotClone("#<SharedArrayBuffer>");
    if (isArrayBuffer(value)) return this.remember(value, sliceOf(value, 0));
    if (!ArrayBuffer.isView(value)) return undefined;
    const buffer = this.clone(value.buffer) as ArrayBuffer;
    const name = typedArrayName(value);
    if (name === undefined)
      return this.remember(value, new DataView(buffer, value.byteOffset, value.byteLength));
    const Kind = kTypedArrays[name] as Uint8ArrayConstructor;
    return this.remember(value, new Kind(buffer, value.byteOffset, (value as Uint8Array).length));
  }

  #map(value: object): unknown {
    const pairs: [unknown, unknown][] = [];
    try {
      mapEach(value, (item, key) => pairs.push([key, item]));
    } catch {
      return undefined;
    }
    const copy = new Map();
    this.remember(value, copy);
    for (const [key, item] of pairs) copy.set(this.clone(key), this.clone(item));
    return copy;
  }

  #set(value: object): unknown {
    const items: unknown[] = [];
    try {
      setEach(value, (item) => items.push(item));
    } catch {
      return undefined;
    }
    const copy = new Set();
    this.remember(value, copy);
    for (const item of items) copy.add(this.clone(item));
    return copy;
  }

  #error(value: Error): unknown {
    const name = String(value.name);
    const Kind = Object.hasOwn(kErrors, name) ? kErrors[name]! : Error;
    const message = Object.getOwnPropertyDescriptor(value, "message");
    const copy = new Kind() as Error & { cause?: unknown };
    this.remember(value, copy);
    const hidden = (key: string, item: unknown) =>
      defineProperty(copy, key, { value: item, writable: true, configurable: true });
    if (message !== undefined && "value" in message) hidden("message", String(message.value));
    const { stack } = value;
    if (typeof stack === "string") hidden("stack", stack);
    const cause = Object.getOwnPropertyDescriptor(value, "cause");
    if (cause !== undefined && "value" in cause) hidden("cause", this.clone(cause.value));
    return copy;
  }

  #platform(value: object, tag: string): unknown {
    if (isDOMException(value)) {
      const copy = new DOMException(value.message, value.name);
      defineProperty(copy, "stack", {
        value: (value as unknown as Error).stack,
        writable: true,
        configurable: true,
      });
      return this.remember(value, copy);
    }
    if (isFile(value)) {
      const { name, type, lastModified } = value;
      return this.remember(
        value,
        new File([blobOf(bytesOfBlob(value), type)], name, { type, lastModified }),
      );
    }
    if (isBlob(value)) return this.remember(value, blobOf(bytesOfBlob(value), value.type));
    const isOpaque = kOpaque.some((Kind) => value instanceof Kind);
    if (isOpaque || isPlatformObject(value)) throw cannotClone(`#<${tag}>`);
    return undefined;
  }

  #properties(value: object, isList: boolean): object {
    const copy: Record<string, unknown> | unknown[] = isList ? [] : {};
    this.remember(value, copy);
    if (isList) (copy as unknown[]).length = (value as unknown[]).length;
    for (const key of Object.keys(value)) {
      // A getter may have removed it.
      if (!Object.hasOwn(value, key)) continue;
      const item = this.clone((value as Record<string, unknown>)[key]);
      defineProperty(copy, key, {
        value: item,
        writable: true,
        configurable: true,
        enumerable: true,
      });
    }
    return copy;
  }
}

const kTypedArrays: Record<string, unknown> = {
  Int8Array,
  Uint8Array,
  Uint8ClampedArray,
  Int16Array,
  Uint16Array,
  Int32Array,
  Uint32Array,
  Float32Array,
  Float64Array,
  BigInt64Array,
  BigUint64Array,
};

// What knows how to move itself, as a port of a channel does.
export type Transfer = (value: object) => unknown;
let transferPlatformObject: Transfer = () => undefined;
export function transferBy(given: Transfer): void {
  transferPlatformObject = given;
}

function detach(buffer: ArrayBuffer): ArrayBuffer {
  try {
    return hostClone(buffer, [buffer]) as ArrayBuffer;
  } catch (error) {
    throw new DOMException((error as Error).message, "DataCloneError");
  }
}

export function cloneWith(value: unknown, transfer: readonly unknown[]): unknown {
  const cloner = new Cloner();
  const buffers: ArrayBuffer[] = [];
  const moved: object[] = [];
  for (const item of transfer) {
    if (!isObject(item)) throw new TypeError("Only objects can be transferred");
    if (buffers.includes(item as ArrayBuffer) || moved.includes(item))
      throw cannotClone("An object that is to be transferred twice");
    if (isArrayBuffer(item)) {
      if (isDetached(item)) throw cannotClone("A detached ArrayBuffer");
      buffers.push(item);
    } else {
      moved.push(item);
    }
  }
  for (const item of moved) {
    const copy = transferPlatformObject(item);
    if (copy === undefined)
      throw cannotClone(`A value that cannot be transferred: ${toStringTagOf(item)}`);
    cloner.remember(item, copy);
  }
  if (buffers.length === 0) return cloner.clone(value);
  if (value === buffers[0] && buffers.length === 1) return detach(buffers[0]);
  return cloneThenDetach(cloner, value, buffers);
}

// Copies first: what cannot be cloned is found before anything is detached.
function cloneThenDetach(cloner: Cloner, value: unknown, buffers: ArrayBuffer[]): unknown {
  for (const buffer of buffers) cloner.remember(buffer, sliceOf(buffer, 0));
  const result = cloner.clone(value);
  for (const buffer of buffers) detach(buffer);
  return result;
}

export function structuredClone(value: unknown, options: unknown = {}): unknown {
  needArguments(arguments.length, 1, "structuredClone");
  const { transfer } = toDictionary(options, "The options of structuredClone") as {
    transfer?: unknown;
  };
  if (transfer === undefined) return cloneWith(value, []);
  if (!isObject(transfer)) throw new TypeError("The option transfer is not a sequence");
  return cloneWith(value, toSequence(transfer, "transfer"));
}
defineGlobal("structuredClone", structuredClone, true);

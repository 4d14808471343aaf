// The functions of the language that we rely on where a script may have replaced them meanwhile.

type Method<This, Args extends unknown[], Result> = (this: This, ...args: Args) => Result;
type Uncurried<This, Args extends unknown[], Result> = (self: This, ...args: Args) => Result;

const { bind, call } = Function.prototype;
export const uncurry = bind.bind(call) as unknown as <This, Args extends unknown[], Result>(
  method: Method<This, Args, Result>,
) => Uncurried<This, Args, Result>;

function getterOf(prototype: object, key: PropertyKey): (self: unknown) => unknown {
  const getter = Object.getOwnPropertyDescriptor(prototype, key)?.get;
  if (getter === undefined) throw new Error(`no getter ${String(key)}`);
  return uncurry(getter as (this: unknown) => unknown);
}

export const {
  create: createObject,
  defineProperty,
  freeze,
  getOwnPropertyDescriptor,
  getOwnPropertyNames,
  getPrototypeOf,
  setPrototypeOf,
  keys: objectKeys,
  hasOwn,
} = Object;
export const { apply, construct, ownKeys } = Reflect;
export const { stringify: toJson, parse: fromJson } = JSON;
export const { isArray } = Array;
export const { isView } = ArrayBuffer;
export const { min, max, floor, trunc } = Math;
export const dateNow = Date.now;

export const toStringTagOf = uncurry(Object.prototype.toString as Method<unknown, [], string>);

const then = uncurry(
  Promise.prototype.then as Method<
    Promise<unknown>,
    [((value: never) => unknown) | undefined, ((reason: unknown) => unknown) | undefined],
    Promise<unknown>
  >,
);
export function whenSettled<Value>(
  promise: Promise<Value>,
  fulfilled: ((value: Value) => unknown) | undefined,
  rejected?: (reason: unknown) => unknown,
): Promise<unknown> {
  return then(promise, fulfilled as never, rejected);
}

const resolved = Promise.resolve();
export function inMicrotask(callback: () => void): void {
  void then(resolved, callback, undefined);
}

const TypedArrayPrototype = getPrototypeOf(Uint8Array.prototype) as object;
const typedTag = getterOf(TypedArrayPrototype, Symbol.toStringTag);
const typedLength = getterOf(TypedArrayPrototype, "byteLength");
const typedOffset = getterOf(TypedArrayPrototype, "byteOffset");
const typedBuffer = getterOf(TypedArrayPrototype, "buffer");
const dataViewLength = getterOf(DataView.prototype, "byteLength");
const dataViewOffset = getterOf(DataView.prototype, "byteOffset");
const dataViewBuffer = getterOf(DataView.prototype, "buffer");
const bufferLength = getterOf(ArrayBuffer.prototype, "byteLength");
const sharedLength =
  typeof SharedArrayBuffer === "undefined"
    ? undefined
    : getterOf(SharedArrayBuffer.prototype, "byteLength");

// "Uint8Array", "Float64Array", …; undefined for everything else.
export function typedArrayName(value: unknown): string | undefined {
  return typedTag(value) as string | undefined;
}

function hasSlot(getter: (self: unknown) => unknown, value: unknown): boolean {
  try {
    getter(value);
    return true;
  } catch {
    return false;
  }
}

export const isArrayBuffer = (value: unknown): value is ArrayBuffer =>
  typeof value === "object" && value !== null && hasSlot(bufferLength, value);

export const isSharedArrayBuffer = (value: unknown): boolean =>
  sharedLength !== undefined &&
  typeof value === "object" &&
  value !== null &&
  hasSlot(sharedLength, value);

export type BytesSource = ArrayBuffer | ArrayBufferView;

export const isBytesSource = (value: unknown): value is BytesSource =>
  isView(value) || isArrayBuffer(value);

const Bytes = Uint8Array;
const bytesSet = uncurry(
  Uint8Array.prototype.set as Method<Uint8Array, [ArrayLike<number>, number?], void>,
);
const bytesSlice = uncurry(
  Uint8Array.prototype.slice as Method<Uint8Array, [number?, number?], Uint8Array>,
);

// The bytes behind a buffer or a view, not copied. A detached buffer has none.
export function bytesOf(source: BytesSource): Uint8Array {
  if (!isView(source)) return source.byteLength === 0 ? new Bytes() : new Bytes(source);
  const [buffer, offset, length] =
    typedTag(source) === undefined
      ? [dataViewBuffer(source), dataViewOffset(source), dataViewLength(source)]
      : [typedBuffer(source), typedOffset(source), typedLength(source)];
  return length === 0
    ? new Bytes()
    : new Bytes(buffer as ArrayBuffer, offset as number, length as number);
}

export function copyOf(source: BytesSource): Uint8Array {
  return bytesSlice(bytesOf(source));
}

// A part that shares the memory of the whole.
export function partOf(bytes: Uint8Array, begin: number, end: number): Uint8Array {
  return new Bytes(bytes.buffer, bytes.byteOffset + begin, end - begin);
}

export function joinBytes(parts: readonly Uint8Array[]): Uint8Array {
  if (parts.length === 1) return parts[0]!;
  let length = 0;
  for (let i = 0; i < parts.length; ++i) length += parts[i]!.byteLength;
  const whole = new Bytes(length);
  let at = 0;
  for (let i = 0; i < parts.length; ++i) {
    bytesSet(whole, parts[i]!, at);
    at += parts[i]!.byteLength;
  }
  return whole;
}

// The bytes as a buffer of their own.
export function exactBuffer(bytes: Uint8Array): ArrayBuffer {
  const { buffer } = bytes;
  if (bytes.byteOffset === 0 && bytes.byteLength === buffer.byteLength)
    return buffer as ArrayBuffer;
  return bytesSlice(bytes).buffer as ArrayBuffer;
}

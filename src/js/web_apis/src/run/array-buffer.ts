// transfer(), transferToFixedLength() and detached of ArrayBuffer, which V8 10.2 does not have.
import { clone } from "../base/host.js";
import { defineProperty, isArrayBuffer, uncurry } from "../base/intrinsics.js";

const lengthOf = uncurry(
  Object.getOwnPropertyDescriptor(ArrayBuffer.prototype, "byteLength")!.get as (
    this: unknown,
  ) => number,
);

export function isDetached(buffer: ArrayBuffer): boolean {
  if (lengthOf(buffer) > 0) return false;
  try {
    new Uint8Array(buffer);
    return false;
  } catch {
    return true;
  }
}

function transfer(buffer: unknown, newLength: unknown): ArrayBuffer {
  if (!isArrayBuffer(buffer)) throw new TypeError("Only an ArrayBuffer can be transferred");
  const length = newLength === undefined ? lengthOf(buffer) : Math.trunc(Number(newLength)) || 0;
  if (length < 0 || length > Number.MAX_SAFE_INTEGER)
    throw new RangeError("Invalid array buffer length");
  if (isDetached(buffer)) throw new TypeError("A detached ArrayBuffer cannot be transferred");
  const moved = clone(buffer, [buffer]) as ArrayBuffer;
  if (lengthOf(moved) === length) return moved;
  const resized = new Uint8Array(length);
  resized.set(new Uint8Array(moved, 0, Math.min(length, lengthOf(moved))));
  return resized.buffer;
}

const members = {
  get detached(): boolean {
    if (!isArrayBuffer(this)) throw new TypeError("Not an ArrayBuffer");
    return isDetached(this as unknown as ArrayBuffer);
  },
  transfer(newLength: unknown = undefined): ArrayBuffer {
    return transfer(this, newLength);
  },
  transferToFixedLength(newLength: unknown = undefined): ArrayBuffer {
    return transfer(this, newLength);
  },
};
for (const name of ["detached", "transfer", "transferToFixedLength"]) {
  if (name in ArrayBuffer.prototype) continue;
  defineProperty(ArrayBuffer.prototype, name, {
    ...Object.getOwnPropertyDescriptor(members, name)!,
    enumerable: false,
  });
}

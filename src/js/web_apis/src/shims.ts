// Before everything else: what libraries look for when they are loaded.

// Buffers of V8 10.2 have one size for life, and do not say so.
function sayFixedSize(prototype: object, question: string): void {
  if (Object.hasOwn(prototype, question)) return;
  const length = Object.getOwnPropertyDescriptor(prototype, "byteLength")!.get!;
  const answers = {
    get [question](): boolean {
      Reflect.apply(length, this, []);
      return false;
    },
    get maxByteLength(): number {
      return Reflect.apply(length, this, []) as number;
    },
  };
  for (const name of [question, "maxByteLength"]) {
    const descriptor = Object.getOwnPropertyDescriptor(answers, name)!;
    Object.defineProperty(prototype, name, { ...descriptor, enumerable: false });
  }
}
sayFixedSize(ArrayBuffer.prototype, "resizable");
if (typeof SharedArrayBuffer !== "undefined") sayFixedSize(SharedArrayBuffer.prototype, "growable");

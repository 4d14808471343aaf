// Bytes as base64 and back. Engines of 2025 and later do it natively, and ten times as fast.

interface NativeBase64 {
  fromBase64?(text: string): Uint8Array<ArrayBuffer>;
}

const native = Uint8Array as unknown as NativeBase64;
const kPiece = 0x8000; // more arguments than this in one call overflow the stack of some engines

export function toBase64(bytes: Uint8Array): string {
  const own = bytes as Uint8Array & { toBase64?(): string };
  if (own.toBase64 !== undefined) return own.toBase64();
  let binary = "";
  for (let at = 0; at < bytes.length; at += kPiece)
    binary += String.fromCharCode(...bytes.subarray(at, at + kPiece));
  return btoa(binary);
}

export function fromBase64(text: string): Uint8Array<ArrayBuffer> {
  if (native.fromBase64 !== undefined) return native.fromBase64(text);
  const binary = atob(text);
  const bytes = new Uint8Array(binary.length);
  for (let at = 0; at < binary.length; ++at) bytes[at] = binary.charCodeAt(at);
  return bytes;
}

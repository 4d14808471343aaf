// UTF-8 piece by piece, with the host's decoder for the pieces. What a piece ends with is kept when
// the next one may complete it.
import { fromUtf8, toUtf8 } from "./utf8.js";

const kNothing = new Uint8Array(0);

// How many bytes follow the first one; 0: it is no first byte of several.
function followers(first: number): number {
  if (first >= 0xc2 && first <= 0xdf) return 1;
  if (first >= 0xe0 && first <= 0xef) return 2;
  if (first >= 0xf0 && first <= 0xf4) return 3;
  return 0;
}

// Only the second byte has limits of its own: no long forms, no surrogates, nothing beyond U+10FFFF.
function mayBeSecond(first: number, second: number): boolean {
  const low = first === 0xe0 ? 0xa0 : first === 0xf0 ? 0x90 : 0x80;
  const high = first === 0xed ? 0x9f : first === 0xf4 ? 0x8f : 0xbf;
  return second >= low && second <= high;
}

// The length of the character at the end that has begun well and is not complete.
function unfinished(bytes: Uint8Array): number {
  for (let back = 1; back <= 3 && back <= bytes.length; ++back) {
    const at = bytes.length - back;
    const byte = bytes[at]!;
    if ((byte & 0xc0) === 0x80) continue;
    if (followers(byte) < back) return 0;
    return back === 1 || mayBeSecond(byte, bytes[at + 1]!) ? back : 0;
  }
  return 0;
}

function join(a: Uint8Array, b: Uint8Array): Uint8Array {
  if (a.length === 0) return b;
  const both = new Uint8Array(a.length + b.length);
  both.set(a);
  both.set(b, a.length);
  return both;
}

function isSame(a: Uint8Array, b: Uint8Array): boolean {
  if (a.length !== b.length) return false;
  for (let i = 0; i < a.length; ++i) if (a[i] !== b[i]) return false;
  return true;
}

export class Utf8Decoder {
  readonly #fatal: boolean;
  readonly #keepsBom: boolean;
  #rest: Uint8Array = kNothing;
  #hasBegun = false;

  constructor(fatal: boolean, keepsBom: boolean) {
    this.#fatal = fatal;
    this.#keepsBom = keepsBom;
  }

  // `stream`: there is more to come. Throws a TypeError for broken bytes if it is to.
  decode(piece: Uint8Array | undefined, stream: boolean): string {
    const bytes = join(this.#rest, piece ?? kNothing);
    const kept = stream ? unfinished(bytes) : 0;
    const whole = kept === 0 ? bytes : bytes.subarray(0, bytes.length - kept);
    this.#rest = kept === 0 ? kNothing : bytes.slice(bytes.length - kept);
    let text = fromUtf8(whole);
    // Where there is a replacement character, it may also have been one before.
    if (this.#fatal && text.includes("\uFFFD") && !isSame(toUtf8(text), whole)) {
      this.#forget();
      throw new TypeError("The bytes are not valid UTF-8");
    }
    if (!this.#hasBegun && !this.#keepsBom && text.startsWith("\uFEFF")) text = text.slice(1);
    if (stream) this.#hasBegun ||= whole.length > 0;
    else this.#forget();
    return text;
  }

  #forget(): void {
    this.#rest = kNothing;
    this.#hasBegun = false;
  }
}

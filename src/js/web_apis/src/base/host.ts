// What the C++ side offers, and what it calls. It is a global only while this bundle is evaluated;
// scripts never see it.

export type Details = ["pending"] | ["fulfilled", unknown] | ["rejected", unknown];

export interface Host {
  send(kind: number, call: number, payload?: string | Uint8Array): void;
  now(): number;
  wake(at?: number | null): void;
  random(bytes: Uint8Array): void;
  digest(name: string, bytes: Uint8Array): Uint8Array;
  hmac(name: string, key: Uint8Array, bytes: Uint8Array): Uint8Array;
  clone(value: unknown, transfer: unknown[]): unknown;
  promiseDetails(promise: Promise<unknown>): Details;
  entriesOf(value: object): unknown[];
  proxyDetails(value: unknown): [object, object] | undefined;
  // Faster than we are, where the host has them: lone surrogates and broken bytes become U+FFFD, a BOM
  // stays what it is.
  decodeUtf8?(bytes: Uint8Array): string;
  encodeUtf8?(text: string): Uint8Array;

  begin?: (run: Run) => void;
  prepare?: (code: string, name: string, session: boolean) => unknown;
  toResult?: (value: unknown) => string | undefined;
  describe?: (error: unknown) => unknown;
  onFrame?: (kind: number, call: number, payload: string | Uint8Array | number | undefined) => void;
  onWake?: () => void;
  isBusy?: () => boolean;
  unhandled?: (promise: Promise<unknown>, reason: unknown) => void;
  handledLater?: (promise: Promise<unknown>) => void;
  failure?: () => [unknown] | undefined;
  warm?: () => void;
}

// An API is on, or off for the reason that the sentence says.
export type Switch = true | string;

export interface Run {
  apis?: { fetch?: Switch; websocket?: Switch; mcp?: Switch };
  session?: boolean;
  name?: string;
  // What relative URLs are relative to; without it they are errors.
  base?: string;
}

declare global {
  var __host: Host;
}

export const host: Host = globalThis.__host;
export const { decodeUtf8: decodeByHost, encodeUtf8: encodeByHost } = host;

// Taken once, so that nothing a script does can put itself between us and the C++ side.
export const {
  send,
  now,
  wake,
  random,
  digest,
  hmac,
  clone,
  promiseDetails,
  entriesOf,
  proxyDetails,
} = host;

// https://w3c.github.io/webappsec-subresource-integrity/
import { digest } from "../base/host.js";
import { fromBase64 } from "../text/base64.js";

const kStrengths = ["sha256", "sha384", "sha512"];

function isSame(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, index) => byte === b[index]);
}

// Whether the bytes are what the metadata promises. Metadata of unknown form promises nothing.
export function matchesIntegrity(bytes: Uint8Array, metadata: string): boolean {
  let strongest = -1;
  let promises: string[] = [];
  for (const item of metadata.split(/[\t\n\f\r ]+/)) {
    const found = /^(sha256|sha384|sha512)-([A-Za-z0-9+/_-]+={0,2})(?:\?.*)?$/i.exec(item);
    if (found === null) continue;
    const strength = kStrengths.indexOf(found[1]!.toLowerCase());
    if (strength > strongest) {
      strongest = strength;
      promises = [];
    }
    if (strength === strongest) promises.push(found[2]!.replace(/-/g, "+").replace(/_/g, "/"));
  }
  if (strongest < 0) return true;
  const actual = digest(["SHA-256", "SHA-384", "SHA-512"][strongest]!, bytes);
  return promises.some((promise) => {
    const expected = fromBase64(promise);
    return expected !== undefined && isSame(expected, actual);
  });
}

// https://w3c.github.io/webappsec-subresource-integrity/
import { toBase64 } from "../base/base64.ts";

const kStrengths = ["sha256", "sha384", "sha512"];

/** Whether the bytes are those that one of the strongest digests names. */
export async function matches(bytes: Uint8Array<ArrayBuffer>, metadata: string): Promise<boolean> {
  const digests = metadata
    .split(/\s+/)
    .map((item) => /^(sha(?:256|384|512))-([A-Za-z0-9+/_-]+={0,2})(?:\?.*)?$/i.exec(item))
    .filter((found) => found !== null)
    .map((found) => ({ name: found[1]!.toLowerCase(), value: plain(found[2]!) }));
  const strongest = kStrengths.findLast((name) => digests.some((digest) => digest.name === name));
  if (strongest === undefined) return true; // nothing that we could check
  const actual = await crypto.subtle.digest(strongest.replace("sha", "SHA-"), bytes);
  const wanted = plain(toBase64(new Uint8Array(actual)));
  return digests.some(({ name, value }) => name === strongest && value === wanted);
}

const plain = (base64: string): string =>
  base64.replace(/-/g, "+").replace(/_/g, "/").replace(/=+$/, "");

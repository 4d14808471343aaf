// multipart/form-data, both ways, byte for byte.
import { copyOf, joinBytes, partOf } from "../base/intrinsics.js";
import { latin1Of } from "../text/base64.js";
import { decodeUtf8, fromUtf8, toUtf8 } from "../text/encoding.js";
import { random } from "../base/host.js";
import { File, blobOf, bytesOfBlob, isFile } from "./blob.js";
import { FormData, formEntries } from "./form-data.js";

const escapeName = (name: string): string =>
  name
    .replace(/\r\n|\r|\n/g, (end) => (end === "\r" ? "%0D" : end === "\n" ? "%0A" : "%0D%0A"))
    .replace(/"/g, "%22");
const unescapeName = (name: string): string =>
  name.replace(/%0D/gi, "\r").replace(/%0A/gi, "\n").replace(/%22/g, '"');
const withCrLf = (text: string): string => text.replace(/\r\n?|\n/g, "\r\n");

export interface Encoded {
  bytes: Uint8Array;
  type: string;
}

export function encodeForm(data: FormData): Encoded {
  const noise = new Uint8Array(12);
  random(noise);
  const boundary = `----formdata-${Array.from(noise, (byte) => byte.toString(16).padStart(2, "0")).join("")}`;
  const parts: Uint8Array[] = [];
  for (const [name, value] of formEntries(data)) {
    const head = `--${boundary}\r\nContent-Disposition: form-data; name="${escapeName(withCrLf(name))}"`;
    if (isFile(value)) {
      const type = value.type || "application/octet-stream";
      parts.push(
        toUtf8(`${head}; filename="${escapeName(value.name)}"\r\nContent-Type: ${type}\r\n\r\n`),
      );
      parts.push(bytesOfBlob(value), toUtf8("\r\n"));
    } else {
      parts.push(toUtf8(`${head}\r\n\r\n${withCrLf(value)}\r\n`));
    }
  }
  parts.push(toUtf8(`--${boundary}--\r\n`));
  return { bytes: joinBytes(parts), type: `multipart/form-data; boundary=${boundary}` };
}

function find(bytes: Uint8Array, wanted: Uint8Array, from: number): number {
  const first = wanted[0]!;
  for (let at = bytes.indexOf(first, from); at >= 0; at = bytes.indexOf(first, at + 1)) {
    if (at + wanted.length > bytes.length) return -1;
    let i = 1;
    while (i < wanted.length && bytes[at + i] === wanted[i]) ++i;
    if (i === wanted.length) return at;
  }
  return -1;
}

interface PartHead {
  name: string;
  filename: string | undefined;
  type: string | undefined;
}

function quoted(value: string, parameter: string): string | undefined {
  const found = new RegExp(`;\\s*${parameter}=(?:"([^"]*)"|([^\\s;"]+))`, "i").exec(value);
  return found === null ? undefined : unescapeName(found[1] ?? found[2]!);
}

function parseHead(bytes: Uint8Array): PartHead | undefined {
  let name: string | undefined;
  let filename: string | undefined;
  let type: string | undefined;
  for (const line of fromUtf8(bytes).split("\r\n")) {
    const colon = line.indexOf(":");
    if (colon <= 0) return undefined;
    const key = line.slice(0, colon).trim().toLowerCase();
    const value = line.slice(colon + 1).trim();
    if (key === "content-disposition") {
      if (!/^form-data\s*;/i.test(value)) return undefined;
      name = quoted(value, "name");
      filename = quoted(value, "filename");
    } else if (key === "content-type") {
      type = value;
    }
  }
  return name === undefined ? undefined : { name, filename, type };
}

const kHeadEnd = new Uint8Array([13, 10, 13, 10]);
const kMostParts = 100_000;

// undefined: not a form of that boundary.
export function decodeForm(bytes: Uint8Array, boundary: string): FormData | undefined {
  const data = new FormData();
  const dashes = toUtf8(`--${boundary}`);
  const next = toUtf8(`\r\n--${boundary}`);
  let at = 0;
  // Line ends may stand before the first boundary.
  while (bytes[at] === 13 && bytes[at + 1] === 10) at += 2;
  if (find(partOf(bytes, at, Math.min(bytes.length, at + dashes.length)), dashes, 0) !== 0)
    return undefined;
  at += dashes.length;
  for (let count = 0; count < kMostParts; ++count) {
    if (bytes[at] === 45 && bytes[at + 1] === 45) {
      const rest = latin1Of(partOf(bytes, at + 2, Math.min(bytes.length, at + 64)));
      return /^(\r\n)*$/.test(rest) ? data : undefined;
    }
    while (bytes[at] === 32 || bytes[at] === 9) ++at;
    if (bytes[at] !== 13 || bytes[at + 1] !== 10) return undefined;
    const headEnd = find(bytes, kHeadEnd, at);
    if (headEnd < 0 || headEnd < at + 2) return undefined;
    const head = parseHead(partOf(bytes, at + 2, headEnd));
    if (head === undefined) return undefined;
    const begin = headEnd + 4;
    // An empty part: its end is the line end that ends the head.
    const end = find(bytes, next, begin - 2);
    if (end < 0) return undefined;
    const content = partOf(bytes, begin, Math.max(begin, end));
    addPart(data, head, content);
    at = end + next.length;
  }
  return undefined;
}

function addPart(data: FormData, head: PartHead, content: Uint8Array): void {
  if (head.filename === undefined) {
    data.append(head.name, decodeUtf8(content));
    return;
  }
  const type = head.type ?? "text/plain";
  data.append(head.name, new File([blobOf(copyOf(content), type)], head.filename, { type }));
}

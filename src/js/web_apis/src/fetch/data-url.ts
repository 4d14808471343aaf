// https://fetch.spec.whatwg.org/#data-url-processor
import { fromBase64, latin1Of } from "../text/base64.js";
import { toUtf8 } from "../text/encoding.js";
import { parseMimeType, serializeMimeType } from "./mime-type.js";

function hexValue(byte: number | undefined): number {
  if (byte === undefined) return -1;
  if (byte >= 48 && byte <= 57) return byte - 48;
  const lower = byte | 32;
  return lower >= 97 && lower <= 102 ? lower - 87 : -1;
}

export function percentDecode(text: string): Uint8Array {
  const bytes = toUtf8(text);
  const out = new Uint8Array(bytes.length);
  let length = 0;
  for (let i = 0; i < bytes.length; ++i) {
    const high = bytes[i] === 37 ? hexValue(bytes[i + 1]) : -1;
    const low = high < 0 ? -1 : hexValue(bytes[i + 2]);
    if (low < 0) {
      out[length++] = bytes[i]!;
    } else {
      out[length++] = high * 16 + low;
      i += 2;
    }
  }
  return out.slice(0, length);
}

export interface DataUrl {
  type: string;
  bytes: Uint8Array;
}

export function parseDataUrl(href: string): DataUrl | undefined {
  const text = href.replace(/#.*$/s, "").slice("data:".length);
  const comma = text.indexOf(",");
  if (comma < 0) return undefined;
  let type = text.slice(0, comma).replace(/^[\t\n\f\r ]+|[\t\n\f\r ]+$/g, "");
  let bytes: Uint8Array | undefined = percentDecode(text.slice(comma + 1));
  const base64 = /; *base64$/i.exec(type);
  if (base64 !== null) {
    bytes = fromBase64(latin1Of(bytes));
    if (bytes === undefined) return undefined;
    type = type.slice(0, base64.index);
  }
  if (type.startsWith(";")) type = `text/plain${type}`;
  const parsed = parseMimeType(type);
  return {
    type: parsed === undefined ? "text/plain;charset=US-ASCII" : serializeMimeType(parsed),
    bytes,
  };
}

// What the constructor and close() of a WebSocket accept: https://websockets.spec.whatwg.org/
import type { Place } from "../base/place.ts";

const syntaxError = (message: string): DOMException => new DOMException(message, "SyntaxError");

export function socketUrl(url: string | URL, place: Place): URL {
  if (!URL.canParse(String(url), place.base)) throw syntaxError(`The URL '${url}' is invalid.`);
  const parsed = new URL(String(url), place.base);
  if (parsed.protocol === "http:") parsed.protocol = "ws:";
  if (parsed.protocol === "https:") parsed.protocol = "wss:";
  if (parsed.protocol !== "ws:" && parsed.protocol !== "wss:")
    throw syntaxError(`The URL '${url}' is invalid.`);
  if (parsed.hash !== "" || parsed.href.endsWith("#"))
    throw syntaxError("The URL contains a fragment.");
  return parsed;
}

const kToken = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;

export function subprotocols(protocols: string | Iterable<string>): string[] {
  const list = typeof protocols === "string" ? [protocols] : Array.from(protocols, String);
  const seen = new Set(list.map((each) => each.toLowerCase()));
  if (seen.size !== list.length || !list.every((each) => kToken.test(each)))
    throw syntaxError("The subprotocols are not distinct tokens.");
  return list;
}

/** Halves of characters cannot be sent. */
export const wellFormed = (text: string): string => text.replace(/\p{Surrogate}/gu, "\ufffd");

const kLongestReason = 123;

export interface CloseArguments {
  code: number | undefined;
  reason: string | undefined;
}

export function closeArguments(code?: number, reason?: string): CloseArguments {
  let number: number | undefined;
  if (code !== undefined) {
    // [Clamp] unsigned short
    number = Math.min(65535, Math.max(0, Math.round(Number(code)) || 0));
    if (number !== 1000 && (number < 3000 || number > 4999))
      throw new DOMException(
        `The close code must be 1000, or from 3000 to 4999: ${number}.`,
        "InvalidAccessError",
      );
  }
  const text = reason === undefined ? undefined : wellFormed(String(reason));
  if (text !== undefined && new TextEncoder().encode(text).length > kLongestReason)
    throw syntaxError(`The close reason is longer than ${kLongestReason} bytes.`);
  return { code: number, reason: text };
}

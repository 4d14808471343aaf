// Between texts and UTF-8: lone surrogates and broken bytes become U+FFFD, a BOM stays a character.
import { utf8fromStringLoose, utf8toStringLoose } from "@exodus/bytes/utf8.js";
import { decodeByHost, encodeByHost } from "../base/host.js";

export const fromUtf8: (source: Uint8Array) => string =
  decodeByHost ?? ((source) => utf8toStringLoose(source));
export const toUtf8: (text: string) => Uint8Array =
  encodeByHost ?? ((text) => utf8fromStringLoose(text));

// What `response` of a XMLHttpRequest is. https://xhr.spec.whatwg.org/#response-body

export type Body = Uint8Array<ArrayBuffer>;

const charsetOf = (mimeType: string): string | undefined =>
  /;\s*charset\s*=\s*"?([^\s;"]+)/i.exec(mimeType)?.[1];

export function textOf(bytes: Body, mimeType: string): string {
  try {
    return new TextDecoder(charsetOf(mimeType) ?? "utf-8").decode(bytes);
  } catch {
    return new TextDecoder().decode(bytes); // a charset that nobody knows
  }
}

export function jsonOf(bytes: Body): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(bytes));
  } catch {
    return null;
  }
}

const isHtml = (mimeType: string): boolean => /^text\/html\b/i.test(mimeType);
const isXml = (mimeType: string): boolean =>
  /^(text|application)\/(xml\b|[^;]*\+xml)/i.test(mimeType);

/** HTML only where it was asked for, XML where the type says so. */
export function documentOf(bytes: Body, mimeType: string, wantsHtml: boolean): Document | null {
  if (typeof DOMParser === "undefined") return null;
  const text = textOf(bytes, mimeType);
  if (isHtml(mimeType))
    return wantsHtml ? new DOMParser().parseFromString(text, "text/html") : null;
  if (mimeType !== "" && !isXml(mimeType)) return null;
  const parsed = new DOMParser().parseFromString(text, "text/xml");
  return parsed.querySelector("parsererror") === null ? parsed : null;
}

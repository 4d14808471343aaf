// https://mimesniff.spec.whatwg.org/#parsing-a-mime-type
export interface MimeType {
  essence: string;
  parameters: Map<string, string>;
}

const kToken = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const kQuotedText = /^[\t\x20-\x7e\x80-\xff]*$/;

function unquote(text: string): string {
  let value = "";
  for (let i = 1; i < text.length && text[i] !== '"'; ++i) {
    if (text[i] === "\\" && i + 1 < text.length) ++i;
    value += text[i];
  }
  return value;
}

// Splits at `separator`, but not within quotes.
function splitOutsideQuotes(text: string, separator: string): string[] {
  const parts: string[] = [];
  let begin = 0;
  let quotes = false;
  for (let i = 0; i < text.length; ++i) {
    if (quotes && text[i] === "\\") ++i;
    else if (text[i] === '"') quotes = !quotes;
    else if (text[i] === separator && !quotes) {
      parts.push(text.slice(begin, i));
      begin = i + 1;
    }
  }
  parts.push(text.slice(begin));
  return parts;
}

export function parseMimeType(text: string): MimeType | undefined {
  const [first, ...rest] = splitOutsideQuotes(text.replace(/^[\t\n\r ]+|[\t\n\r ]+$/g, ""), ";");
  const essence = first!.replace(/[\t\n\r ]+$/, "").toLowerCase();
  const slash = essence.indexOf("/");
  if (slash < 0 || !kToken.test(essence.slice(0, slash)) || !kToken.test(essence.slice(slash + 1)))
    return undefined;
  const parameters = new Map<string, string>();
  for (const part of rest) {
    const equals = part.indexOf("=");
    if (equals < 0) continue;
    const name = part
      .slice(0, equals)
      .replace(/^[\t\n\r ]+/, "")
      .toLowerCase();
    const raw = part.slice(equals + 1);
    const value = raw.startsWith('"') ? unquote(raw) : raw.replace(/[\t\n\r ]+$/, "");
    if (value === "" && !raw.startsWith('"')) continue;
    if (kToken.test(name) && kQuotedText.test(value) && !parameters.has(name))
      parameters.set(name, value);
  }
  return { essence, parameters };
}

export function serializeMimeType({ essence, parameters }: MimeType): string {
  let text = essence;
  for (const [name, value] of parameters) {
    const plain = kToken.test(value);
    text += `;${name}=${plain ? value : `"${value.replace(/["\\]/g, "\\$&")}"`}`;
  }
  return text;
}

// https://fetch.spec.whatwg.org/#concept-header-extract-mime-type, of the combined value.
export function extractMimeType(value: string | null): MimeType | undefined {
  if (value === null) return undefined;
  let charset: string | undefined;
  let essence: string | undefined;
  let result: MimeType | undefined;
  for (const part of splitOutsideQuotes(value, ",")) {
    const type = parseMimeType(part);
    if (type === undefined || type.essence === "*/*") continue;
    result = type;
    if (type.essence !== essence) {
      charset = type.parameters.get("charset");
      essence = type.essence;
    } else if (!type.parameters.has("charset") && charset !== undefined) {
      type.parameters.set("charset", charset);
    }
  }
  return result;
}

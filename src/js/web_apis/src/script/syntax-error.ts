// What is wrong with a text that is not JavaScript, and where.

export interface ScriptError {
  name: "SyntaxError";
  message: string;
  line: number;
  column: number; // from 1
}

// What acorn and sucrase throw.
export interface ParserError {
  message: string;
  pos: number;
}

export function isParserError(error: unknown): error is ParserError {
  return error instanceof Error && typeof (error as { pos?: unknown }).pos === "number";
}

function tokenAt(code: string, position: number): string {
  return /^(?:[\p{ID_Continue}$]+|[^\s])/u.exec(code.slice(position, position + 50))?.[0] ?? "";
}

function sentence(code: string, error: ParserError): string {
  const message = error.message
    .replace(/\s*\(\d+:\d+\)$/, "")
    .replace(/^Error parsing [^:]*: /, "");
  if (!/^Unexpected token/.test(message)) return message;
  const token = tokenAt(code, error.pos);
  if (token === "") return "Unexpected end of the script";
  if (token === "<" && /^<[A-Za-z>]/.test(code.slice(error.pos)))
    return "Unexpected token '<' (JSX is not supported)";
  return `Unexpected token '${token}'`;
}

export function scriptError(code: string, error: ParserError): ScriptError {
  const before = code.slice(0, error.pos);
  const line = before.split(/\r\n|[\n\r\u2028\u2029]/).length;
  const begin =
    Math.max(...["\n", "\r", "\u2028", "\u2029"].map((end) => before.lastIndexOf(end))) + 1;
  const column = error.pos - begin + 1;
  return {
    name: "SyntaxError",
    message: `${sentence(code, error)} (line ${line}, column ${column})`,
    line,
    column,
  };
}

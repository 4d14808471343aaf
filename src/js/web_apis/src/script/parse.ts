import { type Node, type Program, parse as parseByAcorn } from "acorn";
import { type ParserError, type ScriptError, isParserError, scriptError } from "./syntax-error.js";
import { withoutTypes } from "./typescript.js";

export interface Parsed {
  source: string; // without types
  program: Program;
}

function parseJavaScript(source: string): Program {
  return parseByAcorn(source, {
    // What V8 10.2 knows: a newer feature is reported here, with its place.
    ecmaVersion: 2022,
    sourceType: "module",
    allowReturnOutsideFunction: true,
    allowHashBang: true,
  });
}

type Attempt = { program: Program } | { error: ParserError };

function attempt(source: string): Attempt {
  try {
    return { program: parseJavaScript(source) };
  } catch (error) {
    return { error: asParserError(error) };
  }
}

function asParserError(error: unknown): ParserError {
  if (isParserError(error)) return error;
  if (error instanceof RangeError) return { message: "The script is nested too deeply", pos: 0 };
  return { message: String((error as Error)?.message ?? error), pos: 0 };
}

// `f<T>(x)` is a chain of comparisons in JavaScript, and never meant as one.
function mayCallGeneric(source: string): boolean {
  return /[\w$\])]<[\w$\s,.[\]{}|&<>"':;?]{1,200}>\s*\(/.test(source);
}

// Whether JavaScript stopped at something that TypeScript would go on with.
function looksLikeTypes(source: string, error: ParserError): boolean {
  const rest = source.slice(error.pos);
  if (/^[:<!?]/.test(rest)) return true;
  const words =
    /^(as|satisfies|type|interface|enum|declare|abstract|namespace|implements|is|readonly)\b/;
  const before =
    /\b(as|satisfies|type|interface|enum|declare|abstract|private|public|protected|readonly|namespace|implements)\s+$/;
  return words.test(rest) || before.test(source.slice(Math.max(0, error.pos - 40), error.pos));
}

// An object on its own, `{"a": 1}`: a block to JavaScript, and not a valid one.
function asObject(code: string): Parsed | undefined {
  if (!/^\s*\{/.test(code)) return undefined;
  const source = `(${code}\n)`;
  const result = attempt(source);
  return "program" in result ? { source, program: result.program } : undefined;
}

// Elements as of JSX, at the place where JavaScript stopped.
function looksLikeJsx(source: string, error: ParserError): boolean {
  return /^<(>|[A-Za-z][\w.]*(\s|>|\/))/.test(source.slice(error.pos));
}

export function parse(code: string): Parsed | { error: ScriptError } {
  const plain = attempt(code);
  if ("program" in plain && !mayCallGeneric(code)) return { source: code, program: plain.program };
  const object = "error" in plain ? asObject(code) : undefined;
  if (object !== undefined) return object;
  let stripped: string;
  try {
    stripped = withoutTypes(code);
  } catch (error) {
    if ("program" in plain) return { source: code, program: plain.program };
    if (looksLikeJsx(code, plain.error)) return { error: scriptError(code, plain.error) };
    const second = asParserError(error);
    const useSecond = looksLikeTypes(code, plain.error) && second.pos >= plain.error.pos;
    return { error: scriptError(code, useSecond ? second : plain.error) };
  }
  const typed = stripped === code ? plain : attempt(stripped);
  if ("program" in typed) return { source: stripped, program: typed.program };
  if ("program" in plain) return { source: code, program: plain.program };
  if (looksLikeJsx(code, plain.error)) return { error: scriptError(code, plain.error) };
  const useTyped = stripped !== code && looksLikeTypes(code, plain.error);
  return { error: useTyped ? scriptError(stripped, typed.error) : scriptError(code, plain.error) };
}

export type { Node, Program };

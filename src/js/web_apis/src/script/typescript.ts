// Takes the types out of TypeScript. sucrase does it token by token; we let it put blanks where a
// token was, so that lines and columns stay what they are.
import { transform } from "sucrase";
import TokenProcessor from "sucrase/dist/esm/TokenProcessor.js";

interface Processor {
  code: string;
  tokens: { start: number; end: number }[];
  tokenIndex: number;
  resultCode: string;
  resultMappings: number[];
  previousWhitespaceAndComments(): string;
  appendTokenPrefix(): void;
  appendTokenSuffix(): void;
}

const blanks = (text: string): string => text.replace(/[^\r\n]/g, " ");

function blankToken(this: Processor): void {
  const token = this.tokens[this.tokenIndex]!;
  this.resultCode += blanks(this.previousWhitespaceAndComments());
  this.appendTokenPrefix();
  this.resultMappings[this.tokenIndex] = this.resultCode.length;
  this.resultCode += blanks(this.code.slice(token.start, token.end));
  this.appendTokenSuffix();
  ++this.tokenIndex;
}

const prototype = (TokenProcessor as unknown as { prototype: Record<string, unknown> }).prototype;
prototype["removeToken"] = blankToken;
prototype["removeInitialToken"] = blankToken;

export function withoutTypes(code: string): string {
  return transform(code, {
    transforms: ["typescript"],
    disableESTransforms: true,
    keepUnusedImports: true,
  }).code;
}

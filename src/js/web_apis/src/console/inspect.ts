// Values as text. The inspector is Node's own, taken out of it by node-inspect-extracted; what it
// cannot see from inside the language comes from the host (scripts/build.mjs joins the two).
import { formatWithOptions, inspect as inspectByNode } from "node-inspect-extracted";
import { shownStack } from "../run/stack.js";

const kOptions = { depth: 4, maxArrayLength: 100, maxStringLength: 10_000, breakLength: 100 };
// So that no text fills a frame, and no agent's context.
const kLongestText = 1_000_000;

function bounded(text: string): string {
  if (text.length <= kLongestText) return text;
  return `${text.slice(0, kLongestText)}… (${text.length - kLongestText} more characters)`;
}

export function inspect(value: unknown, options: object = {}): string {
  return bounded(shownStack(inspectByNode(value, { ...kOptions, ...options })));
}

export function format(args: unknown[]): string {
  if (args.length === 1 && typeof args[0] === "string") return bounded(args[0]);
  return bounded(shownStack(formatWithOptions(kOptions, ...args)));
}

// Never throws: for what goes wrong while something wrong is being told.
export function inspectSafely(value: unknown): string {
  try {
    return inspect(value);
  } catch {
    try {
      return String(value);
    } catch {
      return `[${typeof value}]`;
    }
  }
}

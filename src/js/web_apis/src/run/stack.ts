// Stacks as the author of a script wants to see them: without our frames, and with the columns of
// the text as it was written.

// The name under which this bundle is being evaluated.
const here = /\(?([^\s()]+):\d+:\d+\)?$/m.exec(new Error().stack ?? "")?.[1] ?? "web_apis.js";

interface Insertion {
  line: number;
  column: number; // in the text that runs
  length: number;
}
const insertions = new Map<string, Insertion[]>();

// What prepare() put into the text of that name.
export function rememberInsertions(name: string, list: Insertion[]): void {
  insertions.set(name, list);
}

function originalColumn(name: string, line: number, column: number): number {
  let shift = 0;
  for (const insertion of insertions.get(name) ?? []) {
    if (insertion.line !== line || insertion.column >= column) continue;
    // A position within what we put there is that of what follows.
    shift += Math.min(insertion.length, column - insertion.column);
  }
  return Math.max(1, column - shift);
}

const kPlace = /([^\s()]+):(\d+):(\d+)(\)?)$/;

// One line of a stack; undefined: not of the script.
function shownFrame(line: string): string | undefined {
  const place = kPlace.exec(line);
  if (place === null) return /^\s*at .*(<anonymous>|native)/.test(line) ? undefined : line;
  const [, name, row, column, close] = place;
  if (name === here || name!.startsWith("node:")) return undefined;
  return `${line.slice(0, place.index)}${name}:${row}:${originalColumn(name!, Number(row), Number(column))}${close}`;
}

const isFrame = (line: string): boolean => /^\s+at /.test(line);

export function shownStack(text: string): string {
  if (!text.includes("    at ")) return text;
  const lines: string[] = [];
  for (const line of text.split("\n")) {
    if (!isFrame(line)) {
      lines.push(line);
      continue;
    }
    // In the output of the inspector a brace may follow the last frame.
    const tail = /( \{| \]|,|\}|\])*$/.exec(line)?.[0] ?? "";
    const frame = shownFrame(line.slice(0, line.length - tail.length));
    if (frame !== undefined) lines.push(frame + tail);
    else if (tail !== "" && lines.length > 0) lines[lines.length - 1] += tail;
  }
  return lines.join("\n");
}

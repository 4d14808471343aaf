import { isObject } from "../base/webidl.js";
import { inspect } from "./inspect.js";

const kMostRows = 1000;
const cellOf = (value: unknown): string =>
  inspect(value, { depth: isObject(value) ? 0 : 1, breakLength: Infinity, maxArrayLength: 3 });

function rowsOf(data: object): [string, unknown][] {
  if (data instanceof Map)
    return [...data].map((pair, index) => [String(index), { Key: pair[0], Values: pair[1] }]);
  if (data instanceof Set) return [...data].map((value, index) => [String(index), value]);
  return Object.keys(data).map((key) => [
    key,
    Object.getOwnPropertyDescriptor(data, key)?.value as unknown,
  ]);
}

function draw(head: string[], rows: string[][]): string {
  const widths = head.map(
    (title, column) => Math.max(title.length, ...rows.map((row) => row[column]!.length)) + 2,
  );
  const line = (left: string, middle: string, right: string) =>
    left + widths.map((width) => "─".repeat(width)).join(middle) + right;
  const text = (cells: string[]) =>
    `│${cells.map((cell, column) => ` ${cell}`.padEnd(widths[column]!)).join("│")}│`;
  return [
    line("┌", "┬", "┐"),
    text(head),
    line("├", "┼", "┤"),
    ...rows.map(text),
    line("└", "┴", "┘"),
  ].join("\n");
}

// undefined: not something that has rows.
export function tableOf(data: unknown, only: unknown): string | undefined {
  if (!isObject(data)) return undefined;
  const rows = rowsOf(data).slice(0, kMostRows);
  const columns = new Set<string>(Array.isArray(only) ? only.map(String) : []);
  let hasValues = false;
  for (const [, row] of rows) {
    if (!isObject(row) || typeof row === "function") hasValues = true;
    else if (!Array.isArray(only)) for (const key of Object.keys(row)) columns.add(key);
  }
  const names = [...columns];
  const cells = rows.map(([index, row]) => {
    const isRow = isObject(row) && typeof row !== "function";
    const values = names.map((name) => {
      const descriptor = isRow ? Object.getOwnPropertyDescriptor(row, name) : undefined;
      return descriptor === undefined ? "" : cellOf(descriptor.value);
    });
    return [index, ...values, ...(hasValues ? [isRow ? "" : cellOf(row)] : [])];
  });
  return draw(["(index)", ...names, ...(hasValues ? ["Values"] : [])], cells);
}

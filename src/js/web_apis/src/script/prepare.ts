// Makes a module of a script: types out, the value of the script into import.meta.result, and in a
// session its top-level names as exports.
import { type Node } from "acorn";
import { rememberInsertions } from "../run/stack.js";
import { bindingsOf, visit } from "./bindings.js";
import { Edits } from "./edits.js";
import { parse } from "./parse.js";
import { type ScriptError } from "./syntax-error.js";

type AnyNode = Node & Record<string, unknown>;

export interface Prepared {
  source: string;
  names: string[];
  error?: ScriptError;
}

const kResult = "import.meta.result = await (";
const kBlock = "$sallyport_script";
const kSave = "$sallyport_save";

const endBefore = (source: string, node: Node): number =>
  source[node.end - 1] === ";" ? node.end - 1 : node.end;

// The statement that gives the script its value, if it does: an expression, also one at the end of
// a block, of both ways of an `if`, or of a `try`.
function markValue(source: string, statement: AnyNode | undefined | null, edits: Edits): void {
  switch (statement?.type) {
    case "ExpressionStatement":
      edits.insert(statement.start, kResult);
      edits.insert(endBefore(source, statement), ")");
      break;
    case "ExportDefaultDeclaration": {
      const declaration = statement["declaration"] as AnyNode;
      if (/(Function|Class)Declaration$/.test(declaration.type)) break;
      const keyword = /^export\s+default/.exec(source.slice(statement.start))![0];
      edits.replace(statement.start, statement.start + keyword.length, kResult);
      edits.insert(endBefore(source, statement), ")");
      break;
    }
    case "BlockStatement":
      markValue(source, (statement["body"] as AnyNode[]).at(-1), edits);
      break;
    case "LabeledStatement":
      markValue(source, statement["body"] as AnyNode, edits);
      break;
    case "IfStatement":
      markValue(source, statement["consequent"] as AnyNode, edits);
      markValue(source, statement["alternate"] as AnyNode | null, edits);
      break;
    case "TryStatement":
      markValue(source, statement["block"] as AnyNode, edits);
      markValue(
        source,
        (statement["handler"] as AnyNode | null)?.["body"] as AnyNode | undefined,
        edits,
      );
      break;
  }
}

function returnsOf(body: readonly Node[]): AnyNode[] {
  const found: AnyNode[] = [];
  visit(body, (node) => {
    if (node.type === "ReturnStatement") found.push(node);
  });
  return found;
}

// `return` at the top: the script becomes a block that can be left. What has to stand at the top of
// a module goes before it.
function wrap(
  source: string,
  body: readonly AnyNode[],
  returns: AnyNode[],
  names: string[],
  edits: Edits,
): string {
  let imports = "";
  for (const statement of body) {
    if (statement.type === "ImportDeclaration") {
      imports += `${source.slice(statement.start, statement.end).replace(/\s*[\r\n]\s*/g, " ")};`;
      edits.blank(source, statement.start, statement.end);
    } else if (statement.type === "ExportNamedDeclaration") {
      const declaration = statement["declaration"] as AnyNode | null;
      edits.blank(
        source,
        statement.start,
        declaration === null ? statement.end : declaration.start,
      );
    }
  }
  for (const statement of returns) {
    const hasValue = statement["argument"] !== null;
    edits.replace(
      statement.start,
      statement.start + "return".length,
      hasValue ? `{${kResult}` : "{",
    );
    edits.replace(
      endBefore(source, statement),
      statement.end,
      `${hasValue ? ")" : ""}; break ${kBlock}; }`,
    );
  }
  // A name whose declaration was not reached has no value; to ask for it is an error.
  const saves = names.map((name, i) => `try { $sallyport_${i} = ${name}; } catch {}`).join(" ");
  const keep = names.map((_, i) => `let $sallyport_${i};`).join(" ");
  const save = names.length === 0 ? "" : ` ${kSave} = () => { ${saves} };`;
  const exports = names.map((name, i) => `$sallyport_${i} as ${name}`).join(", ");
  edits.insert(0, `${imports} let ${kSave} = () => {}; ${keep} try { ${kBlock}: {${save} `);
  return `\n} } finally { ${kSave}(); }${names.length === 0 ? "" : `\nexport { ${exports} };`}`;
}

function importedNames(body: readonly AnyNode[]): Set<string> {
  return new Set(
    bindingsOf(body.filter((statement) => statement.type === "ImportDeclaration")).names,
  );
}

export function prepare(code: string, name: string, session: boolean): Prepared {
  // A mark of the encoding is not part of the script; "#!" only counts where it is first.
  const text = code.replace(/^\uFEFF/, "").replace(/^#!/, "//");
  const parsed = parse(text);
  if ("error" in parsed) return { source: "", names: [], error: parsed.error };
  const { source, program } = parsed;
  const body = program.body as unknown as AnyNode[];
  const { names, exported } = bindingsOf(body);
  const edits = new Edits();
  // Most scripts have none; then there is nothing to look through.
  const returns = /\breturn\b/.test(source) ? returnsOf(body) : [];
  let tail = "";
  let kept = names;
  if (returns.length > 0) {
    const imported = importedNames(body);
    kept = names.filter((known) => !imported.has(known));
    tail = wrap(source, body, returns, session ? kept : [], edits);
  } else if (session) {
    const missing = names.filter((known) => !exported.has(known));
    if (missing.length > 0) tail = `\nexport { ${missing.join(", ")} };`;
  }
  markValue(source, body.at(-1), edits);
  const result = edits.apply(source);
  rememberInsertions(name, result.insertions);
  return { source: result.text + tail, names: kept };
}

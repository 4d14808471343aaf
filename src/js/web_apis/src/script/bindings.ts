// The names that a script binds at its top level.
import { type Node } from "acorn";

type AnyNode = Node & Record<string, unknown>;

function addPattern(node: AnyNode | null, names: Set<string>): void {
  if (node === null) return;
  switch (node.type) {
    case "Identifier":
      names.add(node["name"] as string);
      break;
    case "ObjectPattern":
      for (const property of node["properties"] as AnyNode[]) {
        addPattern(
          (property.type === "RestElement" ? property["argument"] : property["value"]) as AnyNode,
          names,
        );
      }
      break;
    case "ArrayPattern":
      for (const element of node["elements"] as (AnyNode | null)[]) addPattern(element, names);
      break;
    case "AssignmentPattern":
      addPattern(node["left"] as AnyNode, names);
      break;
    case "RestElement":
      addPattern(node["argument"] as AnyNode, names);
      break;
  }
}

function addDeclarators(declaration: AnyNode, names: Set<string>): void {
  for (const { id } of declaration["declarations"] as { id: AnyNode }[]) addPattern(id, names);
}

export function isFunction(node: Node): boolean {
  return (
    /^(Arrow)?Function(Expression|Declaration)$/.test(node.type) ||
    node.type === "ArrowFunctionExpression"
  );
}

// Visits a node and what is in it, except functions and classes.
export function visit(node: unknown, visitor: (node: AnyNode) => void): void {
  if (typeof node !== "object" || node === null) return;
  if (Array.isArray(node)) {
    for (const item of node) visit(item, visitor);
    return;
  }
  const current = node as AnyNode;
  if (typeof current.type !== "string") return;
  visitor(current);
  if (isFunction(current) || current.type === "ClassBody") return;
  for (const key of Object.keys(current)) {
    const child = current[key];
    if (typeof child === "object" && child !== null) visit(child, visitor);
  }
}

// `var` reaches the top from within blocks.
function addVars(statement: Node, names: Set<string>): void {
  visit(statement, (node) => {
    if (node.type === "VariableDeclaration" && node["kind"] === "var") addDeclarators(node, names);
  });
}

export interface Bindings {
  names: string[];
  exported: Set<string>;
}

export function bindingsOf(body: readonly Node[]): Bindings {
  const names = new Set<string>();
  const exported = new Set<string>();
  for (const statement of body as AnyNode[]) {
    let declaration: AnyNode | null = statement;
    if (statement.type === "ExportNamedDeclaration") {
      for (const { exported: name } of statement["specifiers"] as { exported: AnyNode }[]) {
        exported.add((name["name"] ?? name["value"]) as string);
      }
      declaration = statement["declaration"] as AnyNode | null;
    } else if (statement.type === "ExportDefaultDeclaration") {
      declaration = statement["declaration"] as AnyNode;
      if (!/Declaration$/.test(declaration.type) || declaration["id"] === null) continue;
    }
    if (declaration === null) continue;
    const own = new Set<string>();
    if (declaration.type === "VariableDeclaration") addDeclarators(declaration, own);
    else if (
      declaration.type === "FunctionDeclaration" ||
      declaration.type === "ClassDeclaration"
    ) {
      addPattern(declaration["id"] as AnyNode | null, own);
    } else if (declaration.type === "ImportDeclaration") {
      for (const { local } of declaration["specifiers"] as { local: AnyNode }[])
        addPattern(local, own);
    } else addVars(declaration, own);
    for (const name of own) {
      names.add(name);
      if (statement.type === "ExportNamedDeclaration") exported.add(name);
    }
  }
  return { names: [...names], exported };
}

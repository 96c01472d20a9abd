import { parseSync } from "vite";

const importing = new Set([
  "ImportDeclaration",
  "ExportNamedDeclaration",
  "ExportAllDeclaration",
  "ImportExpression",
  "TSImportType",
]);

/** Every module a file names: static and dynamic imports, re-exports, `import type` and `import("…")` in types. */
export function readImports(file: string, text: string): string[] {
  const { program, errors } = parseSync(file, text);
  if (errors[0]) throw new Error(`${file}: ${errors[0].message}`);
  const found: string[] = [];
  visit(program, found);
  return found;
}

function visit(node: unknown, found: string[]): void {
  if (Array.isArray(node)) {
    for (const part of node) visit(part, found);
    return;
  }
  if (!isNode(node)) return;
  const source = importing.has(String(node.type)) ? node.source : undefined;
  if (isNode(source) && typeof source.value === "string") found.push(source.value);
  for (const part of Object.values(node)) visit(part, found);
}

function isNode(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}

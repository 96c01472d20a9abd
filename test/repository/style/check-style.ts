import { parseSync } from "vite";

type Node = { type: string; start: number; end: number } & Record<string, unknown>;

export const mostLines = 60;

/** Says which functions are longer than allowed. Functions inside a function are counted apart, blank lines and comments not at all. */
export function findLongFunctions(file: string, text: string): string[] {
  const found: string[] = [];
  const lineAt = createLineAt(text);
  visit(parse(file, text), (node, parent) => {
    if (!isFunction(node)) return;
    const count = countLines(node, lineAt, text);
    if (count > mostLines) found.push(`${file}: ${nameOf(node, parent)} has ${count} lines`);
  });
  return found;
}

/** Says where an object literal is spread into another one, or into an element: its properties can stand there plainly. */
export function findPackedProperties(file: string, text: string): string[] {
  if (!/\.\.\.\s*\{/.test(text)) return [];
  const found: string[] = [];
  const lineAt = createLineAt(text);
  visit(parse(file, text), (node, parent) => {
    const isSpread =
      node.type === "JSXSpreadAttribute" || (node.type === "SpreadElement" && parent?.type === "ObjectExpression");
    if (isSpread && isNode(node.argument) && node.argument.type === "ObjectExpression")
      found.push(`${file}:${lineAt(node.start) + 1}`);
  });
  return found;
}

function parse(file: string, text: string): unknown {
  const { program, errors } = parseSync(file, text);
  if (errors[0]) throw new Error(`${file}: ${errors[0].message}`);
  return program;
}

/** Lines on which a part of the function stands that is no function itself. */
function countLines(whole: Node, lineAt: (place: number) => number, text: string): number {
  const inner: Node[] = [];
  visit(whole, (node) => {
    if (node === whole || !isFunction(node)) return true;
    inner.push(node);
    return false;
  });
  const places: [number, number][] = [];
  let from = whole.start;
  for (const { start, end } of inner.sort((one, other) => one.start - other.start)) {
    places.push([from, start]);
    from = end;
  }
  places.push([from, whole.end]);
  const lines = new Set<number>();
  for (const [start, end] of places)
    for (const { index } of withoutComments(text.slice(start, end)).matchAll(/\S+/g)) lines.add(lineAt(start + index));
  return lines.size;
}

/** The same text with blanks where comments were. A text that looks like one counts less, which does no harm. */
const withoutComments = (text: string): string =>
  text.replaceAll(/\/\*[\s\S]*?\*\/|(?<=^\s*|\s)\/\/[^\n]*/gm, (comment) => comment.replaceAll(/[^\n]/g, " "));

/** Calls back with each node and the one around it; what is inside is left out where the answer is false. */
function visit(part: unknown, look: (node: Node, parent: Node | undefined) => unknown, parent?: Node): void {
  if (Array.isArray(part)) {
    for (const one of part) visit(one, look, parent);
    return;
  }
  if (typeof part !== "object" || part === null) return;
  if (isNode(part) && look(part, parent) === false) return;
  const around = isNode(part) ? part : parent;
  for (const one of Object.values(part)) visit(one, look, around);
}

const isNode = (part: unknown): part is Node =>
  typeof part === "object" && part !== null && "type" in part && "start" in part;

const isFunction = ({ type, body }: Node): boolean =>
  /^(Arrow)?Function(Declaration|Expression)/.test(type) && isNode(body);

const nameOf = (node: Node, parent: Node | undefined): string =>
  readName(node.id) ?? readName(parent?.id ?? parent?.key) ?? "a function";

const readName = (part: unknown): string | undefined =>
  isNode(part) && typeof part.name === "string" ? part.name : undefined;

function createLineAt(text: string): (place: number) => number {
  const starts = [0, ...[...text.matchAll(/\n/g)].map(({ index }) => index + 1)];
  return (place) => {
    let [low, high] = [0, starts.length - 1];
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if ((starts[middle] ?? 0) > place) high = middle - 1;
      else low = middle;
    }
    return low;
  };
}

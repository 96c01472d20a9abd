type Tree = Record<string, unknown>;

/** Every object of a syntax tree. What the parser keeps for the parent operator is shared between nodes, so nothing is visited twice. */
function* visit(tree: unknown): Generator<Tree> {
  const seen = new Set<unknown>();
  const waiting: unknown[] = [tree];
  while (waiting.length > 0) {
    const node = waiting.pop();
    if (typeof node !== "object" || node === null || seen.has(node)) continue;
    seen.add(node);
    if (!Array.isArray(node)) yield node as Tree;
    for (const part of Object.values(node) as unknown[]) waiting.push(part);
  }
}

/**
 * Whether an expression gives the name `clone` to something: with `:=`, as an argument, with `@` or with `#`. The transform operator copies
 * with whatever has that name, and one that does not copy lets an expression change what is not its own.
 */
export function bindsClone(tree: unknown): boolean {
  for (const node of visit(tree)) {
    const { type, value, lhs, arguments: given, focus, index } = node;
    if (focus === "clone" || index === "clone" || (type === "index" && value === "clone")) return true;
    if (type === "bind" && (lhs as Tree | undefined)?.value === "clone") return true;
    if (type === "lambda" && Array.isArray(given) && given.some((argument: Tree) => argument.value === "clone"))
      return true;
  }
  return false;
}

export const cloneFault = "the name $clone belongs to JSONata and cannot be given to something else";

/**
 * Whether evaluating could write to anything but its own values. Only the transform operator writes, and what takes a function apart
 * (`$spread`, or data that says it is a function) gets at objects that others use.
 */
export function couldChangeOthers(tree: unknown): boolean {
  for (const { type, value } of visit(tree))
    if (type === "transform" || (type === "variable" && value === "spread")) return true;
  return false;
}

/** A fault or a warning about a canvas in words: with the name of its node instead of its place in the list. */
export function describeRemark(canvas: unknown, { pointer, detail }: { pointer: string; detail: string }): string {
  const [, list = "", index, rest = ""] = /^\/canvas\/(nodes|notes)\/(\d+)\/?(.*)$/.exec(pointer) ?? [];
  const node = list === "nodes" ? nodesOf(canvas)[Number(index)] : undefined;
  const field = index === undefined ? pointer.slice(1) : rest;
  const words = field.replace(/^(parameters|settings)\//, "").replace(/^credentials\/(.*)$/, "the $1 account");
  const text = `${words.replaceAll("/", " → ")} ${detail}.`.trim();
  if (list === "notes") return `Note ${Number(index) + 1}: ${text}`;
  return node === undefined ? text : `${titleOf(node)}: ${text}`;
}

function nodesOf(canvas: unknown): unknown[] {
  const nodes = typeof canvas === "object" && canvas !== null && "nodes" in canvas ? canvas.nodes : undefined;
  return Array.isArray(nodes) ? nodes : [];
}

function titleOf(node: unknown): string {
  const { name, id, nodeId } = (typeof node === "object" && node !== null ? node : {}) as Record<string, unknown>;
  return [name, id, nodeId].find((text) => typeof text === "string" && text !== "")?.toString() ?? "A node";
}

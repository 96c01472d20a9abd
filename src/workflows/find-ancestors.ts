type Connection = { source: string; target: string };

/** Every node from which a way leads to the given one. */
export function findAncestors(edges: readonly Connection[]): (id: string) => ReadonlySet<string> {
  const sources = new Map<string, string[]>();
  for (const { source, target } of edges) sources.set(target, [...(sources.get(target) ?? []), source]);
  return (id) => {
    const found = new Set<string>();
    const open = [id];
    for (let next = open.pop(); next !== undefined; next = open.pop())
      for (const source of sources.get(next) ?? []) {
        if (found.has(source)) continue;
        found.add(source);
        open.push(source);
      }
    return found;
  };
}

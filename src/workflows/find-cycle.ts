type Connection = { source: string; target: string };

/** The nodes of one circle in the direction of its edges, or undefined when there is none. */
export function findCycle(edges: readonly Connection[]): string[] | undefined {
  const targets = groupTargets(edges);
  const finished = new Set<string>();
  for (const start of targets.keys()) {
    const cycle = walk(start, targets, finished);
    if (cycle) return cycle;
  }
  return undefined;
}

/** Depth first, without recursion: a canvas may be one long chain. */
function walk(start: string, targets: Map<string, string[]>, finished: Set<string>): string[] | undefined {
  const path: string[] = [];
  const onPath = new Set<string>();
  const open = [{ id: start, leaving: false }];
  for (let next = open.pop(); next; next = open.pop()) {
    const { id, leaving } = next;
    if (leaving) {
      path.pop();
      onPath.delete(id);
      finished.add(id);
      continue;
    }
    if (onPath.has(id)) return path.slice(path.indexOf(id));
    if (finished.has(id)) continue;
    path.push(id);
    onPath.add(id);
    open.push({ id, leaving: true }, ...(targets.get(id) ?? []).map((target) => ({ id: target, leaving: false })));
  }
  return undefined;
}

function groupTargets(edges: readonly Connection[]): Map<string, string[]> {
  const targets = new Map<string, string[]>();
  for (const { source, target } of edges) {
    const known = targets.get(source);
    if (known) known.push(target);
    else targets.set(source, [target]);
  }
  return targets;
}

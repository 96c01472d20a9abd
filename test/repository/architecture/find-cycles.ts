interface Edge {
  readonly from: string;
  readonly to: string | undefined;
}

/** Every import cycle met by a walk over the files, each as the path that leads back to its first file. */
export function findCycles(edges: readonly Edge[]): string[][] {
  const targets = Map.groupBy(edges, ({ from }) => from);
  const done = new Set<string>();
  const cycles: string[][] = [];
  const walk = (file: string, trail: readonly string[]): void => {
    const start = trail.indexOf(file);
    if (start >= 0) cycles.push([...trail.slice(start), file]);
    if (start >= 0 || done.has(file)) return;
    for (const { to } of targets.get(file) ?? []) if (to !== undefined) walk(to, [...trail, file]);
    done.add(file);
  };
  for (const file of targets.keys()) walk(file, []);
  return cycles;
}

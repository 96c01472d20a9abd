import { findCycle } from "../find-cycle.ts";
import { type N8nConnection, type N8nFile, refuseTooMany } from "./read-n8n-file.ts";

/** A loop of n8n leads back to its beginning. Here what follows runs for each item, so the way back leads on to what comes after the loop. */
export function straightenLoops({ nodes, connections }: Pick<N8nFile, "nodes" | "connections">): N8nConnection[] {
  const loops = nodes.filter(({ type }) => type.endsWith(".splitInBatches"));
  return loops.reduce(
    (current, { name, typeVersion }) => straighten(current, name, typeVersion >= 3 ? 1 : 0),
    connections,
  );
}

function straighten(connections: N8nConnection[], loop: string, eachOutput: number): N8nConnection[] {
  const out = connections.filter(({ from }) => from === loop);
  const each = out.filter(({ output }) => output === eachOutput);
  const done = out.filter(({ output }) => output !== eachOutput);
  const body = reachableFrom(
    each.map(({ to }) => to),
    connections,
    loop,
  );
  const isBack = ({ from, to }: N8nConnection): boolean => to === loop && body.has(from);
  const ends: Pick<N8nConnection, "from" | "output">[] = connections.filter(isBack);
  const last = ends.length > 0 ? ends : [{ from: loop, output: 0 }];
  const others = connections.filter((one) => one.from !== loop && !isBack(one));
  // Loops that end in loops multiply their connections, so they are counted before they are made.
  refuseTooMany(others.length + each.length + last.length * done.length);
  return [
    ...others,
    ...each.map((one) => ({ ...one, output: 0 })),
    ...last.flatMap(({ from, output }) => done.map((one) => ({ ...one, from, output }))),
  ];
}

function reachableFrom(names: string[], connections: N8nConnection[], border: string): Set<string> {
  const targets = Map.groupBy(connections, ({ from }) => from);
  const seen = new Set<string>();
  for (const open = [...names]; open.length > 0; ) {
    const name = open.pop() ?? "";
    if (seen.has(name) || name === border) continue;
    seen.add(name);
    open.push(...(targets.get(name) ?? []).map(({ to }) => to));
  }
  return seen;
}

type Line = { source: string; target: string };

/** Without those that close a circle, which no canvas here may have; and which they were. */
export function cutCircles<Edge extends Line>(edges: readonly Edge[]): { kept: Edge[]; cut: Edge[] } {
  let kept = edges.filter(({ source, target }) => source !== target);
  const cut = edges.filter(({ source, target }) => source === target);
  for (let circle = findCycle(kept); circle; circle = findCycle(kept)) {
    const [first, last] = [circle[0], circle.at(-1)];
    const closes = ({ source, target }: Edge): boolean => source === last && target === first;
    cut.push(...kept.filter(closes));
    kept = kept.filter((edge) => !closes(edge));
  }
  return { kept, cut };
}

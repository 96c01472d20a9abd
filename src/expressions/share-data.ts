type Data = { input?: unknown; bindings: Record<string, unknown> };

/** Where something stands in the data of a question. */
type Path = string[];

/** As deep as the items of nodes lie: bindings, nodes, a node, its items, one of them. Deeper things are only parts of these. */
const depth = 5;

/** Below it, to look for what is there twice costs more than to send it. */
const shortData = 1_000_000;

/**
 * The JSON of what expressions are evaluated with. Where it is long, each item is in it once, wherever expressions can name it: the first item of a node is one
 * of its items, and what comes in came out of a node. `same` then says where else it stands, and is put back by `parse` of expression-realm.ts.
 */
export function writeData(data: Data): string {
  const whole = JSON.stringify(data);
  if (whole.length <= shortData) return whole;
  const shared = JSON.stringify(shareItems(data));
  return shared.length < whole.length ? shared : whole;
}

function shareItems(data: Data): Data & { same: [Path, Path][] } {
  const seen = new Map<object, Path>();
  const same: [Path, Path][] = [];

  function walk(value: unknown, path: Path): unknown {
    if (typeof value !== "object" || value === null) return value;
    const known = seen.get(value);
    if (known) {
      same.push([path, known]);
      return null;
    }
    const isList = Array.isArray(value);
    if (!isList) seen.set(value, path);
    if (path.length >= depth) return value;
    const entries = Object.entries(value).map(([key, entry]): [string, unknown] => [key, walk(entry, [...path, key])]);
    return isList ? entries.map(([, entry]) => entry) : Object.fromEntries(entries);
  }

  return { ...(walk(data, []) as Data), same };
}

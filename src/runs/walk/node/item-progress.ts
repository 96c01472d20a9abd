import type { Item } from "../../../workflows/engine-node.ts";
import type { NodeFailure } from "./node-failure.ts";

/** The incoming item that an output came from, by its place; several where items were joined, null where nobody can tell. */
export type Origin = number | number[] | null;

/** By way, one for each item of the outputs. */
export type Origins = Record<string, Origin[]>;

type Outputs = Record<string, Item[]>;

/** What came of one execution of a node. `failure` where the run went on after it. */
export type ItemResult = { outputs: Outputs; origins?: Origins; failure?: NodeFailure };

/** How far a node is with its executions, by their place. */
export type ItemProgress = {
  results: ReadonlyMap<number, ItemResult>;
  /** How often those failed that are tried again. */
  failures: ReadonlyMap<number, number>;
  /** May have been done when their process ended, and must not be done twice. */
  interrupted: Pick<ReadonlySet<number>, "has">;
};

export const noItems: ItemProgress = { results: new Map(), failures: new Map(), interrupted: new Set() };

/** As it is stored beside the outputs. */
export type StoredItems = { items: string | null; done: number; total: number };

/** The same origin again and again, or one after the other, as one entry: origin, count, step. */
type Run = [Origin, number, 0 | 1];

/** Left out where it says nothing: one execution, all of whose outputs came from the first item. */
type Written = {
  done: Run[];
  origins: Record<string, Run[]>;
  failed: [number, NodeFailure][];
  failures: [number, number][];
};

/** What all executions gave together, in their order. */
export function mergeResults(results: ReadonlyMap<number, ItemResult>): { outputs: Outputs; origins: Origins } {
  const [only] = results;
  if (only && results.size === 1) return { outputs: only[1].outputs, origins: originsOf(...only) };
  const outputs: Outputs = {};
  const origins: Origins = {};
  for (const place of sortedPlaces(results)) {
    const result = results.get(place);
    if (!result) continue;
    const added = originsOf(place, result);
    for (const [way, items] of Object.entries(result.outputs)) {
      const [knownItems, knownOrigins] = [listAt(outputs, way), listAt(origins, way)];
      for (const [index, item] of items.entries()) {
        knownItems.push(item);
        knownOrigins.push(added[way]?.[index] ?? null);
      }
    }
  }
  return { outputs, origins };
}

/** All from the item at its place, unless the execution told. */
function originsOf(place: number, { outputs, origins }: ItemResult): Origins {
  const all: Origins = {};
  for (const way of Object.keys(outputs))
    all[way] = (outputs[way] as Item[]).map((_, index) => (origins ? (origins[way]?.[index] ?? null) : place));
  return all;
}

const sortedPlaces = (results: ReadonlyMap<number, unknown>): number[] =>
  [...results.keys()].sort((one, other) => one - other);

function listAt<Value>(lists: Record<string, Value[]>, way: string): Value[] {
  if (!Object.hasOwn(lists, way)) lists[way] = [];
  return lists[way] as Value[];
}

export function writeItems(
  { results, failures }: Omit<ItemProgress, "interrupted">,
  origins: Origins,
  total: number,
): StoredItems {
  if (total < 2 && failures.size === 0 && saysNothing(results, origins))
    return { items: null, done: results.size, total };
  const failed = [...results].flatMap(([place, { failure }]): [number, NodeFailure][] =>
    failure ? [[place, failure]] : [],
  );
  const written: Written = {
    done: toRuns(sortedPlaces(results)),
    origins: Object.fromEntries(Object.entries(origins).map(([way, list]) => [way, toRuns(list)])),
    failed,
    failures: [...failures],
  };
  return { items: JSON.stringify(written), done: results.size, total };
}

/** All came from the first item, which is what is believed where nothing is stored. */
function saysNothing(results: ReadonlyMap<number, ItemResult>, origins: Origins): boolean {
  for (const { failure, origins: told } of results.values()) if (failure || told) return false;
  return Object.values(origins).every((list) => list.every((origin) => origin === 0));
}

type StoredProgress = StoredItems & { outputs: string | null; attempts: number; status: string };

/** Reads which items of a node have come to an end, so that a later attempt leaves them out. Older rows only say how many: those are the first ones. */
export function readItems({
  items,
  outputs: text,
  done,
  total,
  attempts,
  status,
}: StoredProgress): Omit<ItemProgress, "interrupted"> {
  const outputs = text === null ? {} : (JSON.parse(text) as Outputs);
  if (items === null) return readFirst(outputs, done, status === "retrying" && total === 0 ? attempts : 0);
  const written = JSON.parse(items) as Written;
  const results = new Map(
    fromRuns(written.done).map((place): [number, ItemResult] => [place as number, { outputs: {} }]),
  );
  for (const [place, failure] of written.failed) results.set(place, { outputs: {}, failure });
  for (const [way, list] of Object.entries(outputs))
    giveBack(results, way, { list, origins: fromRuns(written.origins[way] ?? []) });
  return { results, failures: new Map(written.failures) };
}

/** To each execution what it gave. */
function giveBack(
  results: Map<number, ItemResult>,
  way: string,
  { list, origins }: { list: Item[]; origins: Origin[] },
): void {
  for (const [index, item] of list.entries()) {
    const result = results.get(origins[index] as number);
    if (result) listAt(result.outputs, way).push(item);
  }
}

function readFirst(outputs: Outputs, done: number, failed: number): Omit<ItemProgress, "interrupted"> {
  const results = new Map<number, ItemResult>();
  for (let place = 0; place < done; place++) results.set(place, { outputs: place === 0 ? outputs : {} });
  return { results, failures: failed > 0 ? new Map([[done, failed]]) : new Map() };
}

export function readOrigins(items: string | null): Origins | undefined {
  if (items === null) return undefined;
  const { origins } = JSON.parse(items) as Written;
  return Object.fromEntries(Object.entries(origins).map(([way, runs]) => [way, fromRuns(runs)]));
}

function toRuns(origins: readonly Origin[]): Run[] {
  const runs: Run[] = [];
  for (const origin of origins) {
    const last = runs.at(-1);
    if (!last || !extend(last, origin)) runs.push([origin, 1, 0]);
  }
  return runs;
}

function extend(run: Run, origin: Origin): boolean {
  const [first, count, step] = run;
  const isSame = first === origin && (step === 0 || count === 1);
  const isNext = typeof first === "number" && origin === first + count && (step === 1 || count === 1);
  if (!isSame && !isNext) return false;
  run[1] = count + 1;
  run[2] = isNext ? 1 : 0;
  return true;
}

const fromRuns = (runs: readonly Run[]): Origin[] =>
  runs.flatMap(([first, count, step]) =>
    Array.from({ length: count }, (_, index): Origin => (typeof first === "number" ? first + index * step : first)),
  );

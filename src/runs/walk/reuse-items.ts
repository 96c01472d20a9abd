import { toStorableText } from "../../base/json.ts";
import type { RunNodeRow } from "../read/list-store.ts";
import { mergeResults, readItems, type StoredItems, writeItems } from "./node/item-progress.ts";

/** A node that goes on in another run with the items that worked. */
export type ReusedNode = StoredItems & { nodeId: string; nodeType: string; outputs: string };

/** What is left of a node that failed, to be gone on with; undefined when none of its items worked. */
export function reuseItems({ nodeId, nodeType, ...row }: RunNodeRow): ReusedNode | undefined {
  if (row.items === null) return undefined;
  const worked = [...readItems(row).results].filter(([, { failure }]) => !failure);
  if (worked.length === 0) return undefined;
  const results = new Map(worked);
  const { outputs, origins } = mergeResults(results);
  return {
    nodeId,
    nodeType,
    outputs: toStorableText(outputs).text,
    ...writeItems({ results, failures: new Map() }, origins, row.total),
  };
}

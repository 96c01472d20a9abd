import { createBatch } from "../../base/batch.ts";
import type { Database } from "../../storage/database.ts";
import { isDatabaseUnavailable } from "../../storage/database-errors.ts";
import type { RunList } from "../read/run-list.ts";
import type { RunPlace } from "../store.ts";
import { onPool } from "../walk/checkpoint-store.ts";
import type { Run } from "../wire.ts";
import { createWaitUntil, type Limit, type Signs } from "./wait-until.ts";
import { findEnded, keyOf } from "./waiting-store.ts";

type Options = Signs & { db: Database; list: Pick<RunList, "get" | "getTogether"> };

const lookEveryMs = 1_000;

/**
 * The run once it has ended, or undefined when the time is up. It is read once, at its end: this process knows of its own runs, hears of those
 * of others, and asks for nothing but the status until then, for all that ask at the same time together.
 */
export function createWaitForEnd({ db, list, ...signs }: Options) {
  const flush = async (places: RunPlace[]): Promise<boolean[]> => {
    const ended = new Set((await findEnded(onPool(db), places)).map(keyOf));
    return places.map((place) => ended.has(keyOf(place)));
  };
  const looks = createBatch({ flush, maxItems: 256, isFatal: isDatabaseUnavailable });
  const readings = createBatch({ flush: list.getTogether, maxItems: 32, isFatal: isDatabaseUnavailable });
  const whenEnded = createWaitUntil(signs, { isTrue: looks.add, lookEveryMs });

  return async (organizationId: string, id: string, limit: Limit): Promise<Run | undefined> => {
    const ended = await whenEnded({ organizationId, id }, limit);
    if (!ended) return undefined;
    return (await readings.add({ organizationId, id, nodes: ended.nodes })) ?? (await list.get(organizationId, id));
  };
}

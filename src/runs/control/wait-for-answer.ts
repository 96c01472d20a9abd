import { createBatch } from "../../base/batch.ts";
import type { Database } from "../../storage/database.ts";
import { isDatabaseUnavailable } from "../../storage/database-errors.ts";
import type { RunResponse } from "../../workflows/engine-nodes/respond.ts";
import type { RunList } from "../read/run-list.ts";
import type { RunPlace } from "../store.ts";
import { onPool } from "../walk/checkpoint-store.ts";
import { onlyWay } from "../walk/graph.ts";
import type { Run } from "../wire.ts";
import { createWaitUntil, type Limit, type Signs } from "./wait-until.ts";
import { type Answered, findAnswers, keyOf } from "./waiting-store.ts";

type Options = Signs & { db: Database; list: Pick<RunList, "get"> };

export type WaitForAnswer = ReturnType<typeof createWaitForAnswer>;

/** Nobody tells of a node that is done, and somebody waits for it at the other end of a line. */
const lookEveryMs = 200;

/** What the first node that responds gave as soon as it is stored, or the run once it has ended without; undefined when the time is up. */
export function createWaitForAnswer({ db, list, ...signs }: Options) {
  const flush = async (places: RunPlace[]): Promise<Answered[]> => {
    const found = await findAnswers(onPool(db), places);
    return places.map((place) => found.get(keyOf(place)) ?? { isOver: false, outputs: null });
  };
  const looks = createBatch({ flush, maxItems: 64, isFatal: isDatabaseUnavailable });
  const isTrue = async (place: RunPlace) => {
    const { isOver, outputs } = await looks.add(place);
    return isOver || outputs !== null;
  };
  const isAnswered = createWaitUntil(signs, { isTrue, lookEveryMs });

  return async (
    organizationId: string,
    id: string,
    limit: Limit,
  ): Promise<{ response: RunResponse } | { ended: Run } | undefined> => {
    const place = { organizationId, id };
    if (!(await isAnswered(place, limit))) return undefined;
    const { outputs } = await looks.add(place);
    const response =
      outputs === null ? undefined : (JSON.parse(outputs) as Record<string, RunResponse[]>)[onlyWay]?.[0];
    return response ? { response } : { ended: await list.get(organizationId, id) };
  };
}

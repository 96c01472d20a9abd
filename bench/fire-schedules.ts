import { setTimeout as delay } from "node:timers/promises";
import type { Installation } from "./open-installation.ts";

/** So many schedules of one workflow become due at the same moment. Gives the seconds from then until the last of their runs was accepted, and had ended. */
export async function fireSchedules({ query, organizationId, workflowId }: Installation, count: number) {
  const [{ due } = { due: "" }] = await query(
    `INSERT INTO trigger (organization_id, id, workflow_id, kind, name, is_active, overrides, cron, time_zone, next_fire_at)
     SELECT $1, uuidv7(), $2, 'schedule', 'Due ' || number, true, '[]', '0 0 1 1 *', 'UTC', now() + interval '2 seconds'
     FROM generate_series(1, $3::int) AS number RETURNING next_fire_at::text AS due`,
    [organizationId, workflowId, count],
  );
  for (;;) {
    const [row] = await query(
      `SELECT count(*) AS accepted, count(completed_at) AS ended, extract(epoch FROM max(queued_at) - $2::timestamptz) AS "acceptedSeconds",
         extract(epoch FROM max(completed_at) - $2::timestamptz) AS "endedSeconds", count(*) FILTER (WHERE status = 'failed') AS failed
       FROM run WHERE organization_id = $1 AND id >= uuidv7($2::timestamptz - now() - interval '1 minute') AND kind = 'schedule' AND queued_at >= $2::timestamptz`,
      [organizationId, due],
    );
    const { accepted, ended, acceptedSeconds, endedSeconds, failed } = row as Record<string, string>;
    if (Number(failed) > 0 || Number(accepted) > count)
      throw new Error(`${count} schedules made ${JSON.stringify(row)}.`);
    if (Number(ended) === count) return { accepted: Number(acceptedSeconds), ended: Number(endedSeconds) };
    await delay(200);
  }
}

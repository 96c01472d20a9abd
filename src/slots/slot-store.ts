import pg from "pg";
import type { ConnectionTarget, Database } from "../storage/database.ts";

/** What one process says about one organization. The cap is sent when it is news. */
export type SlotReport = { organizationId: string; held: number; waitingMs: number[]; cap: number | null };

/** What the database says to one process about one organization; of two the one with the higher version counts. */
export type SlotState = { organizationId: string; version: number; held: number; cap: number; isContended: boolean };

export type SlotLink = Awaited<ReturnType<typeof openSlotLink>>;

type SlotLinkOptions = {
  target: ConnectionTarget;
  workerId: string;
  /** Sent by another process's report; undefined means that this worker was declared dead. */
  onMessage: (state: SlotState | undefined) => void;
  /** Said to all processes. */
  onWord?: (word: string) => void;
  onEnd: () => void;
};

/** The one connection that carries the reports of a process and listens for those of the others. Statements must be sent one after the other. */
export async function openSlotLink({ target, workerId, onMessage, onWord, onEnd }: SlotLinkOptions) {
  const client = new pg.Client({
    ...target,
    // A unix socket speaks no TLS, whatever PGSSLMODE says.
    ...("host" in target && target.host.startsWith("/") ? { ssl: false } : {}),
    application_name: "switchyard slots",
    connectionTimeoutMillis: statementLimitMs,
    query_timeout: statementLimitMs,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
  });
  // Its end is what counts; an unheard error event would end the process.
  client.on("error", () => {});
  client.once("end", onEnd);
  client.on("notification", ({ channel, payload }) => {
    if (channel === wordsChannel) onWord?.(payload ?? "");
    else onMessage(payload ? (JSON.parse(payload) as SlotState) : undefined);
  });
  const statements = createStatements(client, workerId);
  try {
    await client.connect();
    await client.query(
      `SET statement_timeout = ${statementLimitMs}; SET tcp_user_timeout = 10000; LISTEN "slot_${workerId}"; LISTEN ${wordsChannel}`,
    );
    return statements;
  } catch (error) {
    statements.end();
    throw error;
  }
}

const statementLimitMs = 1_400;
const wordsChannel = "switchyard_words";

function createStatements(client: pg.Client, workerId: string) {
  return {
    workerId,

    /** True when an earlier connection of this process was still known and its permits went over to this one. */
    async join({ earlierIds, leaseMs }: { earlierIds: string[]; leaseMs: number }): Promise<boolean> {
      const { rows } = await client.query<{ joined: boolean }>("SELECT slot_join($1, $2, $3) AS joined", [
        workerId,
        earlierIds,
        leaseMs,
      ]);
      return rows[0]?.joined === true;
    },

    /** False when the worker was declared dead. Looks for others that are, so that they hold nothing also when nobody asks for a slot. */
    async beat(): Promise<boolean> {
      const { rowCount } = await client.query("UPDATE slot_worker SET beat_at = clock_timestamp() WHERE id = $1", [
        workerId,
      ]);
      await client.query("SELECT slot_bury($1)", [workerId]);
      return rowCount === 1;
    },

    async sync(reports: SlotReport[], { isComplete }: { isComplete: boolean }): Promise<SlotState[]> {
      const { rows } = await client.query<{ state: SlotState }>({
        name: "slot_sync",
        text: "SELECT slot_sync($1, $2, $3) AS state",
        values: [workerId, isComplete, JSON.stringify(reports)],
      });
      return rows.map(({ state }) => state);
    },

    async leave(): Promise<void> {
      await client.query(
        "WITH gone AS (DELETE FROM slot_worker WHERE id = $1) DELETE FROM slot_share WHERE worker_id = $1",
        [workerId],
      );
    },

    /** Does not wait for a server that may not answer. */
    end(): void {
      client.removeAllListeners("notification");
      client.removeAllListeners("end");
      client.connection.stream.destroy();
    },
  };
}

const elsewhereStatement = {
  name: "slot_use_elsewhere",
  text: `SELECT coalesce(sum(held), 0)::integer AS held, coalesce(sum(cardinality(tickets)), 0)::integer AS waiting,
           (extract(epoch FROM clock_timestamp() - min(tickets[1])) * 1000)::double precision AS "oldestWaitMs"
         FROM slot_share
         WHERE organization_id = $1 AND worker_id IS DISTINCT FROM $2::uuid AND EXISTS (SELECT FROM slot_worker WHERE id = worker_id)`,
};

type UseElsewhere = { held: number; waiting: number; oldestWaitMs: number | null };

/** What the other processes hold, also for the few seconds they keep it unused, and whom of theirs the database knows to wait. */
export async function sumSlotsElsewhere(
  db: Database,
  organizationId: string,
  workerId: string | undefined,
): Promise<UseElsewhere> {
  const [row] = await db.prepared<UseElsewhere>(elsewhereStatement, [organizationId, workerId ?? null]);
  return row as UseElsewhere;
}

// Each process that is known here listens, over the same connection that makes it known.
const tellStatement = {
  name: "slot_tell_all",
  text: `SELECT pg_notify('${wordsChannel}', $1) WHERE EXISTS (SELECT FROM slot_worker WHERE id IS DISTINCT FROM $2::uuid)`,
};

/** False, and nothing said, when there is no process but this one. */
export async function tellAll(db: Database, word: string, workerId: string | undefined): Promise<boolean> {
  return (await db.prepared(tellStatement, [word, workerId ?? null])).length > 0;
}

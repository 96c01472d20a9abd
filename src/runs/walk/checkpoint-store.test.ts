import { expect, it } from "vitest";
import type { Statement } from "../../storage/database.ts";
import { type NodeRow, placeOf, type RunState, writeCheckpoints } from "./checkpoint-store.ts";

it("names the same run whatever the case of its ids, and each of its owners apart", () => {
  const fence = {
    organizationId: "01a1dd74-dcd0-7482-9824-7dd92ead8c71",
    runId: "01a1dd74-dcd0-7482-9824-7dd92ead8c72",
    epoch: 3,
  };
  const inCapitals = { organizationId: fence.organizationId.toUpperCase(), runId: fence.runId.toUpperCase(), epoch: 3 };
  expect(placeOf(inCapitals)).toBe(placeOf(fence));
  expect(placeOf({ ...fence, epoch: 4 })).not.toBe(placeOf(fence));
});

it("is one statement, which writes only what belongs to runs that are still this owner's", async () => {
  const fence = {
    organizationId: "01a1dd74-dcd0-7482-9824-7dd92ead8c71",
    runId: "01a1dd74-dcd0-7482-9824-7dd92ead8c72",
    epoch: 3,
  };
  const sent: string[] = [];
  const sql = async ({ text }: Statement) => {
    sent.push(text);
    return [];
  };
  await writeCheckpoints(sql, [{ ...fence, nodeId: "first" } as NodeRow], []);
  await writeCheckpoints(
    sql,
    [{ ...fence, nodeId: "first" } as NodeRow],
    [{ ...fence, status: "running" } as RunState],
  );
  const [nodesAlone = "", nodesAndStates = ""] = sent;
  expect(nodesAndStates).toMatchInlineSnapshot(`
    "WITH owned AS (
      SELECT run.organization_id, run.id, run.epoch FROM run AS run
      JOIN unnest($1::uuid[], $2::uuid[], $3::integer[]) AS mine (organization_id, run_id, epoch)
        ON mine.organization_id = run.organization_id AND mine.run_id = run.id AND mine.epoch = run.epoch
      WHERE run.status IN ('pending', 'running', 'waiting')
      ORDER BY run.organization_id, run.id
      FOR NO KEY UPDATE OF run
    ), written AS (
      INSERT INTO run_node AS stored (organization_id, run_id, node_id, node_type, status, attempts, done, input, outputs, filled, error_code, error_message, note, wake_at, started_at, completed_at, duration_ms, must_not_repeat, items, total, under_way)
      SELECT organization_id, run_id, node_id, node_type, status, attempts, done, input, outputs, filled, error_code, error_message, note, wake_at, started_at, completed_at, duration_ms, must_not_repeat, items, total, under_way
      FROM unnest($4::uuid[], $5::uuid[], $6::integer[], $7::text[], $8::text[], $9::text[], $10::integer[], $11::integer[], $12::text[], $13::text[], $14::text[], $15::text[], $16::text[], $17::text[], $18::timestamptz[], $19::timestamptz[], $20::timestamptz[], $21::bigint[], $22::boolean[], $23::text[], $24::integer[], $25::text[])
        AS node (organization_id, run_id, epoch, node_id, node_type, status, attempts, done, input, outputs, filled, error_code, error_message, note, wake_at, started_at, completed_at, duration_ms, must_not_repeat, items, total, under_way)
      WHERE CASE WHEN (node.organization_id, node.run_id, node.epoch) IN (SELECT owned.organization_id, owned.id, owned.epoch FROM owned)
        THEN true ELSE false END
      ON CONFLICT (organization_id, run_id, node_id) DO UPDATE
        SET status = excluded.status,
          attempts = excluded.attempts,
          done = CASE WHEN excluded.status = 'running' AND excluded.items IS NULL THEN stored.done ELSE excluded.done END,
          input = CASE WHEN excluded.status = 'running' THEN stored.input ELSE excluded.input END,
          outputs = CASE WHEN excluded.status = 'running' AND excluded.items IS NULL THEN stored.outputs ELSE excluded.outputs END,
          filled = CASE WHEN excluded.status = 'running' THEN stored.filled ELSE excluded.filled END,
          error_code = excluded.error_code,
          error_message = excluded.error_message,
          note = excluded.note,
          wake_at = CASE WHEN excluded.status = 'running' THEN stored.wake_at ELSE excluded.wake_at END,
          started_at = excluded.started_at,
          completed_at = excluded.completed_at,
          duration_ms = CASE WHEN excluded.status = 'running' THEN stored.duration_ms ELSE excluded.duration_ms END,
          must_not_repeat = excluded.must_not_repeat OR (excluded.status = 'running' AND stored.status = 'running' AND stored.attempts = excluded.attempts AND stored.must_not_repeat),
          items = CASE WHEN excluded.status = 'running' AND excluded.items IS NULL THEN stored.items ELSE excluded.items END,
          total = CASE WHEN excluded.status = 'running' AND excluded.items IS NULL THEN stored.total ELSE excluded.total END,
          under_way = CASE WHEN excluded.under_way IS NULL AND excluded.status = 'running' AND stored.status = 'running' AND stored.attempts = excluded.attempts THEN stored.under_way ELSE excluded.under_way END
        WHERE stored.status IN ('running', 'retrying', 'waiting')
    ), changed_run AS (
      UPDATE run AS run
        SET status = state.status,
          error_code = state.error_code,
          error_message = state.error_message,
          error_node_id = state.error_node_id,
          started_at = COALESCE(run.started_at, state.started_at),
          wake_at = state.wake_at,
          completed_at = state.completed_at,
          active_ms = state.active_ms,
          changed_at = clock_timestamp()
      FROM unnest($26::uuid[], $27::uuid[], $28::integer[], $29::text[], $30::text[], $31::text[], $32::text[], $33::timestamptz[], $34::timestamptz[], $35::timestamptz[], $36::bigint[])
        AS state (organization_id, run_id, epoch, status, error_code, error_message, error_node_id, started_at, wake_at, completed_at, active_ms)
      WHERE run.organization_id = state.organization_id AND run.id = state.run_id AND CASE WHEN (state.organization_id, state.run_id, state.epoch) IN (SELECT owned.organization_id, owned.id, owned.epoch FROM owned)
        THEN true ELSE false END
    ) SELECT organization_id AS "organizationId", id AS "runId", epoch FROM owned"
  `);
  const [start = ""] = nodesAndStates.split(", changed_run AS (");
  expect(nodesAlone).toBe(`${start} SELECT organization_id AS "organizationId", id AS "runId", epoch FROM owned`);
});

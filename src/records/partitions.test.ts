import { pino } from "pino";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  at,
  callOf,
  idAt,
  type Months,
  nameOf,
  openMonths,
  organizationId,
} from "../../test/support/storage/months.ts";
import { createCountCalls } from "../history/call-usage.ts";
import { createCallList } from "../history/list-calls.ts";
import { insertCalls } from "../history/store.ts";
import { createToolCallSource } from "../history/tool-call-source.ts";
import { listRuns, runTables } from "../runs/read/list-store.ts";
import { createRunSource } from "../runs/read/run-source.ts";
import { createCountRuns } from "../runs/read/run-usage.ts";
import { lowestIdAt } from "./time-of-id.ts";

let months: Months;
beforeEach(async () => {
  months = await openMonths();
});
afterEach(() => months.close());

describe("the months of the history", () => {
  it("are made ahead, in all three tables, and take over what was dated after the last one", async () => {
    const [near, far] = [idAt(at(4)), idAt(at(40))];
    await insertCalls(months.db, [callOf(near), callOf(far)]);
    await months.insertRun(near, "succeeded");
    expect(await months.placesOf("tool_call")).toEqual({ [near]: "tool_call_future", [far]: "tool_call_future" });
    const { upkeep } = months.partitionsAt(at(3));
    expect(await upkeep.run()).toBe(9);
    expect(await months.placesOf("tool_call")).toEqual({ [near]: nameOf("tool_call", 4), [far]: "tool_call_future" });
    expect(await months.placesOf("run")).toEqual({ [near]: nameOf("run", 4) });
    expect(await months.placesOf("run_node", "run_id")).toEqual({ [near]: nameOf("run_node", 4) });
    for (const table of ["tool_call", "run", "run_node"])
      expect(await months.tablesOf(table)).toEqual(
        expect.arrayContaining([
          ...[0, 1, 2, 3, 4].map((later) => nameOf(table, later)),
          `${table}_future`,
          `${table}_past`,
        ]),
      );
    expect(await upkeep.run()).toBe(0);
  });

  it("are written to directly while they are recent, and through the whole table otherwise", async () => {
    const { tableOf, upkeep } = months.partitionsAt(at(0));
    expect(tableOf("run", [idAt(at(0))])).toBe("run");
    await upkeep.run();
    expect(tableOf("run", [idAt(at(0, 1)), idAt(at(0, 28))])).toBe(nameOf("run", 0));
    expect(tableOf("run", [idAt(at(0)), idAt(at(1))])).toBe("run");
    expect(tableOf("run", [idAt(at(9))])).toBe("run");
    expect(tableOf("run", [idAt(at(-3))])).toBe("run");
  });

  it("refuse no id, whatever the clock says that made it", async () => {
    const { tableOf, upkeep, drop } = months.partitionsAt(at(5));
    await upkeep.run();
    await drop("tool_call", idAt(at(4)));
    const ids = [
      lowestIdAt(new Date(0)),
      idAt(at(-400)),
      idAt(at(0)),
      idAt(at(5)),
      idAt(at(400)),
      "ffffffff-ffff-ffff-ffff-ffffffffffff",
    ];
    for (const id of ids) await insertCalls(months.db, [callOf(id)], tableOf);
    expect(Object.keys(await months.placesOf("tool_call")).sort()).toEqual(ids.sort());
  });

  it("are warned of when something is dated after all of them", async () => {
    const lines: string[] = [];
    const log = pino({ level: "warn" }, { write: (line: string) => lines.push(line) });
    await months.partitionsAt(at(0), log).upkeep.run();
    expect(lines).toEqual([]);
    await insertCalls(months.db, [callOf(idAt(at(40)))]);
    await months.partitionsAt(at(0), log).upkeep.run();
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([
      { table: "tool_call_future", msg: expect.stringContaining("a clock is ahead") },
    ]);
  });

  it("are made once by many processes at the same time", async () => {
    const lines: string[] = [];
    const log = pino({ level: "warn" }, { write: (line: string) => lines.push(line) });
    const made = await Promise.all(Array.from({ length: 5 }, () => months.partitionsAt(at(6), log).upkeep.run()));
    expect(lines).toEqual([]);
    expect(made.reduce((sum, count) => sum + count, 0)).toBeLessThanOrEqual(18);
    await months.partitionsAt(at(6)).upkeep.run();
    expect(await months.tablesOf("run_node")).toHaveLength(10);
  });
});

describe("reading across months", () => {
  const last = new Date(at(1, 1).getTime() - 1);
  const first = at(1, 1);

  it("pages and exports without a gap or a repetition at the turn of the month", async () => {
    const ids = [last, last, first, first, at(2), at(9), at(-9)].map(idAt).sort().reverse();
    await insertCalls(
      months.db,
      ids.map((id) => callOf(id)),
    );
    const { list, exportLines } = createCallList({ db: months.db });
    const seen: string[] = [];
    for (let cursor: string | null | undefined; cursor !== null; ) {
      const page = await list(organizationId, { limit: 2, cursor: cursor ?? undefined });
      seen.push(...page.data.map(({ id }) => id));
      cursor = page.nextCursor;
    }
    expect(seen).toEqual(ids);
    let text = "";
    for await (const lines of exportLines(organizationId, {})) text += lines;
    const exported = text.trim().split("\n");
    expect(exported.map((line) => (JSON.parse(line) as { id: string }).id)).toEqual(ids);
    const within = await list(organizationId, {
      limit: 10,
      from: last.toISOString(),
      to: new Date(first.getTime() + 1).toISOString(),
    });
    expect(within.data).toHaveLength(4);
  });

  it("counts, finds and follows what lies on both sides of it", async () => {
    const ids = [last, first, at(2)].map(idAt);
    await insertCalls(
      months.db,
      ids.map((id) => callOf(id)),
    );
    for (const id of ids) await months.insertRun(id, "succeeded");
    const edges = [at(1, 0), at(1, 1), at(1, 2), at(3)];
    const counts = (buckets: { bucket: number }[]) => buckets.map(({ bucket }) => bucket).sort();
    expect(counts((await createCountCalls({ db: months.db })(organizationId, edges)).buckets)).toEqual([0, 1, 2]);
    expect(counts((await createCountRuns({ db: months.db })(organizationId, edges)).buckets)).toEqual([0, 1, 2]);
    for (const source of [createToolCallSource({ db: months.db }), createRunSource({ db: months.db })]) {
      expect((await source.listChanged(organizationId, 0, 10)).map(({ id }) => id).sort()).toEqual(ids.toSorted());
      expect((await source.find(organizationId, ids)).map(({ id }) => id).sort()).toEqual(ids.toSorted());
    }
    const page = (beforeId?: string) => listRuns(runTables(months.db), { organizationId, beforeId }, { limit: 2 });
    const newest = await page();
    expect([...newest, ...(await page(newest[1]?.id))].map(({ id }) => id)).toEqual(ids.toSorted().reverse());
  });

  it("touches one table for one record, and the newest first for a page", async () => {
    await months.partitionsAt(at(6)).upkeep.run();
    const calls = [0, 1, 2, 3, 4, 5].flatMap((later) => Array.from({ length: 60 }, () => callOf(idAt(at(later)))));
    await insertCalls(months.db, calls);
    await months.database.query("VACUUM ANALYZE tool_call");
    const explain = async (text: string) =>
      (await months.database.query<{ "QUERY PLAN": string }>(`EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF) ${text}`))
        .map((row) => row["QUERY PLAN"])
        .join("\n");
    const mine = `FROM tool_call WHERE organization_id = '${organizationId}'`;
    const one = await explain(`SELECT * ${mine} AND id = '${calls[70]?.id}'`);
    expect(one.match(/on tool_call_\w+/g)).toEqual([`on ${nameOf("tool_call", 1)}`]);
    const page = await explain(`SELECT id, tool ${mine} ORDER BY id DESC LIMIT 50`);
    const executed = page.split("->").filter((node) => / on tool_call_/.test(node) && !node.includes("never executed"));
    expect(executed.map((node) => / on (\w+)/.exec(node)?.[1])).toEqual([
      "tool_call_future",
      ...[7, 6, 5].map((later) => nameOf("tool_call", later)),
    ]);
  });
});

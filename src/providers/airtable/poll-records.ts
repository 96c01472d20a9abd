import { z } from "zod";
import type { CredentialCall } from "../../contract/credential.ts";
import { collectPages } from "../../contract/pages.ts";
import { definePoll } from "../../contract/poll.ts";
import { beginPolling, listSince, type TimedItem, type TimedPage } from "../../contract/poll-by-time.ts";
import { listAt, textAt } from "../../contract/read.ts";
import { readRecord, tablePath } from "./client.ts";

export const newRecord = definePoll({
  id: "new_record",
  title: "New record",
  description:
    "Starts for each record that is added to a table. A record counts when it is made: one that comes to match the view or formula later starts nothing. It may be read before somebody has filled it in.",
  // A base takes five requests a second. What counts is the month: 1,000 calls on a free plan, which 300 seconds use up in less than four days.
  everySeconds: { least: 30, usual: 300 },
  parameters: z.strictObject({
    baseId: z
      .string()
      .min(1)
      .describe(
        "Id of the base, which begins with app, or the address of the table in your browser, e.g. https://airtable.com/appA1B2C3/tblD4E5F6.",
      )
      .meta({ title: "Base ID or address", choices: "bases" }),
    table: z
      .string()
      .min(1)
      .optional()
      .describe("Id (tbl…) or name of the table, e.g. Tasks; not needed where the address names it.")
      .meta({ choices: "tables", choicesNeed: ["baseId"] }),
    view: z
      .string()
      .min(1)
      .optional()
      .describe("Only records of this view: its id (viw…) or name.")
      .meta({ choices: "views", choicesNeed: ["baseId", "table"] }),
    filterByFormula: z
      .string()
      .min(1)
      .max(15_000)
      .optional()
      .describe('Only records this formula holds for, e.g. {Status} = "Open".'),
  }),
  async list(call, { parameters, mark, now }) {
    const place = { path: tablePath(parameters), view: parameters.view, formula: parameters.filterByFormula };
    if (mark === null) return beginPolling(now, await readNewest(call, place, now));
    return await listSince(
      { mark, now },
      { overlapMs, readPage: (since, cursor) => readPage(call, place, { since, cursor }) },
    );
  },
});

type Place = { path: string; view: string | undefined; formula: string | undefined };

// Nothing says that Airtable shows records late; this is for clocks that differ, and for times that have no milliseconds.
const overlapMs = 10 * 60_000;
const hourMs = 3_600_000;
const firstWindowsMs = [60_000, hourMs, 24 * hourMs, 30 * 24 * hourMs];
const pageSize = 100;
const mostFirst = 1000;

/** Airtable sorts by fields only, and when a record was made is none: so ever longer times are asked for until there is something. */
async function readNewest(call: CredentialCall, place: Place, now: Date): Promise<{ items: TimedItem[]; floor: Date }> {
  // Where the next look begins: all that was made since then is listed. Of more than a look lists, which come in no order, that is what a shorter time had.
  let floor = now;
  for (const window of firstWindowsMs) {
    const since = new Date(now.getTime() - window);
    const items = await collectPages<TimedItem, string>(
      mostFirst,
      async (cursor) => await readPage(call, place, { since, cursor }),
    );
    if (items.length >= mostFirst) return { items, floor };
    floor = since;
    if (items.length > 0) return { items, floor };
  }
  return { items: (await readPage(call, place, { since: null, cursor: undefined })).items, floor };
}

type Wanted = { since: Date | null; cursor: string | undefined };

async function readPage(
  { http }: CredentialCall,
  { path, view, formula }: Place,
  { since, cursor }: Wanted,
): Promise<TimedPage> {
  // What is after, and not at: one millisecond earlier.
  const isNew = since && `IS_AFTER(CREATED_TIME(), DATETIME_PARSE('${new Date(since.getTime() - 1).toISOString()}'))`;
  const filterByFormula = isNew && formula ? `AND(${isNew}, ${formula})` : (isNew ?? formula);
  const answer = await http.json({ path, query: { filterByFormula, view, pageSize, offset: cursor } });
  const items = listAt(answer, "records").flatMap((entry) => {
    const record = readRecord(entry);
    return record.id === undefined ? [] : [{ id: record.id, payload: record, createdAt: record.createdTime }];
  });
  return { items, next: textAt(answer, "offset") };
}

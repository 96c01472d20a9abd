import { z } from "zod";
import { defineAction } from "../../contract/action.ts";
import { collectPages } from "../../contract/pages.ts";
import { listAt, textAt } from "../../contract/read.ts";
import { refuseInput } from "../../contract/refuse-input.ts";
import { readRecord, tablePath } from "./client.ts";
import { airtableCredential } from "./credential.ts";

const pageSize = 100;

export const action = defineAction({
  id: "airtable_list_records",
  title: "List records",
  description: "List records of a table, with optional formula filter, view and sorting.",
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: true },
  credential: airtableCredential,
  input: z.strictObject({
    baseId: z
      .string()
      .min(1)
      .describe("Id of the base, which begins with app, or the address of the table in your browser.")
      .meta({ title: "Base ID", choices: "bases" }),
    table: z
      .string()
      .min(1)
      .describe("Id (tbl…) or name of the table.")
      .meta({ choices: "tables", choicesNeed: ["baseId"] }),
    filterByFormula: z.string().max(16_000).optional().describe('Airtable formula, e.g. {Status} = "Open".'),
    view: z
      .string()
      .optional()
      .describe("View id or name.")
      .meta({ choices: "views", choicesNeed: ["baseId", "table"] }),
    fields: z
      .array(z.string().meta({ choices: "fields", choicesNeed: ["baseId", "table"] }))
      .optional()
      .describe("Field names to return."),
    sort: z
      .array(z.record(z.string(), z.unknown()))
      .optional()
      .describe('What to sort by, first things first, e.g. [{"field": "Name", "direction": "asc"}] (asc or desc).'),
    limit: z.int().min(1).max(1000).default(100).describe("Most items to return (1-1000)."),
  }),
  output: z.object({
    id: z.string().optional().describe("Record id."),
    createdTime: z.string().optional().describe("Creation time."),
    fields: z.record(z.string(), z.unknown()).optional().describe("Field values by name."),
  }),
  async run({ input, http }) {
    const { baseId, table, filterByFormula, view, fields, sort = [], limit } = input;
    const place = tablePath({ baseId, table });
    const query = {
      filterByFormula,
      view,
      "fields[]": fields,
      ...Object.fromEntries(sort.flatMap(toSortQuery)),
      maxRecords: limit,
      pageSize: Math.min(limit, pageSize),
    };
    const records = await collectPages<unknown, string>(limit, async (offset) => {
      const answer = await http.json({ path: place, query: { ...query, offset } });
      return { items: listAt(answer, "records"), next: textAt(answer, "offset") };
    });
    return records.map(readRecord);
  },
});

function toSortQuery(entry: Record<string, unknown>, index: number): [string, string][] {
  const { field, direction = "asc" } = entry;
  const isUnderstood = typeof field === "string" && field !== "" && (direction === "asc" || direction === "desc");
  if (!isUnderstood) throw refuseInput(`/sort/${index}`, "must be {field, direction} with the direction asc or desc");
  return [
    [`sort[${index}][field]`, field],
    [`sort[${index}][direction]`, direction],
  ];
}

import { z } from "zod";
import { defineAction } from "../../contract/action.ts";
import { recordAt, textAt } from "../../contract/read.ts";
import { requireProof } from "../../contract/require-proof.ts";
import { tablePath } from "./client.ts";
import { airtableCredential } from "./credential.ts";

export const action = defineAction({
  id: "airtable_create_record",
  title: "Create record",
  description: "Add one record to a table.",
  hints: { readOnly: false, destructive: false, idempotent: false, openWorld: true },
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
    fields: z.record(z.string(), z.unknown()).describe('Field values by name, e.g. {"Name": "Ann"}.'),
    typecast: z.boolean().default(false).describe("Convert strings to the cell type."),
  }),
  output: z.object({
    id: z.string().optional().describe("New record id."),
    createdTime: z.string().optional().describe("Creation time."),
    fields: z.record(z.string(), z.unknown()).optional().describe("Stored values."),
  }),
  async run({ input: { baseId, table, ...record }, http }) {
    const created = await http.json({ method: "POST", path: tablePath({ baseId, table }), json: record });
    return [
      {
        id: requireProof("Airtable", textAt(created, "id"), "record id"),
        createdTime: textAt(created, "createdTime"),
        fields: recordAt(created, "fields"),
      },
    ];
  },
});

import { z } from "zod";
import { defineAction } from "../../contract/action.ts";
import { withPostgres } from "./client.ts";
import { postgresCredential } from "./credential.ts";

export const action = defineAction({
  id: "postgres_execute",
  title: "Execute",
  description: "Run a statement that changes data.",
  hints: { readOnly: false, destructive: true, idempotent: false, openWorld: true },
  credential: postgresCredential,
  input: z.strictObject({
    sql: z
      .string()
      .min(1)
      .meta({ title: "SQL" })
      .describe("One statement with $1, $2 for values, e.g. UPDATE orders SET paid = true WHERE id = $1."),
    params: z
      .array(z.unknown())
      .optional()
      .meta({ title: "Parameters" })
      .describe("Values of the placeholders in their order, e.g. [7]."),
  }),
  output: z.object({
    rowCount: z.int().describe("Rows changed."),
    rows: z.array(z.record(z.string(), z.unknown())).describe("Rows of RETURNING, if any."),
  }),
  run: async ({ input: { sql, params = [] }, ...call }) => [
    await withPostgres(call, async ({ execute }) => await execute(sql, params)),
  ],
});

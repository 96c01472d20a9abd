import { z } from "zod";
import { defineAction } from "../../contract/action.ts";
import { withMysql } from "./client.ts";
import { mysqlCredential } from "./credential.ts";

export const action = defineAction({
  id: "mysql_execute",
  title: "Execute",
  description: "Run a statement that changes data.",
  hints: { readOnly: false, destructive: true, idempotent: false, openWorld: true },
  credential: mysqlCredential,
  input: z.strictObject({
    sql: z
      .string()
      .min(1)
      .meta({ title: "SQL" })
      .describe("One statement with ? for values, e.g. UPDATE orders SET paid = 1 WHERE id = ?."),
    params: z
      .array(z.unknown())
      .optional()
      .meta({ title: "Parameters" })
      .describe("Values of the placeholders in their order, e.g. [7]."),
  }),
  output: z.object({
    rowCount: z.int().describe("Rows changed."),
    rows: z.array(z.record(z.string(), z.unknown())).describe("Rows of RETURNING, if any."),
    insertId: z.string().optional().describe("The number that AUTO_INCREMENT gave the row, of several the first."),
  }),
  run: async ({ input: { sql, params = [] }, ...call }) => [
    await withMysql(call, async ({ execute }) => await execute(sql, params)),
  ],
});

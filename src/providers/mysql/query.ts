import { z } from "zod";
import type { Refusal } from "../../base/refusal.ts";
import { defineAction } from "../../contract/action.ts";
import { sayOnlyReads } from "../_sql/only-reads.ts";
import { beginReading, withMysql } from "./client.ts";
import { mysqlCredential } from "./credential.ts";

export const action = defineAction({
  id: "mysql_query",
  title: "Query",
  synonyms: ["select"],
  description: "Run a read-only SQL query with parameters.",
  guide:
    "Look at information_schema.columns first when you do not know the tables. It only reads: use mysql_execute to change data. Ask for few rows with LIMIT.",
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: true },
  credential: mysqlCredential,
  input: z.strictObject({
    sql: z
      .string()
      .min(1)
      .meta({ title: "SQL" })
      .describe("One statement with ? for values, e.g. SELECT * FROM orders WHERE id = ?."),
    params: z
      .array(z.unknown())
      .optional()
      .meta({ title: "Parameters" })
      .describe("Values of the placeholders in their order, e.g. [7]."),
    limit: z.int().min(1).max(10_000).default(100).describe("Most items to return (1-10000)."),
  }),
  output: z.looseObject({}).describe("One item per row, columns as fields."),
  run: async ({ input: { sql, params = [], limit }, ...call }) =>
    await sayOnlyReads(sql, tools, (onSignedIn) =>
      withMysql(call, async (session) => {
        onSignedIn();
        await beginReading(session);
        return await session.read(sql, params, limit);
      }),
    ),
});

const tools = {
  reader: "mysql_query",
  writer: "mysql_execute",
  isAboutWriting: ({ provider }: Refusal) => provider?.code === "ER_CANT_EXECUTE_IN_READ_ONLY_TRANSACTION",
};

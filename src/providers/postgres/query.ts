import { z } from "zod";
import type { Refusal } from "../../base/refusal.ts";
import { defineAction } from "../../contract/action.ts";
import { sayOnlyReads } from "../_sql/only-reads.ts";
import { beginReading, type PostgresSession, withPostgres } from "./client.ts";
import { postgresCredential } from "./credential.ts";

const batchRows = 500;

export const action = defineAction({
  id: "postgres_query",
  title: "Query",
  synonyms: ["select"],
  description: "Run a read-only SQL query with parameters.",
  guide:
    "Look at information_schema.columns first when you do not know the tables. It only reads: use postgres_execute to change data. Ask for few rows with LIMIT.",
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: true },
  credential: postgresCredential,
  input: z.strictObject({
    sql: z
      .string()
      .min(1)
      .meta({ title: "SQL" })
      .describe("One statement with $1, $2 for values, e.g. SELECT * FROM orders WHERE id = $1."),
    params: z
      .array(z.unknown())
      .optional()
      .meta({ title: "Parameters" })
      .describe("Values of the placeholders in their order, e.g. [7]."),
    limit: z.int().min(1).max(10_000).default(100).describe("Most items to return (1-10000)."),
  }),
  output: z.looseObject({}).describe("One item per row, columns as fields."),
  async run({ input: { sql, params = [], limit }, ...call }) {
    return await sayOnlyReads(sql, tools, (onSignedIn) =>
      withPostgres(call, (session) => {
        onSignedIn();
        return readRows(session);
      }),
    );

    async function readRows(session: PostgresSession) {
      const { command, execute } = session;
      await beginReading(session);
      const rows = isExplanation(sql) ? (await execute(sql, params)).rows.slice(0, limit) : await fetchRows();
      await command("ROLLBACK");
      return rows;

      // A cursor reads no further than the limit, and the server accepts nothing but a SELECT for one: a read-only transaction
      // alone would still let a superuser run COPY … TO PROGRAM or DO.
      async function fetchRows() {
        await execute(`DECLARE result NO SCROLL CURSOR FOR ${sql}`, params);
        const found: Record<string, unknown>[] = [];
        while (found.length < limit) {
          const wanted = Math.min(batchRows, limit - found.length);
          const { rows: batch } = await execute(`FETCH ${wanted} FROM result`, []);
          found.push(...batch);
          if (batch.length < wanted) break;
        }
        return found;
      }
    }
  },
});

const tools = {
  reader: "postgres_query",
  writer: "postgres_execute",
  isAboutWriting: ({ provider, message }: Refusal) => provider?.code === "25006" || message.includes("DECLARE CURSOR"),
};

// These two give rows but take no cursor.
const isExplanation = (sql: string): boolean => /^\s*(explain|show)\b/i.test(sql);

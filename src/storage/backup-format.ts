import { z } from "zod";

/** A backup is compressed lines of JSON: the head, then for each table its name and lists of its rows, and at last how many there were. */
export const backupFormat = "switchyard.backup";

/** Up to here a line of rows is filled; one row that is larger has a line to itself. JSON may need several times as much for it. */
export const filledLineBytes = 2 ** 20;

/** Files of earlier versions have lines of up to a hundred rows. What is longer than this is no text of ours, and would be none of JavaScript. */
export const longestLine = 500_000_000;

// They become part of a statement.
const bounds = z.string().regex(/^(DEFAULT|FOR VALUES FROM \([^;]*\) TO \([^;]*\))$/);
const option = z.string().regex(/^[a-z_.]+=[\w.]+$/);

export const backupHead = z.object({
  format: z.literal(backupFormat),
  formatVersion: z.literal(1),
  createdAt: z.string(),
  migrations: z.array(z.object({ number: z.number(), name: z.string(), sha256: z.string() })).min(1),
  parts: z.array(z.object({ table: z.string(), part: z.string(), bounds, options: z.array(option).nullable() })),
});

export const backupSection = z.union([
  z.object({ table: z.string(), columns: z.array(z.string()).min(1) }),
  z.object({ rows: z.number() }),
]);

export type BackupHead = z.output<typeof backupHead>;

import type { PartitionedTable } from "./partition-store.ts";

/** Where rows with these ids lie: a table that needs no search for the right one, or the whole when it is not certain. */
export type TableOf = (table: PartitionedTable, ids: readonly string[]) => string;

export const wholeTable: TableOf = (table) => table;

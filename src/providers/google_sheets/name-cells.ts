import { nameColumns } from "../../contract/name-columns.ts";

type Column = { name: string; index: number };

/** Those that have a name, once for all rows. */
export function toColumns(header: unknown[]): Column[] {
  const columns = header.map((name, index) => ({ name: String(name ?? ""), index })).filter(({ name }) => name !== "");
  const names = nameColumns(columns.map(({ name }) => name));
  return columns.map(({ index }, position) => ({ name: names[position] ?? "", index }));
}

/** Empty cells at the end of a row are not sent; within a row they are empty texts. */
export const toRecord = (columns: Column[], values: unknown[]): Record<string, unknown> =>
  Object.fromEntries(columns.map(({ name, index }) => [name, values[index] ?? ""]));

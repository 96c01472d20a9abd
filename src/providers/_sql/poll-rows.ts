import { z } from "zod";
import { Refusal } from "../../base/refusal.ts";
import type { PollItem, PollPage } from "../../contract/poll.ts";
import { at, textAt } from "../../contract/read.ts";
import { quoteName } from "./table-names.ts";

type Row = Record<string, unknown>;
type QuoteMark = '"' | "`";
type Column = "order" | "key";

/** What differs between databases. */
export type Dialect = {
  /** A column as text that names its value exactly. */
  asText: (column: Column, name: string) => string;
  /** A value that is sent as such a text, as one of the column's type. */
  value: (column: Column, position: number) => string;
};

export type Names = { table: string; order: string; key: string };

/** The form of the trigger. */
export const rowParameters = (example: string) =>
  z.strictObject({
    table: z
      .string()
      .min(1)
      .max(300)
      .describe(
        `Table or view to look at, as it is written in the database, e.g. ${example}. A name with a dot goes in quotes.`,
      )
      .meta({ choices: "tables" }),
    column: z
      .string()
      .min(1)
      .max(200)
      .default("id")
      .describe(
        "Column that grows with every new row and never changes, e.g. id or created_at. Without an index on it each look reads the whole table.",
      )
      .meta({ choices: "columns", choicesNeed: ["table"] }),
    keyColumn: z
      .string()
      .min(1)
      .max(200)
      .optional()
      .describe("Column that is different in every row, e.g. id. Needed where the first one is not, such as a time.")
      .meta({ choices: "columns", choicesNeed: ["table"] }),
  });

export type RowParameters = { table: string; column: string; keyColumn?: string | undefined };

export function namesOf({ table, column, keyColumn = column }: RowParameters, mark: QuoteMark): Names {
  const columnName = (pointer: string, name: string) =>
    quoteName(pointer, `${mark}${name.replaceAll(mark, mark + mark)}${mark}`, mark);
  return {
    table: quoteName("/table", table, mark),
    order: columnName("/column", column),
    key: columnName("/keyColumn", keyColumn),
  };
}

/** The name of the table alone, as statements that add a row have it: the numbers of rows are the same in other tables. */
export const bareTable = ({ table }: RowParameters): string => /([^.`"]+)[`"]?\s*$/.exec(table)?.[1]?.trim() ?? table;

/** Runs one statement that reads. */
export type Run = (sql: string, values: unknown[]) => Promise<Row[]>;

type Place = { order: string; key: string };
/** Where the list has come to, and from where on rows before that are looked for again; never further back, because ids are forgotten with time. */
type Mark = { last: Place | null; from: Place | null };

const lookBackRows = 500;
const pageRows = 200;

type Listing = {
  names: Names;
  dialect: Dialect;
  mark: string | null;
  /** Where whole rows are too large for one answer: they are read one by one. */
  isKeysOnly: boolean;
};

/**
 * Rows behind the mark, and the keys of those shortly before it: what a transaction took its number or time for first may be committed last. Rows at
 * the same time are told apart by their keys, so that none is lost between two pages.
 */
export async function listRows(run: Run, { names, dialect, mark, isKeysOnly }: Listing): Promise<PollPage> {
  const known: Mark = mark === null ? { last: null, from: null } : readMark(mark);
  const ask = async (isWhole: boolean, conditions: Condition[], tail: string) => {
    const { sql, values } = compose({ names, dialect, isWhole, conditions, tail });
    return await run(sql, values);
  };
  const back = `ORDER BY ${names.order} DESC, ${names.key} DESC LIMIT ${lookBackRows}`;
  const from = known.from ? [{ isAfter: true, isIncluded: true, place: known.from }] : [];
  const until = known.last ? [{ isAfter: false, isIncluded: true, place: known.last }] : [];
  // An empty table has nothing to look back at: all that comes is new.
  const before = mark !== null && known.last === null ? [] : (await ask(false, [...from, ...until], back)).reverse();
  const after = known.last ? [{ isAfter: true, isIncluded: false, place: known.last }] : [];
  const forward = `ORDER BY ${names.order}, ${names.key} LIMIT ${pageRows}`;
  const following = mark === null ? [] : await ask(!isKeysOnly, after, forward);
  const rows = [...before, ...following];
  refuseSameKeys(rows);
  const [last, first] = [rows.at(-1), before[0]];
  // Where rows were deleted the list reaches further back, but never to rows whose ids may be forgotten by now.
  const isFull = first !== undefined && before.length === lookBackRows;
  const next: Mark = { last: last ? placeOf(last) : known.last, from: isFull ? placeOf(first) : known.from };
  return {
    items: [...before.map(toKeyItem), ...following.map(isKeysOnly ? toKeyItem : toItem)],
    mark: JSON.stringify(next),
    hasMore: following.length === pageRows,
  };
}

/** The row of an item that was listed by its key alone; undefined where it is gone by now. */
export async function readRow(
  run: Run,
  { names, dialect, item }: { names: Names; dialect: Dialect; item: PollItem },
): Promise<unknown> {
  const key = textAt(item.payload, "key") ?? "";
  const [row] = await run(`SELECT * FROM ${names.table} WHERE ${names.key} = ${dialect.value("key", 1)} LIMIT 1`, [
    key,
  ]);
  return row;
}

export const isWhole = (item: PollItem): boolean => rowOf(item) !== undefined;

/** The row that an item came with. */
export const rowOf = (item: PollItem): unknown => at(item.payload, "row");

type Condition = { isAfter: boolean; isIncluded: boolean; place: Place };

function compose({
  names,
  dialect,
  isWhole,
  conditions,
  tail,
}: {
  names: Names;
  dialect: Dialect;
  isWhole: boolean;
  conditions: Condition[];
  tail: string;
}) {
  const values: string[] = [];
  const value = (text: string, column: Column) => dialect.value(column, values.push(text));
  const { order, key } = names;
  const restrictions = conditions.map(({ isAfter, isIncluded, place }) => {
    const sign = isAfter ? ">" : "<";
    // The first part is what an index is used for.
    const near = `${order} ${sign}= ${value(place.order, "order")}`;
    const beyond = `${order} ${sign} ${value(place.order, "order")}`;
    return `${near} AND (${beyond} OR ${key} ${sign}${isIncluded ? "=" : ""} ${value(place.key, "key")})`;
  });
  const where = [`${order} IS NOT NULL`, `${key} IS NOT NULL`, ...restrictions].join(" AND ");
  const columns = `${dialect.asText("order", order)} AS ${orderName}, ${dialect.asText("key", key)} AS ${keyName}${isWhole ? `, ${names.table}.*` : ""}`;
  return { sql: `SELECT ${columns} FROM ${names.table} WHERE ${where} ${tail}`, values };
}

const orderName = "switchyard_order";
const keyName = "switchyard_key";

const placeOf = (row: Row): Place => ({ order: textAt(row, orderName) ?? "", key: textAt(row, keyName) ?? "" });

const toKeyItem = (row: Row): PollItem => ({ id: idOf(row), payload: { key: placeOf(row).key } });

function toItem(row: Row): PollItem {
  const { [orderName]: _order, [keyName]: _key, ...whole } = row;
  return { id: idOf(row), payload: { key: placeOf(row).key, row: whole } };
}

const idOf = (row: Row): string => placeOf(row).key;

/** Two rows with one key would start one run, and the other row would be lost without a word. */
function refuseSameKeys(rows: Row[]): void {
  const keys = rows.map(idOf);
  if (new Set(keys).size === keys.length) return;
  const detail = "must be given: several rows have the same value in the column that is looked at";
  throw new Refusal(
    "validation_failed",
    `keyColumn ${detail}. Name a column that is different in every row, such as id.`,
    {
      errors: [{ pointer: "/keyColumn", detail }],
    },
  );
}

function readMark(text: string): Mark {
  const mark: unknown = JSON.parse(text);
  const placeAt = (name: string): Place | null =>
    at(mark, name) ? { order: textAt(mark, name, "order") ?? "", key: textAt(mark, name, "key") ?? "" } : null;
  return { last: placeAt("last"), from: placeAt("from") };
}

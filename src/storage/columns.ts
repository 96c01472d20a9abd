/** Field, column and type of what a statement takes, so that many rows go in as one array for each column. */
export type Columns<Row> = readonly (readonly [keyof Row & string, string, string])[];

type AnyColumns = readonly (readonly [string, string, string])[];

export const columnNames = (columns: AnyColumns): string => columns.map(([, column]) => column).join(", ");

/** `first` is the number of its first parameter. */
export const unnest = (columns: AnyColumns, first = 1): string =>
  `unnest(${columns.map(([, , type], index) => `$${first + index}::${type}[]`).join(", ")})`;

export const valuesOf = <Row>(columns: Columns<Row>, row: Row): unknown[] => columns.map(([field]) => row[field]);

/** Null for a column in which no row has a value: `unnest` fills it up, and most columns of most batches are like that. */
export const arraysOf = <Row>(columns: Columns<Row>, rows: readonly Row[]): unknown[] =>
  columns.map(([field, , type]) => {
    if (type !== "bytea") return toArrayText(rows, field);
    const values = rows.map((row) => row[field]);
    return values.every((value) => value === null) ? null : values;
  });

// The driver would do the same in several passes over every text, which is a good part of what a batch costs.
function toArrayText<Row>(rows: readonly Row[], field: keyof Row): string | null {
  let text = "";
  let hasValue = false;
  for (const row of rows) {
    const value = row[field];
    if (value === null || value === undefined) text += ",NULL";
    else {
      hasValue = true;
      text += `,${toElement(value)}`;
    }
  }
  return hasValue ? `{${text.slice(1)}}` : null;
}

function toElement(value: unknown): string {
  if (typeof value === "string") return `"${escapeText(value)}"`;
  return value instanceof Date ? `"${toText(value)}"` : String(value);
}

// One character after the other: to look for both with a pattern takes twice as long.
function escapeText(text: string): string {
  const slashed = text.includes("\\") ? text.replaceAll("\\", "\\\\") : text;
  return slashed.includes('"') ? slashed.replaceAll('"', '\\"') : slashed;
}

/** The moment that was written last: rows of one batch share most of theirs, and to write one takes longer than all the rest of its row. */
const last = { ms: Number.NaN, text: "" };

function toText(moment: Date): string {
  const ms = moment.getTime();
  if (ms !== last.ms) Object.assign(last, { ms, text: moment.toISOString() });
  return last.text;
}

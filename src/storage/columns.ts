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
    if (rows.every((row) => row[field] === null)) return null;
    const values = rows.map((row) => row[field]);
    return type === "bytea" ? values : toArrayText(values);
  });

// The driver would do the same in several passes over every text, which is a good part of what a batch costs.
const toArrayText = (values: unknown[]): string => `{${values.map(toElement).join(",")}}`;

const toElement = (value: unknown): string => {
  if (value === null || value === undefined) return "NULL";
  if (typeof value === "string") return `"${/["\\]/.test(value) ? value.replaceAll(/["\\]/g, "\\$&") : value}"`;
  return value instanceof Date ? `"${value.toISOString()}"` : String(value);
};

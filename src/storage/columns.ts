/** Field, column and type of what a statement takes, so that many rows go in as one array for each column. */
export type Columns<Row> = readonly (readonly [keyof Row & string, string, string])[];

type AnyColumns = readonly (readonly [string, string, string])[];

export const columnNames = (columns: AnyColumns): string => columns.map(([, column]) => column).join(", ");

/** `first` is the number of its first parameter. */
export const unnest = (columns: AnyColumns, first = 1): string =>
  `unnest(${columns.map(([, , type], index) => `$${first + index}::${type}[]`).join(", ")})`;

export const valuesOf = <Row>(columns: Columns<Row>, row: Row): unknown[] => columns.map(([field]) => row[field]);

/** Null for a column in which no row has a value: `unnest` fills it up, and most columns of most batches are like that. */
export const arraysOf = <Row>(columns: Columns<Row>, rows: readonly Row[]): (unknown[] | null)[] =>
  columns.map(([field]) => (rows.every((row) => row[field] === null) ? null : rows.map((row) => row[field])));

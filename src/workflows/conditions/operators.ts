/** What a row compares with: a value of this kind, or nothing. */
type Wanted = "anything" | "text" | "number" | "date" | "list" | "nothing";

/** Of what kind the data is, as far as the choice of operators needs it. */
export type DataKind = "text" | "number" | "yes or no" | "date" | "list";

type Described = {
  /** Between the field and the value, in a sentence. */
  words: string;
  wants: Wanted;
  /** The data it is meant for. */
  fits: readonly DataKind[];
  /**
   * The same in JSONata, where X stands for the field and V for the value. It is true or false for any data: what JSONata would refuse to compare
   * does not hold. `referred` is for a value that is itself only known in a run, and so may be missing or of any kind.
   */
  written: string;
  referred?: string;
  /** What people write by hand for a known value; it is the same wherever it does not fail. */
  alsoRead?: string;
};

const all: DataKind[] = ["text", "number", "yes or no", "date", "list"];
const scalar = '["string", "number", "boolean"]';

/** A day, or a moment with its offset. A time without one would be another moment on another machine. */
export const datePattern =
  /^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])(T([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d+)?(Z|[+-]([01]\d|2[0-3]):[0-5]\d))?$/;

const ofTexts = (test: string) => ({
  written: `($type(X) = "string" and ${test})`,
  referred: `($type(X) = "string" and $type(V) = "string" and ${test})`,
});
const notOfTexts = (test: string) => ({
  written: `$not($type(X) = "string" and ${test})`,
  referred: `$not($type(X) = "string" and $type(V) = "string" and ${test})`,
});
const ofNumbers = (sign: string) => ({
  written: `($type(X) = "number" and X ${sign} V)`,
  referred: `($type(X) = "number" and $type(V) = "number" and X ${sign} V)`,
  alsoRead: `X ${sign} V`,
});
const isDate = (name: string) => `$type(${name}) = "string" and $contains(${name}, /${datePattern.source}/)`;
const ofDates = (sign: string) => ({
  written: `(${isDate("X")} and $toMillis(X) ${sign} $toMillis(V))`,
  referred: `(${isDate("X")} and ${isDate("V")} and $toMillis(X) ${sign} $toMillis(V))`,
});
const notEmpty = 'X != null and X != "" and X != [] and X != {}';

/** In the order in which people are offered them. */
export const operators = {
  is: {
    words: "is",
    wants: "anything",
    fits: ["text", "number", "date"],
    written: "X = V",
    referred: "(X != null and X = V)",
  },
  is_not: {
    words: "is not",
    wants: "anything",
    fits: ["text", "number", "date"],
    written: "$not(X = V)",
    referred: "$not(X != null and X = V)",
  },
  contains: {
    words: "contains",
    wants: "text",
    fits: ["text"],
    ...ofTexts("$contains(X, V)"),
    alsoRead: "$contains(X, V)",
  },
  does_not_contain: {
    words: "does not contain",
    wants: "text",
    fits: ["text"],
    ...notOfTexts("$contains(X, V)"),
  },
  starts_with: {
    words: "starts with",
    wants: "text",
    fits: ["text"],
    ...ofTexts("$substring(X, 0, $length(V)) = V"),
  },
  ends_with: {
    words: "ends with",
    wants: "text",
    fits: ["text"],
    ...ofTexts("$substring(X, $length(X) - $length(V)) = V"),
  },
  is_one_of: {
    words: "is one of",
    wants: "list",
    fits: ["text", "number"],
    written: "X in V",
    referred: `($type(X) in ${scalar} and X in V)`,
  },
  is_none_of: {
    words: "is none of",
    wants: "list",
    fits: ["text", "number"],
    written: "$not(X in V)",
    referred: `$not($type(X) in ${scalar} and X in V)`,
  },
  is_more_than: { words: "is more than", wants: "number", fits: ["number"], ...ofNumbers(">") },
  is_at_least: { words: "is at least", wants: "number", fits: ["number"], ...ofNumbers(">=") },
  is_less_than: { words: "is less than", wants: "number", fits: ["number"], ...ofNumbers("<") },
  is_at_most: { words: "is at most", wants: "number", fits: ["number"], ...ofNumbers("<=") },
  is_after: { words: "is after", wants: "date", fits: ["date"], ...ofDates(">") },
  is_before: { words: "is before", wants: "date", fits: ["date"], ...ofDates("<") },
  has: {
    words: "has the entry",
    wants: "anything",
    fits: ["list"],
    written: "V in X",
    referred: `($type(V) in ${scalar} and V in X)`,
  },
  does_not_have: {
    words: "does not have the entry",
    wants: "anything",
    fits: ["list"],
    written: "$not(V in X)",
    referred: `$not($type(V) in ${scalar} and V in X)`,
  },
  is_true: { words: "is true", wants: "nothing", fits: ["yes or no"], written: "X = true", alsoRead: "X" },
  is_false: { words: "is false", wants: "nothing", fits: ["yes or no"], written: "X = false" },
  is_empty: { words: "is empty", wants: "nothing", fits: all, written: `$not(${notEmpty})` },
  is_not_empty: { words: "is not empty", wants: "nothing", fits: all, written: `(${notEmpty})` },
  exists: { words: "exists", wants: "nothing", fits: all, written: "X != null" },
  does_not_exist: { words: "does not exist", wants: "nothing", fits: all, written: "$not(X != null)" },
} as const satisfies Record<string, Described>;

export type Operator = keyof typeof operators;

/** One comparison. The field is an expression; the value is one of JSON, and texts in it may be references. */
export type Row = { field: string; operator: Operator; value?: unknown };
export type Match = "all" | "any";
export type Group = { match: Match; rows: Row[] };
/** Rows joined by "and" or by "or", with groups inside that are joined in the other way. */
export type ConditionRows = Group & { groups?: Group[] };

export const operatorNames = Object.keys(operators) as [Operator, ...Operator[]];
export const describeOperator = (operator: Operator): Described => operators[operator];

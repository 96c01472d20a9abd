import { datePattern, type Match, type Operator } from "./operators.ts";

/** A row whose field and value are known; null and undefined are the same: nothing. */
type KnownRow = { field?: unknown; operator: Operator; value?: unknown };
type KnownGroup = { match: Match; rows: readonly KnownRow[] };

/** Whether rows are true for data. Nothing makes them fail: what cannot be compared does not hold, and then its opposite does. */
export function holds({
  match,
  rows,
  groups = [],
}: KnownGroup & { groups?: readonly KnownGroup[] | undefined }): boolean {
  const isTrue = (one: KnownRow) => rowHolds(one);
  if (match === "any") return rows.some(isTrue) || groups.some((group) => holds(group));
  return rows.every(isTrue) && groups.every((group) => holds(group));
}

export const rowHolds = ({ field, operator, value }: KnownRow): boolean =>
  tests[operator](field ?? undefined, value ?? undefined);

type Test = (field: unknown, value: unknown) => boolean;

const not =
  (test: Test): Test =>
  (field, value) =>
    !test(field, value);

const ofTexts =
  (compare: (field: string, value: string) => boolean): Test =>
  (field, value) =>
    typeof field === "string" && typeof value === "string" && compare(field, value);

const ofNumbers =
  (compare: (field: number, value: number) => boolean): Test =>
  (field, value) =>
    typeof field === "number" && typeof value === "number" && compare(field, value);

const ofDates = (compare: (field: number, value: number) => boolean): Test =>
  ofTexts(
    (field, value) =>
      datePattern.test(field) && datePattern.test(value) && compare(Date.parse(field), Date.parse(value)),
  );

const isScalar = (value: unknown): boolean => ["string", "number", "boolean"].includes(typeof value);
const toEntries = (list: unknown): unknown[] => (Array.isArray(list) ? list.flat() : [list]);

const is: Test = (field, value) => field !== undefined && value !== undefined && isSame(field, value);
const contains = ofTexts((field, value) => field.includes(value));
const isOneOf: Test = (field, list) => isScalar(field) && toEntries(list).includes(field);
const has: Test = (list, entry) => isScalar(entry) && (Array.isArray(list) ? list : [list]).includes(entry);
const isEmpty: Test = (field) =>
  field === undefined || field === "" || (typeof field === "object" && Object.keys(field as object).length === 0);

const tests: Record<Operator, Test> = {
  is,
  is_not: not(is),
  contains,
  does_not_contain: not(contains),
  starts_with: ofTexts((field, value) => field.startsWith(value)),
  ends_with: ofTexts((field, value) => field.endsWith(value)),
  is_one_of: isOneOf,
  is_none_of: not(isOneOf),
  is_more_than: ofNumbers((field, value) => field > value),
  is_at_least: ofNumbers((field, value) => field >= value),
  is_less_than: ofNumbers((field, value) => field < value),
  is_at_most: ofNumbers((field, value) => field <= value),
  is_after: ofDates((field, value) => field > value),
  is_before: ofDates((field, value) => field < value),
  has,
  does_not_have: not(has),
  is_true: (field) => field === true,
  is_false: (field) => field === false,
  is_empty: isEmpty,
  is_not_empty: not(isEmpty),
  exists: (field) => field !== undefined,
  does_not_exist: (field) => field === undefined,
};

/** The same JSON, whatever the order of keys. */
function isSame(one: unknown, other: unknown): boolean {
  if (one === other) return true;
  if (typeof one !== "object" || typeof other !== "object" || one === null || other === null) return false;
  if (Array.isArray(one) !== Array.isArray(other)) return false;
  const keys = Object.keys(one);
  return (
    keys.length === Object.keys(other).length &&
    keys.every(
      (key) =>
        Object.hasOwn(other, key) &&
        isSame((one as Record<string, unknown>)[key], (other as Record<string, unknown>)[key]),
    )
  );
}

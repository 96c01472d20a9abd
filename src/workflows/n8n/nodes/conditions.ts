import { type ConditionRows, describeOperator, type Operator, type Row } from "../../conditions/operators.ts";
import { listOf, type Reader, textOf, valueAt } from "../reader.ts";

/** By the name of an operation, as any version of n8n has it. */
const operators = new Map<string, Operator>([
  ["equal", "is"],
  ["equals", "is"],
  ["notEqual", "is_not"],
  ["notEquals", "is_not"],
  ["contains", "contains"],
  ["notContains", "does_not_contain"],
  ["startsWith", "starts_with"],
  ["endsWith", "ends_with"],
  ["larger", "is_more_than"],
  ["gt", "is_more_than"],
  ["largerEqual", "is_at_least"],
  ["gte", "is_at_least"],
  ["smaller", "is_less_than"],
  ["lt", "is_less_than"],
  ["smallerEqual", "is_at_most"],
  ["lte", "is_at_most"],
  ["after", "is_after"],
  ["before", "is_before"],
  ["true", "is_true"],
  ["false", "is_false"],
  ["isEmpty", "is_empty"],
  ["empty", "is_empty"],
  ["isNotEmpty", "is_not_empty"],
  ["notEmpty", "is_not_empty"],
  ["exists", "exists"],
  ["notExists", "does_not_exist"],
]);

/** Of lists, where texts have the same names. */
const ofLists = new Map<string, Operator>([
  ["contains", "has"],
  ["notContains", "does_not_have"],
]);

type Compared = { left: unknown; right: unknown; operation: string; type: string };

/** What the parameter `conditions` of a node says, as rows here. */
export function readConditions(read: Reader, value: unknown, anyOf = false): ConditionRows {
  if (valueAt(value, "options.caseSensitive") === false)
    read.remark("Upper and lower case differ here; in n8n they did not.");
  const newer = listOf(valueAt(value, "conditions"));
  const isAny = newer.length > 0 ? valueAt(value, "combinator") === "or" : anyOf;
  const compared = newer.length > 0 ? newer.map(readNewer) : readOlder(value);
  return { match: isAny ? "any" : "all", rows: compared.map((one) => toRow(read, one)) };
}

const readNewer = (row: unknown): Compared => ({
  left: valueAt(row, "leftValue"),
  right: valueAt(row, "rightValue"),
  operation: textOf(valueAt(row, "operator.operation"), "equals"),
  type: textOf(valueAt(row, "operator.type"), "string"),
});

const usualOperation = new Map([
  ["number", "smaller"],
  ["dateTime", "after"],
]);

/** Older versions have one list for each type, and leave out what is usual. */
const readOlder = (value: unknown): Compared[] =>
  ["string", "number", "boolean", "dateTime"].flatMap((type) =>
    listOf(valueAt(value, type)).map((row) => ({
      left: valueAt(row, "value1"),
      right: valueAt(row, "value2") ?? (type === "boolean" ? false : undefined),
      operation: textOf(valueAt(row, "operation"), usualOperation.get(type) ?? "equal"),
      type,
    })),
  );

/** One comparison. What has no operator here stays unfinished, so that nobody publishes it unseen. */
export function toRow(read: Reader, { left, right, operation, type }: Compared): Row {
  const operator = (type === "array" ? ofLists.get(operation) : undefined) ?? operators.get(operation);
  if (operator === undefined) {
    read.remark(`There is no comparison “${operation}” here: finish the row, or write an expression.`);
    return { field: "", operator: "is", value: "" };
  }
  const field = read.expression(left, "the compared value");
  if (describeOperator(operator).wants === "nothing") return { field, operator };
  return { field, operator, value: toValue(read.translate(right, "the value it is compared with"), type) };
}

/** n8n compares texts with numbers; here a number is one. */
function toValue(value: unknown, type: string): unknown {
  if (type === "number" && typeof value === "string" && /^-?\d+(?:\.\d+)?$/.test(value.trim())) return Number(value);
  return value ?? "";
}

import { z } from "zod";
import { fieldMessage } from "../../base/field-message.ts";
import type { FieldFault } from "../../base/refusal.ts";
import { toJsonSchema } from "../../catalog/json-schema.ts";
import { toPointer } from "../read-canvas.ts";
import { holds } from "./holds.ts";
import { datePattern, describeOperator, operatorNames } from "./operators.ts";
import { isKnown } from "./write-expression.ts";

const mostRows = 50;

const row = z.strictObject({
  field: z
    .unknown()
    .meta({ expression: true })
    .describe(
      "What is compared: JSONata, mostly a reference such as $input.total. Nothing is found where it leads nowhere.",
    ),
  operator: z.enum(operatorNames).describe("How it is compared."),
  value: z
    .unknown()
    .optional()
    .meta({ mayFindNothing: true })
    .describe(
      'What it is compared with, e.g. 100, "paid", ["new", "paid"] or $nodes.limits.first.total. Not for is_true, is_empty, exists and the like.',
    ),
});
const match = z.enum(["all", "any"]).default("all").describe("Whether all rows have to be true, or any of them.");
const list = z.array(row).max(mostRows).default([]).describe("Comparisons.");
const group = z.strictObject({ match, rows: list });
const conditionRows = z.strictObject({
  match,
  rows: list,
  groups: z.array(group).max(mostRows).default([]).describe("Rows that count together as one."),
});

/**
 * A field that is an expression as it stands and has to give true or false, or rows of comparisons in its place. Nothing, which is null here, does
 * not hold; other values are not taken for one of the two.
 */
export const condition = (description: string) =>
  z
    .preprocess(
      (value, context) => (isObject(value) ? readRows(value, context) : value === null ? false : value),
      z.boolean("must give true or false, for example $input.price > 2"),
    )
    .meta({ expression: true, rows: toJsonSchema(conditionRows, "input"), description });

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Here everything in the rows is known. */
function readRows(value: Record<string, unknown>, context: z.RefinementCtx): boolean {
  const { data, error } = conditionRows.safeParse(value, { error: fieldMessage });
  if (data && data.rows.length + data.groups.length > 0) return holds(data);
  const issues = error?.issues ?? [{ path: ["rows"], message: "must have at least one row" }];
  for (const { path, message } of issues)
    context.issues.push({ code: "custom", path, message, input: value, continue: false });
  return z.NEVER;
}

/** What is wrong with rows as the author wrote them; an expression is read elsewhere. */
export function findConditionFaults(written: unknown, pointer: string): FieldFault[] {
  const { data } = conditionRows.safeParse(written);
  if (!data) return [];
  const places = [
    ...data.rows.map((one, index) => ({ one, path: ["rows", index] })),
    ...data.groups.flatMap(({ rows }, place) =>
      rows.map((one, index) => ({ one, path: ["groups", place, "rows", index] })),
    ),
  ];
  const empty = data.groups.flatMap(({ rows }, place) =>
    rows.length > 0 ? [] : [{ pointer: pointer + toPointer(["groups", place]), detail: "must have at least one row" }],
  );
  const faults = places.flatMap(({ one, path }) =>
    findRowFaults(one).map(({ name, detail }) => ({ pointer: pointer + toPointer([...path, name]), detail })),
  );
  return [...empty, ...faults];
}

function findRowFaults({ field, operator, value }: z.output<typeof row>): { name: string; detail: string }[] {
  const faults = typeof field === "string" && field.trim() !== "" ? [] : [{ name: "field", detail: "is required" }];
  const { wants, words } = describeOperator(operator);
  if (wants === "nothing") return faults;
  if (value === undefined || value === null || value === "")
    return [...faults, { name: "value", detail: "is required" }];
  const isFitting = !isKnown(value) || fits[wants](value);
  return isFitting ? faults : [...faults, { name: "value", detail: `must be ${kinds[wants]} for "${words}"` }];
}

type Wanted = Exclude<ReturnType<typeof describeOperator>["wants"], "nothing">;
const isScalar = (value: unknown): boolean => ["string", "number", "boolean"].includes(typeof value);

const fits: Record<Wanted, (value: unknown) => boolean> = {
  anything: () => true,
  text: (value) => typeof value === "string",
  number: (value) => typeof value === "number",
  date: (value) => typeof value === "string" && datePattern.test(value),
  list: (value) => Array.isArray(value) && value.length > 0 && value.every(isScalar),
};

const kinds: Record<Wanted, string> = {
  anything: "a value",
  text: "a text",
  number: "a number",
  date: "a date such as 2026-01-31 or 2026-01-31T12:00:00Z",
  list: "a list of texts and numbers",
};

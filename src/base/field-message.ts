import type { z } from "zod";

/** Says for people what is wrong with a field. Hand it to `safeParse` as `error`; a message in the schema itself goes first. */
export const fieldMessage: z.core.$ZodErrorMap = (issue) => {
  if (
    issue.input === undefined &&
    (issue.code === "invalid_type" || issue.code === "invalid_value" || issue.code === "invalid_union")
  )
    return "is required";
  switch (issue.code) {
    case "invalid_type":
      return `must be ${kinds[issue.expected] ?? "of another kind"}`;
    case "invalid_value":
      return issue.values.length === 1
        ? `must be ${String(issue.values[0])}`
        : `must be one of ${issue.values.map(String).join(", ")}`;
    case "invalid_format":
      return formats[issue.format] ?? "does not have the expected form";
    case "too_small":
      return tooSmall(issue);
    case "too_big":
      return `must ${amount("at most", issue.maximum, issue.origin)}`;
    case "not_multiple_of":
      return `must be a multiple of ${issue.divisor}`;
    case "unrecognized_keys":
      return `has unknown fields: ${listed(issue.keys)}`;
    default:
      return "is not valid";
  }
};

const listedKeys = 10;
const listedCharacters = 100;

/** Names are the sender's own, so there may be any number of them, of any length. */
function listed(keys: string[]): string {
  const shown = keys
    .slice(0, listedKeys)
    .map((key) => (key.length > listedCharacters ? `${key.slice(0, listedCharacters)}…` : key));
  return shown.join(", ") + (keys.length > listedKeys ? ` and ${keys.length - listedKeys} more` : "");
}

const kinds: Record<string, string> = {
  string: "text",
  number: "a number",
  int: "a whole number",
  boolean: "true or false",
  array: "a list",
  object: "an object",
  record: "an object",
  null: "null",
};

const formats: Record<string, string> = {
  email: "is not an e-mail address",
  uuid: "is not a valid id",
  datetime: "must be a date and time such as 2026-01-31T12:00:00Z",
  date: "must be a date such as 2026-01-31",
  url: "is not a valid URL",
};

function tooSmall(issue: { minimum: number | bigint; origin: string }): string {
  if (issue.origin === "string" && issue.minimum === 1) return "must not be empty";
  return `must ${amount("at least", issue.minimum, issue.origin)}`;
}

function amount(bound: "at least" | "at most", limit: number | bigint, origin: string): string {
  const plural = Number(limit) === 1 ? "" : "s";
  if (origin === "string") return `be ${bound} ${limit} character${plural}`;
  if (origin === "array" || origin === "set") return `have ${bound} ${limit} ${plural === "" ? "entry" : "entries"}`;
  return `be ${bound} ${limit}`;
}

export const longestExpression = 20_000;

/** JSONata throws objects that are no errors, with the position in the expression. Those of another realm are errors of another kind. */
export function describeExpressionFault(error: unknown): string {
  const { name, message, position } = Object(error) as { name?: unknown; message?: unknown; position?: unknown };
  if (name === "RangeError") return "it is nested too deep or makes too long a text";
  const words =
    typeof message === "string" ? message.trim().replace(/\.$/, "").slice(0, 500) : "it cannot be evaluated";
  return typeof position === "number" ? `${words} (at character ${position})` : words;
}

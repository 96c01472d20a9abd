export const longestExpression = 20_000;

/** JSONata throws objects that are no errors, with the position in the expression. */
export function describeExpressionFault(error: unknown): string {
  if (error instanceof RangeError) return "it is nested too deep or makes too long a text";
  const { message, position } = error as { message?: unknown; position?: unknown };
  const words = typeof message === "string" ? message.trim().replace(/\.$/, "").slice(0, 500) : "it cannot be evaluated";
  return typeof position === "number" ? `${words} (at character ${position})` : words;
}

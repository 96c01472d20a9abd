// What JSONata takes for a name without quotes; the server writes references the same way.
const plainName = /^(?!(?:and|or|in|true|false|null|function)$)[A-Za-z_][A-Za-z0-9_]*$/;

/** The reference of a field or of a place in a list, given the reference of what it is in. */
export function stepInto(path: string, step: string | number): string {
  if (typeof step === "number") return `${path}[${step}]`;
  const name = plainName.test(step) ? step : `\`${step}\``;
  return path === "" ? name : `${path}.${name}`;
}

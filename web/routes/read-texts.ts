/** The named texts of a query string; what is no text is left out. */
export function readTexts<Name extends string>(
  search: Record<string, unknown>,
  ...names: Name[]
): { [key in Name]?: string } {
  return Object.fromEntries(
    names.filter((name) => typeof search[name] === "string").map((name) => [name, search[name]]),
  ) as {
    [key in Name]?: string;
  };
}

/** As people write them and as providers answer. */
export const splitScopes = (text: unknown): string[] =>
  typeof text === "string" ? text.split(/[\s,]+/).filter((scope) => scope !== "") : [];

/** What is chosen from the list and what is typed in, as one text; undefined for nothing. */
export const joinScopes = (chosen: string[], typed: string): string | undefined =>
  [...new Set([...chosen, ...splitScopes(typed)])].join(" ") || undefined;

/** As people write them and as providers answer: with spaces or commas in between. */
export const splitScopes = (text: unknown): string[] =>
  typeof text === "string" ? text.split(/[\s,]+/).filter(Boolean) : [];

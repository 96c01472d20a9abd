import { splitScopes } from "../../../src/base/split-scopes.ts";

/** What is chosen from the list and what is typed in, as one text; undefined for nothing. */
export const joinScopes = (chosen: string[], typed: string): string | undefined =>
  [...new Set([...chosen, ...splitScopes(typed)])].join(" ") || undefined;

import type { Choice } from "./credential.ts";

/** What an answer says of a choice, each of which may be missing. */
type Read = { value: string | undefined; title?: string | undefined };

/** Entries of an answer as choices; those without a value are none. */
export const toChoices = <Entry>(entries: readonly Entry[], read: (entry: Entry) => Read): Choice[] =>
  entries.flatMap((entry) => {
    const { value, title } = read(entry);
    return value === undefined || value === "" ? [] : [{ value, title }];
  });

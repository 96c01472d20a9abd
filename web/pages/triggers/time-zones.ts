/** The zone of the reader's clock, in a name that the server knows too. */
export const ownTimeZone: string = Intl.DateTimeFormat().resolvedOptions().timeZone || "UTC";

/** Every zone the browser knows, with those that are needed here. */
export function listTimeZones(needed: string): string[] {
  return [...new Set(["UTC", ownTimeZone, needed, ...Intl.supportedValuesOf("timeZone")])].sort();
}

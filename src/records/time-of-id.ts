/** The moment a version 7 id was made. */
export function timeOfId(id: string): Date {
  if (!/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/i.test(id))
    throw new Error("The id of a call must be a UUID of version 7.");
  return timeOfLowestId(id);
}

/** Not larger than any id made at this moment or later, and larger than any made before. */
export function lowestIdAt(moment: Date): string {
  const digits = Math.min(Math.max(moment.getTime(), 0), 2 ** 48 - 1)
    .toString(16)
    .padStart(12, "0");
  return `${digits.slice(0, 8)}-${digits.slice(8)}-0000-0000-000000000000`;
}

/** Of an id that `lowestIdAt` made. */
export const timeOfLowestId = (id: string): Date => new Date(Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16));

export const isLongerThan = (value: unknown, limit: number): boolean => roomAfter(value, limit) < 0;

/** What is left of a number of characters when a value takes its part as JSON, about, without writing it: parts that appear often count each time. */
export function roomAfter(value: unknown, limit: number): number {
  let room = limit;
  const open: unknown[] = [value];
  while (open.length > 0 && room >= 0) {
    const next = open.pop();
    if (typeof next !== "object" || next === null) room -= lengthOf(next);
    else {
      const entries = Object.entries(next);
      room -= entries.reduce((length, [key]) => length + key.length, 2 * entries.length);
      for (const [, entry] of entries) open.push(entry);
    }
  }
  return room;
}

/** Whether there are more than `limit` values in a value, itself included; looks at no more of them. */
export function hasMoreValues(value: unknown, limit: number): boolean {
  let room = limit;
  const open: unknown[] = [value];
  while (open.length > 0) {
    const next = open.pop();
    room -= 1;
    if (open.length > room) return true;
    if (typeof next === "object" && next !== null) for (const entry of Object.values(next)) open.push(entry);
  }
  return room < 0;
}

const lengthOf = (value: unknown): number => (typeof value === "string" ? value.length + 2 : 5);

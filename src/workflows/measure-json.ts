/** Whether a value takes more characters as JSON, about, without writing it: parts that appear often count each time. */
export function isLongerThan(value: unknown, limit: number): boolean {
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
  return room < 0;
}

const lengthOf = (value: unknown): number => (typeof value === "string" ? value.length + 2 : 5);

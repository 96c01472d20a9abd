/** Names that differ, so that no column takes the place of another: the second "a" is "a_2", or the next one that no other column has. */
export function nameColumns(names: string[]): string[] {
  const given = new Set(names);
  const nextCounts = new Map<string, number>();
  return names.map((name) => {
    let count = nextCounts.get(name) ?? 1;
    // Only one name can become "a_2", so what was made before need not be looked at.
    while (count > 1 && given.has(`${name}_${count}`)) count++;
    nextCounts.set(name, count + 1);
    return count === 1 ? name : `${name}_${count}`;
  });
}

/** Names that differ, so that no column takes the place of another: the second "a" is "a_2", or the next one that no other column has. */
export function nameColumns(names: string[]): string[] {
  const given = new Set(names);
  const used = new Set<string>();
  return names.map((name) => {
    let unique = name;
    for (let count = 2; used.has(unique) || (unique !== name && given.has(unique)); count++) unique = `${name}_${count}`;
    used.add(unique);
    return unique;
  });
}

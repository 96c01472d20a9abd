const mostNamed = 3;
/** Longer than any name there is; what is longer is near to none, and comparing takes the product of both lengths. */
const longestName = 100;

/** The known names somebody may have meant, the nearest first; none when nothing is near. */
export function nearestNames(meant: string, known: Iterable<string>): string[] {
  if (meant === "" || meant.length > longestName) return [];
  const wanted = normalise(meant);
  return [...known]
    .map((name) => ({ name, distance: distanceBetween(wanted, normalise(name)) }))
    .filter(({ distance }) => distance <= 0.4)
    .sort((one, other) => one.distance - other.distance || (one.name < other.name ? -1 : 1))
    .slice(0, mostNamed)
    .map(({ name }) => name);
}

/** What to say of a name that is not known: the name itself, shortened, and what may have been meant. */
export function describeUnknownName(meant: string, known: Iterable<string>): string {
  const quoted = JSON.stringify(meant.length > longestName ? `${meant.slice(0, longestName)}…` : meant);
  const nearest = nearestNames(meant, known);
  return nearest.length === 0 ? quoted : `${quoted}; did you mean ${nearest.join(", ")}?`;
}

const normalise = (name: string): string => name.toLowerCase().replaceAll(/[^a-z0-9]+/g, "_");

/** 0 is the same, 1 is entirely different: letters that differ, or words that only one of them has, whichever is less. */
function distanceBetween(one: string, other: string): number {
  return Math.min(
    editDistance(one, other) / Math.max(one.length, other.length, 1),
    wordDistance(one.split("_"), other.split("_")),
  );
}

function wordDistance(some: string[], others: string[]): number {
  const shared = some.filter((word) => others.includes(word)).length;
  return 1 - (2 * shared) / (some.length + others.length);
}

/** Levenshtein's, with one row of its table at a time. */
function editDistance(one: string, other: string): number {
  let above = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (let row = 1; row <= one.length; row++) {
    const current = [row];
    for (let column = 1; column <= other.length; column++) {
      const change = one[row - 1] === other[column - 1] ? 0 : 1;
      const smallest = Math.min(
        (above[column] as number) + 1,
        (current[column - 1] as number) + 1,
        (above[column - 1] as number) + change,
      );
      current.push(smallest);
    }
    above = current;
  }
  return above[other.length] as number;
}

/** One after the other, so that no statement lasts long however much there is, and others get the connection in between. */
export async function inParts<Row>(
  edges: string[],
  count: (part: string[], first: number) => Promise<Row[]>,
): Promise<Row[]> {
  const rows: Row[][] = [];
  for (let first = 0; first < edges.length - 1; first += bucketsInOnePart)
    rows.push(await count(edges.slice(first, first + bucketsInOnePart + 1), first));
  return rows.flat();
}

const bucketsInOnePart = 15;

/** Does the work for every item, for so many at a time; nothing begins any more once `isStopping`. The results are in the order of the items. */
export async function eachInParallel<Item, Result>(
  items: readonly Item[],
  work: (item: Item) => Promise<Result>,
  { most, isStopping = () => false }: { most: number; isStopping?: () => boolean },
): Promise<PromiseSettledResult<Result>[]> {
  const results: PromiseSettledResult<Result>[] = [];
  const rest = items.entries();
  const takeOn = async (): Promise<void> => {
    // All of them take from the same iterator.
    for (const [index, item] of rest) {
      if (isStopping()) return;
      [results[index]] = (await Promise.allSettled([work(item)])) as [PromiseSettledResult<Result>];
    }
  };
  await Promise.all(Array.from({ length: Math.min(most, items.length) }, takeOn));
  return results;
}

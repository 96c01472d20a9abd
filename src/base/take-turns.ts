/** Does one after the other whatever has the same key. */
export function createTurns() {
  const ends = new Map<string, Promise<void>>();

  return async <Value>(key: string, work: () => Promise<Value>): Promise<Value> => {
    const turn = (ends.get(key) ?? Promise.resolve()).then(work);
    const end = turn.then(
      () => {},
      () => {},
    );
    ends.set(key, end);
    try {
      return await turn;
    } finally {
      if (ends.get(key) === end) ends.delete(key);
    }
  };
}

/** What a node fails with, by its code. */
export type Refused = { refused: string };

/** Ends the execution of a node with this code. */
export function refuse(code: string): never {
  throw { refused: code } satisfies Refused;
}

/** The code with which some work was refused, or what it gave. */
export function attempt<Given>(work: () => Given): Refused | { given: Given } {
  try {
    return { given: work() };
  } catch (error) {
    if (typeof error === "object" && error !== null && "refused" in error) return error as Refused;
    throw error;
  }
}

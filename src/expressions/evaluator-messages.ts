/** What is asked of a process for expressions. The data stands beside it as JSON, of share-data.ts. */
export type QuestionHead = {
  id: number;
  expressions: string[];
  /** Only whether they can be read. */
  isCheck?: boolean;
};

/** Of each expression: JSON text, nothing, or what is wrong with it. */
export type ExpressionAnswer = { json?: string; fault?: string };

/** What such a process says. The JSON texts of the answers stand beside it, one after the other. */
export type Said = {
  isReady?: true;
  /** The data of a long question has been read. */
  hasBegun?: true;
  id?: number;
  answers?: { length?: number; fault?: string }[];
  /** Processor time of the process since it started. */
  usedMs?: number;
};

/** Reading so many characters takes no time worth mentioning. */
export const longestQuietData = 100_000;

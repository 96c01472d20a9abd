import type { Evaluator } from "./evaluator.ts";
import type { ExpressionAnswer } from "./evaluator-messages.ts";

export type Asked = { expressions: string[]; data: string; isCheck?: boolean; signal?: AbortSignal | undefined };

export type Question = Asked & {
  settle: (answers: ExpressionAnswer[]) => void;
  fail: (error: unknown) => void;
  /** Whoever asked has left: nobody wants the answer. */
  isAbandoned: boolean;
};

/** The questions of one organization and the process that is its own. */
export type Lane = {
  organizationId: string;
  /** Not sent yet. */
  waiting: Question[];
  /** Sent and not answered; the process works on the first. */
  sent: { id: number; question: Question }[];
  /** Of the data of what is sent. */
  sentCharacters: number;
  evaluator: Evaluator | undefined;
  heldSinceMs: number;
  usedAtMs: number;
  isRetiring: boolean;
  /** Its last process ended over a question. */
  hasLost: boolean;
};

export const createLane = (organizationId: string): Lane => ({
  organizationId,
  waiting: [],
  sent: [],
  sentCharacters: 0,
  evaluator: undefined,
  heldSinceMs: 0,
  usedAtMs: 0,
  isRetiring: false,
  hasLost: false,
});

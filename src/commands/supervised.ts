import type { Worker } from "node:cluster";
import { createExchange } from "../base/exchange.ts";
import type { Measured, Siblings } from "../door/metrics.ts";
import { type Counted, createSharedCounts } from "../door/shared-counts.ts";
import type { EmbeddedPostgres } from "../storage/embedded-postgres.ts";

/** Which of the processes this is, and the database that the supervisor started for all of them. */
export type Place = {
  number: number;
  count: number;
  /** The process number to send signals to. */
  supervisor: number;
  database: Omit<EmbeddedPostgres, "close">;
};

/** What a process asks its supervisor, and tells it once. */
type Question = "place" | "metrics" | { counted: Counted } | { ready: string } | { failed: string };

const answerLimitMs = 60_000;
/** Whoever reads metrics gives up after ten seconds; a process that is stuck must not take the others' with it. */
const measureLimitMs = 1_000;

/** The supervisor as a process sees it that was started by one. */
export async function joinSupervisor() {
  let measure = async (): Promise<Measured> => [];
  const counts = createSharedCounts((counted) => void ask({ counted }, measureLimitMs));
  const ask = createExchange({
    // Without a supervisor this process ends too.
    send: (message) => void process.send?.(message, undefined, undefined, () => {}),
    listen: (receive) => void process.on("message", receive),
    answer: (asked) => (asked === "metrics" ? measure() : counts.hear((asked as { counted: Counted }).counted)),
  }) as (question: Question, limitMs: number) => Promise<unknown>;
  const place = (await ask("place", answerLimitMs)) as Place | undefined;
  if (place === undefined) throw new Error("The supervisor does not answer.");
  const siblings: Siblings = {
    number: place.number,
    measureAll: async () => ((await ask("metrics", 2 * measureLimitMs)) ?? []) as Measured[],
    onMeasure: (read) => {
      measure = read;
    },
    counts,
  };
  return {
    siblings,
    place,
    tell: async (news: { ready: string } | { failed: string }): Promise<void> => void (await ask(news, answerLimitMs)),
  };
}

export type Answers = {
  place: () => Promise<Place>;
  metrics: () => Promise<Measured[]>;
  counted: (counted: Counted) => void;
  ready: (welcome: string) => void;
  failed: (reason: string) => void;
};

/** One of the processes as its supervisor sees it. */
export function listenTo(worker: Worker, answers: Answers) {
  const ask = createExchange({
    send: (message) => void (worker.isConnected() && worker.process.send(message, () => {})),
    listen: (receive) => void worker.on("message", receive),
    answer(question) {
      const asked = question as Question;
      if (asked === "place") return answers.place();
      if (asked === "metrics") return answers.metrics();
      if ("counted" in asked) answers.counted(asked.counted);
      else if ("ready" in asked) answers.ready(asked.ready);
      else answers.failed(asked.failed);
      return true;
    },
  });
  return {
    tellCounted: (counted: Counted): void => void ask({ counted }, measureLimitMs),
    measure: async () => ((await ask("metrics", measureLimitMs)) ?? []) as Measured,
  };
}

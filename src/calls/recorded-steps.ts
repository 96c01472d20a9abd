import { Refusal, type RefusalCode } from "../base/refusal.ts";
import type { ArrivedCall, CallOutcome, Recorder } from "../history/record.ts";

export type RecordedSteps = ReturnType<typeof createRecordedSteps>;

type Options = {
  recorder: Recorder;
  /** Told of each call once its record says how it ended. */
  observe: (call: { serverId: string; status: string; queueMs: number; durationMs: number }) => void;
};

/** By then somebody who looks at the history should see that it runs. */
const seenAfterMs = 20;

/** The ways a call gets into the history: refused before it ran, run between two committed rows, or run and then written as a whole. */
export function createRecordedSteps({ recorder, observe }: Options) {
  async function write(how: "close" | "ended", record: ArrivedCall, outcome: CallOutcome): Promise<void> {
    await recorder[how](record, outcome);
    observe({
      serverId: record.serverId,
      status: outcome.status,
      queueMs: record.queueMs,
      durationMs: outcome.durationMs,
    });
  }

  return {
    async orRefused<Value>(record: ArrivedCall, step: () => Promise<Value>): Promise<Value> {
      try {
        return await step();
      } catch (error) {
        if (!(error instanceof Refusal)) throw error;
        const status = error.code === "cancelled" ? "cancelled" : "refused";
        await recorder.refused(record, error, status);
        observe({ serverId: record.serverId, status, queueMs: record.queueMs, durationMs: 0 });
        throw error;
      }
    },

    async run<Value>(record: ArrivedCall, step: () => Promise<Value>): Promise<Value> {
      await recorder.open(record);
      return await finish(step, (outcome) => write("close", record, outcome));
    },

    /**
     * For a call that reaches nothing outside and changes nothing: it need not be written before it runs, only before it is answered, so most are
     * written once. When the process dies in between, nobody has an answer, and nothing was done.
     */
    async runInside<Value>(record: ArrivedCall, step: () => Promise<Value>): Promise<Value> {
      let opening: Promise<void> | undefined;
      const timer = setTimeout(() => {
        opening = recorder.open(record);
        opening.catch(() => {});
      }, seenAfterMs);
      return await finish(step, async (outcome) => {
        clearTimeout(timer);
        await opening;
        await write(opening ? "close" : "ended", record, outcome);
      });
    },
  };
}

/** Answers with what the step gives, once it is written how it ended. */
async function finish<Value>(step: () => Promise<Value>, write: (outcome: CallOutcome) => Promise<void>) {
  const startedAt = performance.now();
  let value: Value;
  try {
    value = await step();
  } catch (failure) {
    await write({ ...describeFailure(failure), durationMs: performance.now() - startedAt });
    throw failure;
  }
  await write({ status: "success", outputs: value, durationMs: performance.now() - startedAt });
  return value;
}

function describeFailure(failure: unknown): Pick<CallOutcome, "status" | "error"> {
  if (!(failure instanceof Refusal))
    return { status: "failed", error: { code: "internal_error", message: "The tool failed unexpectedly." } };
  return { status: endings[failure.code] ?? "failed", error: { code: failure.code, message: failure.message } };
}

const endings: Partial<Record<RefusalCode, CallOutcome["status"]>> = {
  tool_timeout: "timed_out",
  cancelled: "cancelled",
};

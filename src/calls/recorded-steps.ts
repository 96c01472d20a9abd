import { Refusal, type RefusalCode } from "../base/refusal.ts";
import type { ArrivedCall, CallOutcome, Recorder } from "../history/record.ts";

/** The two ways a call gets into the history: refused before it ran, or run between two committed rows. */
export function createRecordedSteps(recorder: Recorder) {
  return {
    async orRefused<Value>(record: ArrivedCall, step: () => Promise<Value>): Promise<Value> {
      try {
        return await step();
      } catch (error) {
        if (!(error instanceof Refusal)) throw error;
        await recorder.refused(record, error, error.code === "cancelled" ? "cancelled" : "refused");
        throw error;
      }
    },

    async run<Value>(record: ArrivedCall, step: () => Promise<Value>): Promise<Value> {
      await recorder.open(record);
      const startedAt = performance.now();
      let value: Value;
      try {
        value = await step();
      } catch (failure) {
        await recorder.close(record, { ...describeFailure(failure), durationMs: performance.now() - startedAt });
        throw failure;
      }
      await recorder.close(record, { status: "success", outputs: value, durationMs: performance.now() - startedAt });
      return value;
    },
  };
}

function describeFailure(failure: unknown): Pick<CallOutcome, "status" | "error"> {
  if (!(failure instanceof Refusal))
    return { status: "failed", error: { code: "internal_error", message: "The tool failed unexpectedly." } };
  return { status: endings[failure.code] ?? "failed", error: { code: failure.code, message: failure.message } };
}

const endings: Partial<Record<RefusalCode, CallOutcome["status"]>> = { tool_timeout: "timed_out", cancelled: "cancelled" };

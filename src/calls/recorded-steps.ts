import { Refusal, type RefusalCode } from "../base/refusal.ts";
import type { ArrivedCall, CallOutcome, Recorder } from "../history/record.ts";

export type RecordedSteps = ReturnType<typeof createRecordedSteps>;

type Options = {
  recorder: Recorder;
  /** Told of each call once its record says how it ended. */
  observe: (call: { serverId: string; status: string; queueMs: number; durationMs: number }) => void;
};

/** The two ways a call gets into the history: refused before it ran, or run between two committed rows. */
export function createRecordedSteps({ recorder, observe }: Options) {
  async function close(record: ArrivedCall, outcome: CallOutcome): Promise<void> {
    await recorder.close(record, outcome);
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
      const startedAt = performance.now();
      let value: Value;
      try {
        value = await step();
      } catch (failure) {
        await close(record, { ...describeFailure(failure), durationMs: performance.now() - startedAt });
        throw failure;
      }
      await close(record, { status: "success", outputs: value, durationMs: performance.now() - startedAt });
      return value;
    },
  };
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

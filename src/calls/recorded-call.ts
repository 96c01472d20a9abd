import { Refusal, type RefusalCode } from "../base/refusal.ts";
import type { Span } from "../base/tracing.ts";
import type { CatalogAction } from "../catalog/catalog.ts";
import type { ArrivedCall, CallOutcome, Recorder } from "../history/record.ts";
import type { Slots } from "../slots/slots.ts";
import type { Execute, Prepare } from "./execute.ts";

export type RunRecordedCall = ReturnType<typeof createRunRecordedCall>;

type RecordedCallOptions = {
  prepare: Prepare;
  execute: Execute;
  slots: Pick<Slots, "acquire">;
  steps: RecordedSteps;
  limitMs: number;
};

type RecordedCallRequest = {
  action: CatalogAction;
  /** What the history is to say about it; the references are added here. */
  arrival: Omit<ArrivedCall, "credentials">;
  /** Credential type → reference. */
  references: unknown;
  /** What was already found to be wrong with it: it is refused with that, and recorded like any other. */
  fault?: Refusal | undefined;
  /** Aborted with a refusal when nobody wants the answer any more. */
  signal: AbortSignal;
  trace: Span;
  onProgress?: ((progress: { message: string }) => void) | undefined;
};

/**
 * A provider's tool, whoever calls it. What can be refused is refused before it takes a slot; the row that says "running" is committed
 * before anything is decrypted or reaches out, and the row that says how it ended before this returns or throws.
 */
export function createRunRecordedCall({ prepare, execute, slots, steps, limitMs }: RecordedCallOptions) {
  const { orRefused } = steps;
  return async ({
    action,
    arrival,
    references,
    fault,
    signal,
    onProgress,
    trace,
  }: RecordedCallRequest): Promise<Record<string, unknown>[]> => {
    const { organizationId, parameters } = arrival;
    const record = { ...arrival, credentials: onlyReferences(references) };

    const prepared = await orRefused(record, async () => {
      if (fault) throw fault;
      return await prepare({ organizationId, action, parameters, references });
    });
    const onPosition = (position: number) => onProgress?.({ message: `waiting, ${position - 1} ahead` });
    const waiting = trace.begin("slot wait");
    const slot = await orRefused(record, () =>
      slots.acquire(organizationId, { signal, onPosition }).finally(waiting.end),
    );
    try {
      onProgress?.({ message: "running" });
      const context = { signal, limitMs, idempotencyKey: record.id, beforeStep: slot.assertHeld, trace };
      const execution = () => execute(prepared, context).finally(slot.release);
      const run = reachesNothing(action) ? steps.runInside : steps.run;
      return await run({ ...record, queueMs: slot.queueMs }, execution);
    } finally {
      slot.release();
    }
  };
}

const reachesNothing = ({ credential, hints }: CatalogAction): boolean =>
  credential === null && hints.readOnly && !hints.openWorld;

// People paste secrets where a reference belongs; those must not be kept.
function onlyReferences(references: unknown): unknown {
  if (typeof references !== "object" || references === null || Array.isArray(references)) return {};
  const entries = Object.entries(references as Record<string, unknown>).map(([type, reference]) => [
    type,
    isReference(reference) ? reference : "[not a reference]",
  ]);
  return Object.fromEntries(entries);
}

const isReference = (value: unknown): boolean =>
  typeof value === "string" && /^credential:organization:[0-9a-f-]{36}$/i.test(value);

export type RecordedSteps = ReturnType<typeof createRecordedSteps>;

type StepsOptions = {
  recorder: Recorder;
  /** Told of each call once its record says how it ended. */
  observe: (call: { serverId: string; status: string; queueMs: number; durationMs: number }) => void;
};

/** By then somebody who looks at the history should see that it runs. */
const seenAfterMs = 20;

/** The ways a call gets into the history: refused before it ran, run between two committed rows, or run and then written as a whole. */
export function createRecordedSteps({ recorder, observe }: StepsOptions) {
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

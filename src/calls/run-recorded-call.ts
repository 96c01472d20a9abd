import type { Refusal } from "../base/refusal.ts";
import type { Span } from "../base/tracing.ts";
import type { CatalogAction } from "../catalog/catalog.ts";
import type { ArrivedCall } from "../history/record.ts";
import type { Slots } from "../slots/slots.ts";
import type { Execute } from "./execute.ts";
import type { Prepare } from "./prepare.ts";
import type { RecordedSteps } from "./recorded-steps.ts";

export type RunRecordedCall = ReturnType<typeof createRunRecordedCall>;

type Options = {
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
export function createRunRecordedCall({ prepare, execute, slots, steps, limitMs }: Options) {
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

import { Refusal, type RefusalCode } from "../base/refusal.ts";
import type { ArrivedCall, CallOutcome, Recorder } from "../history/record.ts";
import type { McpToolCall } from "./mcp-call.ts";

type Arrival = { id: string; source: ArrivedCall["source"]; parameters: unknown; references: unknown };

/** What the history is told about a call that has just come in. */
export function describeCall({ server, tool, caller, requestId, traceId }: McpToolCall<unknown>, arrival: Arrival): ArrivedCall {
  const { id, source, parameters, references } = arrival;
  const who =
    "apiKey" in caller
      ? { apiKeyId: caller.apiKey.id, apiKeyName: caller.apiKey.name }
      : { oauthClientId: caller.connection.clientId, userId: caller.connection.userId };
  return {
    ...{ organizationId: caller.organizationId, id, source, serverId: server.id, tool: tool.name },
    ...{ parameters, credentials: onlyReferences(references), queueMs: 0, requestId, traceId },
    ...who,
  };
}

// People paste secrets where a reference belongs; those must not be kept.
function onlyReferences(references: unknown): unknown {
  if (typeof references !== "object" || references === null || Array.isArray(references)) return {};
  const entries = Object.entries(references as Record<string, unknown>).map(([type, reference]) => [
    type,
    isReference(reference) ? reference : "[not a reference]",
  ]);
  return Object.fromEntries(entries);
}

const isReference = (value: unknown): boolean => typeof value === "string" && /^credential:organization:[0-9a-f-]{36}$/i.test(value);

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

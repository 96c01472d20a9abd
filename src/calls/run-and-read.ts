import { newId } from "../base/ids.ts";
import { Refusal } from "../base/refusal.ts";
import type { Span } from "../base/tracing.ts";
import type { CatalogAction } from "../catalog/catalog.ts";
import type { History } from "../history/history.ts";
import type { ToolCall } from "../history/wire.ts";
import type { RunRecordedCall } from "./recorded-call.ts";

export type RunAndRead = ReturnType<typeof createRunAndRead>;

/** Whoever asks for a call on a page, and how it ends when they leave. */
export type Asker = {
  organizationId: string;
  user: { userId: string; name: string };
  requestId: string;
  trace: Span;
  signal: AbortSignal;
};

type CallRequest = Asker & {
  action: CatalogAction;
  parameters: unknown;
  /** Credential type → reference. */
  references: unknown;
  confirm: boolean | undefined;
  replayOf?: string;
};

type Options = { calls: Pick<History["calls"], "get">; runRecordedCall: RunRecordedCall };

/** Runs a tool for a person and gives the record of the call, however it ended. What is refused before it runs is thrown. */
export function createRunAndRead({ calls, runRecordedCall }: Options) {
  return async ({
    action,
    organizationId,
    parameters,
    references,
    confirm,
    user,
    replayOf,
    ...asker
  }: CallRequest): Promise<ToolCall> => {
    const { requestId, trace, signal } = asker;
    if (!action.hints.readOnly && confirm !== true)
      throw new Refusal("confirmation_required", `${action.id} is not read-only. Confirm that it is to run.`);

    const arrival = {
      organizationId,
      id: newId(),
      source: "mcp" as const,
      serverId: action.provider.id,
      tool: action.id,
      parameters,
      queueMs: 0,
      userId: user.userId,
      userName: user.name,
      requestId,
      traceId: trace.traceId,
      ...(replayOf === undefined ? {} : { replayOf }),
    };
    const failure = await runRecordedCall({ action, arrival, references, signal, trace }).then(
      () => undefined,
      asRefusal,
    );
    if (failure?.code === "record_unavailable") throw failure;
    const recorded = await calls.get(organizationId, arrival.id);
    if (failure && recorded.startedAt === null) throw failure;
    return recorded;
  };
}

function asRefusal(error: unknown): Refusal {
  if (error instanceof Refusal) return error;
  throw error;
}

import { newId } from "../base/ids.ts";
import { Refusal } from "../base/refusal.ts";
import type { Catalog } from "../catalog/catalog.ts";
import type { History } from "../history/history.ts";
import { isCutShort } from "../history/payload.ts";
import type { ToolCall } from "../history/wire.ts";
import type { RunRecordedCall } from "./run-recorded-call.ts";
import type { ReplayRequest } from "./wire.ts";

export type Replay = ReturnType<typeof createReplay>;

type Options = { calls: Pick<History["calls"], "get">; nodes: Catalog["nodes"]; runRecordedCall: RunRecordedCall };

type Wish = {
  organizationId: string;
  recordId: string;
  changes: ReplayRequest;
  user: { userId: string; name: string };
  requestId: string;
  signal: AbortSignal;
};

/** Runs a recorded call again and gives the record of the new one, however it ended. What is refused before it runs is thrown. */
export function createReplay({ calls, nodes, runRecordedCall }: Options) {
  const findNode = ({ source, tool }: ToolCall) => {
    const node = source === "mcp" ? nodes.get(tool) : undefined;
    if (!node) throw new Refusal("conflict", "Only calls of a provider's tool that is still there can be run again.");
    return node;
  };

  return async ({ organizationId, recordId, changes, user, requestId, signal }: Wish): Promise<ToolCall> => {
    const original = await calls.get(organizationId, recordId);
    const node = findNode(original);
    const parameters = changes.parameters ?? whole(original, "parameters");
    const references = changes.credentials ?? whole(original, "credentials");
    if (!node.tool.hints.readOnly && changes.confirm !== true)
      throw new Refusal("confirmation_required", `${node.tool.id} is not read-only. Confirm that it is to run again.`);

    const { serverId, tool } = original;
    const arrival = {
      ...{ organizationId, id: newId(), source: "mcp" as const, serverId, tool, parameters, queueMs: 0 },
      ...{ userId: user.userId, userName: user.name, requestId, replayOf: original.id },
    };
    const failure = await runRecordedCall({ node, arrival, references, signal }).then(() => undefined, asRefusal);
    if (failure?.code === "record_unavailable") throw failure;
    const replayed = await calls.get(organizationId, arrival.id);
    if (failure && replayed.startedAt === null) throw failure;
    return replayed;
  };
}

function whole(call: ToolCall, field: "parameters" | "credentials"): unknown {
  if (!isCutShort(call, call[field])) return call[field];
  throw new Refusal("conflict", `The ${field} of this call were too large to be kept. Send them to run it again.`);
}

function asRefusal(error: unknown): Refusal {
  if (error instanceof Refusal) return error;
  throw error;
}

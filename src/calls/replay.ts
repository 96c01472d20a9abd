import { Refusal } from "../base/refusal.ts";
import { scrubbed } from "../base/scrub.ts";
import type { Catalog } from "../catalog/catalog.ts";
import type { History } from "../history/history.ts";
import type { ToolCall } from "../history/wire.ts";
import { isCutShort } from "../records/payload.ts";
import type { Asker, RunAndRead } from "./run-and-read.ts";
import type { ReplayRequest } from "./wire.ts";

export type Replay = ReturnType<typeof createReplay>;

type Options = { calls: Pick<History["calls"], "get">; actions: Catalog["actions"]; runAndRead: RunAndRead };

type ReplayedCall = Asker & { recordId: string; changes: ReplayRequest };

/** Runs a recorded call again. */
export function createReplay({ calls, actions, runAndRead }: Options) {
  const findAction = ({ source, tool }: ToolCall) => {
    const action = source === "mcp" ? actions.get(tool) : undefined;
    if (!action) throw new Refusal("conflict", "Only calls of a provider's tool that is still there can be run again.");
    return action;
  };

  return async ({ recordId, changes, ...asker }: ReplayedCall): Promise<ToolCall> => {
    const original = await calls.get(asker.organizationId, recordId);
    const action = findAction(original);
    const parameters = changes.parameters ?? whole(original, "parameters");
    const references = changes.credentials ?? whole(original, "credentials");
    return await runAndRead({
      ...asker,
      action,
      parameters,
      references,
      confirm: changes.confirm,
      replayOf: original.id,
    });
  };
}

function whole(call: ToolCall, field: "parameters" | "credentials"): unknown {
  if (call.sanitized && JSON.stringify(call[field]).includes(scrubbed))
    throw new Refusal(
      "conflict",
      `The ${field} of this call held a secret, which is not kept. Send them to run it again.`,
    );
  if (!isCutShort(call, call[field])) return call[field];
  throw new Refusal("conflict", `The ${field} of this call were too large to be kept. Send them to run it again.`);
}

import { createHash } from "node:crypto";
import { Refusal } from "../../base/refusal.ts";
import type { Span } from "../../base/tracing.ts";
import type { Database } from "../../storage/database.ts";
import type { Item } from "../../workflows/engine-node.ts";
import type { StartRun } from "../accept/start-run.ts";
import type { RunList } from "../read/run-list.ts";
import type { AdoptedRun } from "../store.ts";
import { type EndedCall, findEnded } from "./called-store.ts";
import { type CalledWorkflow, longestOutputs, tooLarge } from "./node/collect-outcomes.ts";
import { toFailure } from "./node/execute-node.ts";
import type { NodeFailure } from "./node/node-failure.ts";

const mostDepth = 8;

/** Runs that a node of another run starts and waits for. */
export function createCalledRuns({
  db,
  startRun,
  runs,
}: {
  db: Database;
  startRun: StartRun;
  runs: Pick<RunList, "readResult">;
}) {
  return {
    /** However often it is asked for the same node, each is started once, and once more for each time that it failed. */
    async callRuns(parent: AdoptedRun, nodeId: string, requests: CalledWorkflow[], trace: Span): Promise<string[]> {
      if (parent.depth >= mostDepth)
        throw new Refusal("validation_failed", `Workflows call each other more than ${mostDepth} deep.`);
      const ids: string[] = [];
      for (const [index, { workflowId, prompt, payload, failures }] of requests.entries()) {
        const key = `call:${parent.id}:${nodeId}:${index}${failures === 0 ? "" : `:${failures}`}`;
        const { id } = await startRun({
          organizationId: parent.organizationId,
          workflowId,
          kind: "workflow",
          trigger: { source: "workflow", sender: { runId: parent.id, nodeId }, prompt, payload },
          parent: { runId: parent.id, depth: parent.depth },
          trace,
          // What is asked may differ after a crash; the run that was started then is the one that counts.
          once: { key, requestSha256: createHash("sha256").update(key).digest() },
        });
        ids.push(id);
      }
      return ids;
    },

    /** Of nodes whose called runs have all ended, what became of these. */
    async findEndedCalls(
      parent: AdoptedRun,
      calls: { nodeId: string; runIds: string[] }[],
    ): Promise<Map<string, EndedCall[]>> {
      return Map.groupBy(await findEnded(db, parent, calls), ({ nodeId }) => nodeId);
    },

    async readCalled(
      { organizationId }: AdoptedRun,
      ended: EndedCall[],
    ): Promise<{ items: Item[] } | { error: NodeFailure }> {
      const failed = ended.find(({ status }) => status !== "succeeded");
      if (failed) return { error: describeFailure(failed) };
      const parts: Item[][] = [];
      let room = longestOutputs;
      for (const { id } of ended) {
        const result = await runs.readResult(organizationId, id, room);
        if (!result) return { error: toFailure(tooLarge()) };
        room -= result.bytes;
        parts.push(result.items);
      }
      return { items: parts.flat() };
    },
  };
}

function describeFailure({ status, errorCode, errorMessage, errorNodeId }: EndedCall): NodeFailure {
  const told = status === "cancelled" ? "It was cancelled." : (errorMessage ?? "Its run is gone.");
  // One that called another itself told of it already: only the way to it is longer.
  const { path, words } = (errorCode === "workflow_failed" ? nested.exec(told)?.groups : undefined) ?? { words: told };
  const place = [errorNodeId ?? undefined, path].filter((part) => part !== undefined).join(" → ");
  return {
    code: "workflow_failed",
    message: `The called workflow failed${place === "" ? "" : ` at ${place}`}: ${words}`,
  };
}

const nested = /^The called workflow failed(?: at (?<path>[\w-]+(?: → [\w-]+)*))?: (?<words>.*)$/s;

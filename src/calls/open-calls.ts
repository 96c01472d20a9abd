import type { FastifyInstance } from "fastify";
import type { Catalog } from "../catalog/catalog.ts";
import type { FindLookUp } from "../catalog/look-up.ts";
import type { Ground } from "../ground/ground.ts";
import type { History } from "../history/history.ts";
import type { Slots } from "../slots/slots.ts";
import type { Vault } from "../vault/vault.ts";
import { createExecute, createPrepare } from "./execute.ts";
import { createLookUpChoices } from "./look-up-choices.ts";
import { createRecordedSteps, createRunRecordedCall } from "./recorded-call.ts";
import { createReplay } from "./replay.ts";
import { createRunAndRead } from "./run-and-read.ts";
import { createTryTool } from "./try-tool.ts";

export type Calls = ReturnType<typeof openCalls>;

type Needs = {
  catalog: Pick<Catalog, "actions"> & { findLookUp: FindLookUp };
  vault: Vault;
  history: Pick<History, "calls" | "recorder">;
  slots: Slots;
};

/** Calls of tools: what clients, people and runs have in common. */
export function openCalls(
  { config, log, clock, metrics, outside }: Ground,
  { catalog: { actions, findLookUp }, vault, history, slots }: Needs,
) {
  const { calls, recorder } = history;
  const prepare = createPrepare({ vault });
  const execute = createExecute({ vault, outside, log, sendsTraceParent: config.sendsTraceParent });
  const steps = createRecordedSteps({ recorder, observe: metrics.observeCall });
  const runRecordedCall = createRunRecordedCall({ prepare, execute, slots, steps, limitMs: config.maxExecutionTimeMs });
  return {
    prepare,
    execute,
    steps,
    runRecordedCall,

    async register(server: FastifyInstance): Promise<void> {
      const { registerCallRoutes } = await import("./routes.ts");
      const runAndRead = createRunAndRead({ calls, runRecordedCall });
      const replay = createReplay({ calls, actions, runAndRead });
      const lookUpChoices = createLookUpChoices({ vault, findLookUp, runRecordedCall, clock });
      registerCallRoutes(server, { replay, tryTool: createTryTool({ actions, runAndRead }), lookUpChoices });
    },
  };
}
